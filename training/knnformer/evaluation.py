"""How good predicted classes of entities are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from docpipe.parsers.entities.matching import Floats, match, violations
from docpipe.parsers.entities.schema import FieldSchema

Classes = npt.NDArray[np.int64]


class Scores(msgspec.Struct, frozen=True):
    """F1 in 0..1 over entities, those of OTHER aside; `fields` by name, and `macro` their mean over
    fields that stand in the gold or the prediction. `violations`: one-fields given to several
    entities of a page, over all pages."""

    micro: float
    macro: float
    fields: dict[str, float]
    violations: int


class Evaluation(msgspec.Struct, frozen=True):
    """Scores of plain argmax and of matching, on `pages` pages with `entities` entities."""

    pages: int
    entities: int
    argmax: Scores
    matched: Scores


def evaluate(
    log_probs: Sequence[Floats],
    gold: Sequence[Classes],
    schema: FieldSchema,
    thresholds: Sequence[float],
) -> Evaluation:
    """Of log-probabilities (n, C) and classes (n,) per page."""
    plain = [page.argmax(axis=1) for page in log_probs]
    matched = [match(page, schema.ones, thresholds, schema.required) for page in log_probs]
    return Evaluation(
        len(gold),
        sum(map(len, gold)),
        score(plain, gold, schema),
        score(matched, gold, schema),
    )


def score(predicted: Sequence[Classes], gold: Sequence[Classes], schema: FieldSchema) -> Scores:
    """F1 of classes (n,) per page."""
    found, wanted = np.concatenate(list(predicted)), np.concatenate(list(gold))
    fields = {
        name: _f1(found == c, wanted == c)
        for c, name in enumerate(schema.labels)
        if c and ((found == c).any() or (wanted == c).any())
    }
    hits = (found == wanted) & (wanted > 0)
    return Scores(
        micro=2 * int(hits.sum()) / max(int((found > 0).sum() + (wanted > 0).sum()), 1),
        macro=sum(fields.values()) / max(len(fields), 1),
        fields=fields,
        violations=sum(violations(page, schema.ones) for page in predicted),
    )


def _f1(found: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> float:
    return 2 * int((found & wanted).sum()) / max(int(found.sum() + wanted.sum()), 1)
