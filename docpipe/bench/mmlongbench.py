"""How answers to questions of MMLongBench-Doc (Ma et al., arXiv 2407.01523) are counted.

The questions are read by `docpipe.datasets.questions.mmlongbench`; whether an answer agrees with
its key is said by `docpipe.datasets.matching`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from docpipe.datasets.matching import NOT_ANSWERABLE, Prediction, score
from docpipe.datasets.questions.mmlongbench import Sample

FAILED = "Fail to answer"


class Scored(msgspec.Struct, frozen=True):
    """A sample, the short answer a system gave to it, and the score in 0-1."""

    sample: Sample
    prediction: Prediction
    score: float


def judge(sample: Sample, prediction: Prediction) -> Scored:
    """Score one prediction against the sample's key.

    V2 keys allow alternatives ("Not answerable or 0 or none"): the best of them counts.
    """
    keys = sample.answer.split(" or ") if not sample.answerable else [sample.answer]
    best = max(score(key, prediction, sample.answer_format) for key in keys)
    return Scored(sample, prediction, best)


# ── Aggregation ─────────────────────────────────────────────────────────────────────────────────


def accuracy(scored: Sequence[Scored]) -> float:
    """Mean score in 0-1; 0 for no samples."""
    return sum(item.score for item in scored) / len(scored) if scored else 0.0


def f1(scored: Sequence[Scored], *, v1: bool = True) -> float:
    """Harmonic mean of recall and precision on answerable questions, 0-1.

    `v1` keeps the released evaluator's habit to count "Fail to answer" as an answer given.
    """
    silent = (NOT_ANSWERABLE,) if v1 else (NOT_ANSWERABLE, FAILED)
    answerable = [item for item in scored if item.sample.answerable]
    answered = [item for item in scored if item.prediction not in silent]
    total = sum(item.score for item in answerable)
    if not total or not answered:
        return 0.0
    recall, precision = total / len(answerable), total / len(answered)
    return 2 * recall * precision / (recall + precision)


def breakdown(scored: Iterable[Scored]) -> dict[str, dict[str, float]]:
    """Accuracy by answer format, evidence kind, document type and number of gold pages."""
    groups: dict[str, Callable[[Sample], Sequence[str]]] = {
        "format": lambda sample: (sample.answer_format,),
        "evidence": lambda sample: sample.sources if sample.answerable else (),
        "document": lambda sample: (sample.doc_type,),
        "pages": _page_group,
    }
    items = list(scored)
    return {name: _accuracy_by(items, keys) for name, keys in groups.items()}


def _page_group(sample: Sample) -> Sequence[str]:
    if len(sample.pages) == 1:
        return ("single",) if sample.answerable else ("single", "unanswerable")
    return ("cross",) if sample.answerable else ("unanswerable",)


def _accuracy_by(
    scored: Sequence[Scored], keys: Callable[[Sample], Sequence[str]]
) -> dict[str, float]:
    groups: dict[str, list[Scored]] = {}
    for item in scored:
        for key in keys(item.sample):
            groups.setdefault(key, []).append(item)
    return {key: accuracy(group) for key, group in sorted(groups.items())}
