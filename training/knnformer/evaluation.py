"""How good predicted classes of entities are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from docpipe.datasets.kie import KieDocument, KiePage
from docpipe.parsers.entities.classifier import log_probabilities
from docpipe.parsers.entities.matching import Floats, match, violations
from docpipe.parsers.entities.model import KnnFormer
from docpipe.parsers.entities.schema import FieldSchema
from docpipe.training.knnformer.data import (
    entity_page,
    page_candidates,
    page_labels,
    pages_of,
    unknown_classes,
)

Classes = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int64]

NEVER = -1e4


class Truth(NamedTuple):
    """Of a page of n entities: classes (n,) int64, `candidates` (n, C) bool where an entity would
    be right for a class besides its own, and whether an entity is `scored` (n,): those without text
    are not."""

    classes: Classes
    candidates: npt.NDArray[np.bool_]
    scored: npt.NDArray[np.bool_]


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


def asked(
    model: KnnFormer, documents: Sequence[KieDocument], schema: FieldSchema
) -> tuple[list[Floats], list[Truth]]:
    """Log-probabilities (n, C) and truth of each page of some documents. A class that nobody
    labelled in a document counts as OTHER there: that is how its entities are labelled."""
    pages = [(page, document) for document in documents for page in pages_of([document])]
    found = log_probabilities(model, [entity_page(page) for page, _ in pages])
    scores = [
        _as_labelled(rows, unknown_classes(document, schema).numpy())
        for rows, (_, document) in zip(found, pages, strict=True)
    ]
    return scores, [truth_of(page, schema) for page, _ in pages]


def _as_labelled(log_probs: Floats, unknown: npt.NDArray[np.bool_]) -> Floats:
    rows = np.where(unknown, NEVER, log_probs)
    rows[:, 0] = np.logaddexp.reduce(log_probs[:, unknown | (np.arange(len(unknown)) == 0)], axis=1)
    return rows


def truth_of(page: KiePage, schema: FieldSchema) -> Truth:
    return Truth(
        page_labels(page, schema).numpy(),
        page_candidates(page, schema).numpy(),
        np.array([bool(entity.text.strip()) for entity in page.entities], bool),
    )


def evaluate(
    log_probs: Sequence[Floats],
    truths: Sequence[Truth],
    schema: FieldSchema,
    thresholds: Sequence[float],
) -> Evaluation:
    """Of log-probabilities (n, C) per page."""
    plain = [page.argmax(axis=1) for page in log_probs]
    matched = [match(page, schema.ones, thresholds, schema.required) for page in log_probs]
    return Evaluation(
        len(truths),
        sum(int(truth.scored.sum()) for truth in truths),
        score(plain, truths, schema),
        score(matched, truths, schema),
    )


def score(predicted: Sequence[Classes], truths: Sequence[Truth], schema: FieldSchema) -> Scores:
    """F1 of classes (n,) per page."""
    each = [count(page, truth, schema) for page, truth in zip(predicted, truths, strict=True)]
    return scores_of(
        np.sum(each, axis=0),
        schema,
        sum(violations(page, schema.ones) for page in predicted),
    )


def scores_of(counts: Counts, schema: FieldSchema, violations: int = 0) -> Scores:
    """Scores of summed counts, see `count`."""
    hits, found, wanted = counts
    fields = {
        name: _f1(hits[c], found[c], wanted[c])
        for c, name in enumerate(schema.labels)
        if c and found[c] + wanted[c]
    }
    return Scores(
        micro=_f1(hits[1:].sum(), found[1:].sum(), wanted[1:].sum()),
        macro=sum(fields.values()) / max(len(fields), 1),
        fields=fields,
        violations=violations,
    )


def count(predicted: Classes, truth: Truth, schema: FieldSchema) -> Counts:
    """Entities of a page that are right, found and wanted, per class, (3, C).

    A one-field is right on any entity that carries its value, its label there or not.
    """
    gold = _by_value(predicted, truth, schema)[truth.scored]
    found = predicted[truth.scored]
    size = len(schema.labels)
    each = (gold[gold == found], found, gold)
    return np.stack([np.bincount(classes, minlength=size) for classes in each])


def _by_value(predicted: Classes, truth: Truth, schema: FieldSchema) -> Classes:
    """The gold classes, each one-field on a predicted entity of equal value where there is one."""
    gold = truth.classes.copy()
    for c in schema.ones:
        own = np.flatnonzero(gold == c)
        equal = np.flatnonzero(truth.candidates[:, c] & (gold == 0) & (predicted == c))
        if len(own) == 1 and len(equal) and predicted[own[0]] != c:
            gold[own[0]], gold[equal[0]] = 0, c
    return gold


def _f1(hits: float, found: float, wanted: float) -> float:
    return 2 * float(hits) / max(float(found + wanted), 1.0)
