"""How many of the gold pages an embedder finds by itself."""

from __future__ import annotations

from collections import defaultdict

import msgspec
import numpy as np

from docpipe.stages import Embedder
from docpipe.training.retriever.data import Asked, Data

DEPTHS = (1, 3, 5)


class Evaluation(msgspec.Struct, frozen=True):
    """Page recall at 1, 3 and 5: the share of a question's gold pages among the first of its
    document, by cosines alone, averaged over `questions`."""

    questions: int
    recall: dict[int, float]


class Ranked(msgspec.Struct, frozen=True):
    """A question and the pages of its document, best first, as deep as is measured."""

    question: str
    document: str
    gold: tuple[int, ...]
    found: tuple[int, ...]


def rank(embedder: Embedder, data: Data) -> list[Ranked]:
    """The pages that an embedder finds for each question to measure on."""
    asked: dict[str, list[Asked]] = defaultdict(list)
    for question in data.validation:
        asked[question.document].append(question)
    return [
        ranked for id, some in asked.items() for ranked in _of_document(embedder, data, id, some)
    ]


def evaluate(ranked: list[Ranked]) -> Evaluation:
    recall = {
        depth: float(np.mean([len({*r.gold} & {*r.found[:depth]}) / len(r.gold) for r in ranked]))
        for depth in DEPTHS
    }
    return Evaluation(len(ranked), recall)


def _of_document(embedder: Embedder, data: Data, id: str, asked: list[Asked]) -> list[Ranked]:
    pool = data.pools[id]
    texts = embedder.embed_texts(pool.texts)
    cosines = embedder.embed_texts([question.question for question in asked]) @ texts.T
    found = []
    for question, row in zip(asked, cosines, strict=True):
        best = dict.fromkeys(pool.pages[at] for at in np.argsort(-row, kind="stable"))
        pages = tuple(best)[: max(DEPTHS)]
        found.append(Ranked(question.question, id, tuple(sorted(question.pages)), pages))
    return found
