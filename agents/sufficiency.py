"""Whether the evidence for a picked answer is enough to give it.

Retrieval scores hardly tell answerable questions from others; what does is whether the surroundings
of the quotation speak of everything the question names, and whether text can settle it at all.
"""

from __future__ import annotations

import math

import msgspec

from docpipe.agents.picking import Pick
from docpipe.agents.relevance import Query
from docpipe.agents.terms import words


class Signals(msgspec.Struct, frozen=True):
    """What speaks for and against an answer; shares and flags in 0-1."""

    around: float
    fit: float
    named: float
    unknown: float
    beyond_text: float


_SUPERLATIVES = frozenset(
    words("highest lowest largest smallest greatest biggest longest shortest best worst majority")
)
_BIAS = -3.0
_WEIGHTS = Signals(around=3.0, fit=2.0, named=1.0, unknown=-4.0, beyond_text=-3.0)


def signals(pick: Pick, query: Query) -> Signals:
    """The signals of an answer; `named` is the share of the question's names near the quote."""
    main = pick.matches[0]
    question = query.question
    said = set(words(f"{main.passage.context} {main.passage.text}"))
    superlatives = _SUPERLATIVES & query.weights.keys()
    missing = set(main.missing)
    names = [name for name in question.names if set(words(name)) & query.weights.keys()]
    near = [name for name in names if not missing & set(words(name))]
    return Signals(
        around=main.around,
        fit=pick.fit,
        named=len(near) / len(names) if names else 1.0,
        unknown=float(bool(query.unknown)),
        beyond_text=float(question.visual or question.derived or bool(superlatives - said)),
    )


def confidence(found: Signals) -> float:
    """The chance in 0-1 that the answer is right, by a logistic model of the signals."""
    values, weights = msgspec.structs.astuple(found), msgspec.structs.astuple(_WEIGHTS)
    total = _BIAS + sum(v * w for v, w in zip(values, weights, strict=True))
    return 1.0 / (1.0 + math.exp(-total))
