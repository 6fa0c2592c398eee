"""What a question asks to be looked for: one lead for each part, with the pages it may take.

A question is decomposed by what it is about: the statements that a ratio is computed from, the
clause that only describes what the rest is about, and the question as it stands. How many pages a
lead takes follows from what is asked: a count or a list is spread over more pages than a date.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from docpipe.agents.question import Question
from docpipe.agents.statements import asked_formula, statements_of
from docpipe.agents.terms import words

_STATEMENTS = {
    "balance": "consolidated balance sheets total assets total liabilities equity",
    "income": "consolidated statements of income net income operating income revenue",
    "cash": "consolidated statements of cash flows operating activities depreciation",
    "debt": "debt notes outstanding long-term debt current portion maturities",
}
_CLAUSE = re.compile(
    r"\b(?P<thing>\w+) (?:whose|with an?) "
    r"(?P<clause>[^?;]{20,}?)(?=[?;]|$|, (?:what|which|how|who|when|where)\b)",
    re.I,
)
_MANY = re.compile(
    r"\b(?:all|each|every|total number|in total|enumerate|which pages|how many pages|sections?"
    r"|throughout|entire|whole|(?:this|the) (?:report|document|paper|presentation|slides|deck))\b",
    re.I,
)
# How far evidence is spread, by what is asked: the most pages, and the least share of the best
# page's score. Found on half of MMLongBench-Doc's development documents.
_SPREAD: dict[str, tuple[int, float]] = {
    "many": (10, 0.4),
    "count": (5, 0.65),
    "list": (3, 0.5),
    "page": (2, 0.7),
}
_OF_OTHERS = (4, 0.7)
_LISTING = ("count", "list")


class Lead(msgspec.Struct, frozen=True):
    """A query and which of the pages it finds are read: at most `pages`, of scores at least `share`
    of the best one's; with `fresh`, pages that no lead before has taken. `after` takes the
    page after the first, too: always, or where a list, table or sentence is continued there."""

    query: str
    pages: int = 1
    share: float = 0.0
    fresh: bool = False
    after: Literal["", "continued", "next"] = ""


def leads(asked: Question, question: str) -> list[Lead]:
    """The leads of a question, the surest first."""
    formula = asked_formula(question)
    if formula:
        names = statements_of(formula)
        found = [Lead(_STATEMENTS[name]) for name in names if name != "debt"]
        if "debt" in names:  # a note runs over several pages
            found.append(Lead(_STATEMENTS["debt"], fresh=True, after="next"))
        return [*found, Lead(question)]
    clause = described(asked)
    if clause:
        return [Lead(clause), Lead(question, 3)]
    pages, share = spread(asked)
    return [Lead(question, pages, share, after="continued" if asked.kind in _LISTING else "")]


def spread(asked: Question) -> tuple[int, float]:
    """The most pages a question as it stands may take, and the least share of the best score."""
    kind: str = "page" if asked.pages else asked.kind
    if kind in _LISTING and _MANY.search(asked.text):
        kind = "many"
    return _SPREAD.get(kind, _OF_OTHERS)


def described(asked: Question) -> str:
    """The clause by which a question describes what it does not name ("the platform *whose tools
    include Analytics*"), with the thing it is of; "" where it has none."""
    match = _CLAUSE.search(asked.text)
    return f"{match['thing']} {match['clause'].strip(' ,')}" if match else ""


def named(asked: Question, title: str) -> str:
    """The question with what a page's title names in the place of the clause that describes it;
    the title's words that the clause says name nothing new."""
    match = _CLAUSE.search(asked.text)
    if match is None:
        return asked.text
    said = set(words(match["clause"]))
    name = " ".join(word for word in title.split() if not said & set(words(word)))
    return f"{asked.text[: match.start()]}{name}{asked.text[match.end() :]}"
