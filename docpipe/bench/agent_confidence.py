"""How the offline reader tells good answers from others on documents its confidence was not fitted
on.

Its weights (agents/sufficiency.py) were fitted on the documents of the bench. Here they are fitted
anew for each document, on the others alone, and every question is answered or refused by these. The
signals themselves, and the rules that pick an answer, were made with all documents in view: that
cannot be left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from docpipe.agents.extractive import ExtractiveReader
from docpipe.agents.picking import Pick, pick
from docpipe.agents.reasons import refuse
from docpipe.agents.relevance import Match, Query
from docpipe.agents.sufficiency import Signals, signals
from docpipe.bench.agent_arms import Asked
from docpipe.bench.mmlongbench import judge
from docpipe.content import find_page
from docpipe.datasets.matching import prediction_of
from docpipe.datasets.questions.mmlongbench import Sample
from docpipe.library import Library
from docpipe.records import Answer
from docpipe.stages import PageContent

Floats = np.ndarray[Any, np.dtype[np.float64]]

_RIDGE = 1.0
_ROUNDS = 30
_FEATURES = 6


class Watched(msgspec.Struct, frozen=True):
    """What the reader would answer if it never refused for want of confidence, and the refusal it
    would give; no features where the answer does not rest on the fitted confidence."""

    answer: Answer
    refusal: Answer
    features: tuple[float, ...] = ()


def left_out(
    keys: Sequence[Sample], asked: Sequence[Asked], library: Library, threshold: float
) -> list[Answer]:
    """The answers to the questions, from the pages that were read, each by weights fitted on the
    other documents; refused below `threshold`."""
    watched = [_watch(key, item, library) for key, item in zip(keys, asked, strict=True)]
    fitted = [at for at, seen in enumerate(watched) if seen.features]
    features = np.array([watched[at].features for at in fitted]).reshape(len(fitted), _FEATURES)
    right = np.array([_score(keys[at], watched[at].answer) for at in fitted])
    groups = np.array([keys[at].doc_id for at in fitted])
    answers = [seen.answer for seen in watched]
    for group in sorted(set(groups)):
        inside = groups == group
        chances = _chances(features[inside], fit(features[~inside], right[~inside]))
        for at, chance in zip(np.array(fitted)[inside], chances, strict=True):
            seen = watched[at]
            given = seen.answer if chance >= threshold else seen.refusal
            answers[at] = msgspec.structs.replace(given, confidence=float(chance))
    return answers


def fit(features: Floats, right: Floats) -> Floats:
    """The weights, the bias first, of a logistic model of `right` (0-1), by Newton's method with a
    small penalty; features of shape (questions, features)."""
    rows = np.column_stack([np.ones(len(features)), features])
    penalty = _RIDGE * np.eye(rows.shape[1])
    penalty[0, 0] = 1e-6
    weights = np.zeros(rows.shape[1])
    for _ in range(_ROUNDS):
        chances = _chances(features, weights)
        slope = rows.T @ (chances - right) + penalty @ weights
        bend = (rows.T * (chances * (1 - chances))) @ rows + penalty
        weights -= np.linalg.solve(bend, slope)
    return weights


def _chances(features: Floats, weights: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-(features @ weights[1:] + weights[0]))))


def _score(key: Sample, answer: Answer) -> float:
    return judge(key, prediction_of(answer)).score if key.answerable else 0.0


class _Watching(ExtractiveReader):
    """Never refuses for want of confidence, and keeps what the answer was picked from."""

    def __init__(self) -> None:
        super().__init__(threshold=0.0)
        self.seen: tuple[Pick, Query] | None = None

    def _answer(self, matches: list[Match], query: Query) -> Answer:
        picks = pick(matches, query)
        self.seen = (picks[0], query) if picks else None
        return super()._answer(matches, query)


def _watch(key: Sample, asked: Asked, library: Library) -> Watched:
    document = library.document(library.find(key.doc_id))
    contents = [
        PageContent(document, page)
        for number in asked.pages
        if (page := find_page(document, number)) is not None
    ]
    if not contents:
        return Watched(asked.answer, asked.answer)
    reader = _Watching()
    answer = reader.read(contents, key.question, key.question).answer
    if reader.seen is None or answer is None:
        return Watched(asked.answer, asked.answer)
    best, query = reader.seen
    return Watched(answer, refuse(best, query), _features(signals(best, query)))


def _features(found: Signals) -> tuple[float, ...]:
    """As the reader's own model has them."""
    support = found.around * found.fit
    return (support, found.unknown, found.visual, found.worked, found.listed, found.unsaid)
