"""The reward of a run in named parts, and what they are worth together.

In MM-Doc-R1 (arXiv 2604.13579) a run is worth page recall + correctness, each in 0..1. The other
parts, and what is done where recall is undefined, are docpipe's:

    recall       |gold pages read| / |gold pages|; absent for a question without gold pages, and for
                 one without an answer, whose listed pages hold none
    correctness  how far the answer agrees with the key, 0..1; without an answer 1 for a refusal
    refusal      of a question without an answer 1 for a refusal and -1 for an answer; else 0
    format       -1 for all turns that the budget allows being malformed, in proportion
    cost         -1 for all pages that the budget allows being read, in proportion

Parts are kept apart in `Trajectory.rewards`, so that they can be weighted anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from docpipe.agents.tools import PageKey
from docpipe.datasets.matching import prediction_of, score
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.records import Answer

PARTS = ("recall", "correctness", "refusal", "format", "cost")


class RewardSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of the parts. `without_pages` says what takes the place of an undefined recall:
    "correctness", which keeps the range, or "nothing"."""

    recall: float = 1.0
    correctness: float = 1.0
    refusal: float = 0.0
    format: float = 0.0
    cost: float = 0.0
    without_pages: Literal["correctness", "nothing"] = "correctness"

    def total(self, parts: Mapping[str, float]) -> float:
        """What the parts of a turn or of a run are worth."""
        return sum(float(getattr(self, name)) * parts.get(name, 0.0) for name in PARTS)


def gold_pages(question: GoldQuestion) -> frozenset[PageKey]:
    """The pages that recall is of; none where it is undefined."""
    return frozenset(question.pages) if question.answerable else frozenset()


def answer_parts(
    question: GoldQuestion, answer: Answer, settings: RewardSettings
) -> dict[str, float]:
    """What the answer earns. An undefined recall earns what `without_pages` says."""
    if question.answerable:
        correctness = score(question.answer, prediction_of(answer), question.format)
        refusal = 0.0
    else:
        correctness = float(not answer.answerable)
        refusal = 1.0 if not answer.answerable else -1.0
    parts = {"correctness": correctness, "refusal": refusal}
    if not gold_pages(question) and settings.without_pages == "correctness":
        parts["recall"] = correctness
    return parts


def summed(parts: list[dict[str, float]]) -> dict[str, float]:
    """The parts of turns added up, by name."""
    names = [name for name in PARTS if any(name in part for part in parts)]
    return {name: sum(part.get(name, 0.0) for part in parts) for name in names}
