"""Numbers that the compact policy decides by: of each option, and of the run so far.

Search scores tell more by their share of the best one's than by themselves; what a page says is
told by the question's words on it, weighted by rarity; and what the hand-written policy would do is
told, too, so that the model learns when to do otherwise.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from docpipe.agents.mmdocr1.compact_facts import DocumentFacts, Memory, PageFacts, covered
from docpipe.agents.mmdocr1.compact_options import (
    Candidate,
    Enough,
    Option,
    Query,
    Reason,
    Source,
    options,
    picks_of,
)
from docpipe.agents.mmdocr1.leads import home
from docpipe.agents.mmdocr1.offline import OfflinePolicy
from docpipe.agents.mmdocr1.plan import described, spread
from docpipe.agents.mmdocr1.state import State
from docpipe.agents.question import Element, Kind
from docpipe.agents.statements import asked_formula
from docpipe.agents.terms import content_words, words
from docpipe.agents.tools import PageFound, PageKey
from docpipe.records import Read, Search

Matrix = npt.NDArray[np.float32]

SOURCES: tuple[Source, ...] = get_args(Source)
REASONS: tuple[Reason, ...] = get_args(Reason)
KINDS: tuple[Kind, ...] = get_args(Kind)
ELEMENTS: tuple[Element, ...] = get_args(Element)

ENOUGH = 0  # the column of `features` that is 1 for the end
_OF_ALL = 3
_OF_QUERY = 3 + len(SOURCES)
_OF_PAGE = 17 + len(REASONS)
_CHANGING = 5
OPTION_FEATURES = _OF_ALL + _OF_QUERY + _OF_PAGE + _CHANGING
RUN_FEATURES = 19 + len(KINDS) + len(ELEMENTS)


class Situation(NamedTuple):
    """What is known before a pick of O options: `features` [O, OPTION_FEATURES], `run`
    [RUN_FEATURES], `vectors` [O, D] of what pages are about (zeros for others), `question` [D]."""

    features: Matrix
    run: Matrix
    vectors: Matrix
    question: Matrix


class Scene:
    """A state taken apart once; `situation` tells of it after some picks of the turn."""

    def __init__(self, state: State, memory: Memory) -> None:
        self.state = state
        self.offered = options(state)
        self._memory = memory
        self._facts = _facts_of(state, memory)
        self._scores = {
            at: {page.key: page for page in found.pages} for at, found in enumerate(state.searches)
        }
        advice = OfflinePolicy().decide(state)
        self._advice = advice.action
        self._advised = picks_of(advice, self.offered, state) or []
        texts = [self._digest(option) for option in self.offered]
        rows = memory.vectors([state.question, *texts])
        self._question, self._vectors = rows[0], rows[1:]
        self._cosines = self._vectors @ self._question
        self._options = [self._row(option, at) for at, option in enumerate(self.offered)]

    def situation(self, picks: Sequence[Option]) -> Situation:
        """Features once `picks` are taken as done."""
        done = {pick.key for pick in picks if isinstance(pick, Candidate)}
        said = self._said(done)
        rows = [
            [*row, *self._changing(option, picks, said)]
            for row, option in zip(self._options, self.offered, strict=True)
        ]
        return Situation(
            np.array(rows, np.float32),
            np.array(self._run(done, said), np.float32),
            self._vectors,
            self._question,
        )

    def _row(self, option: Option, at: int) -> list[float]:
        query, page = [0.0] * _OF_QUERY, [0.0] * _OF_PAGE
        if isinstance(option, Query):
            query = self._of_query(option)
        elif isinstance(option, Candidate):
            page = self._of_page(option, float(self._cosines[at]))
        enough = float(isinstance(option, Enough))
        advised = 1.0 / (1 + self._advised.index(option)) if option in self._advised else 0.0
        return [enough, advised, float(advised > 0), *query, *page]

    def _of_query(self, query: Query) -> list[float]:
        terms = set(self.state.asked.terms)
        said = set(content_words(query.text))
        return [
            1.0,
            len(terms & said) / max(1, len(terms)),
            math.log1p(len(said)) / 3,
            *_one_hot(query.source, SOURCES),
        ]

    def _of_page(self, option: Candidate, cosine: float) -> list[float]:
        state, asked = self.state, self.state.asked
        facts, page = self._page(option.key)
        shares, ranks = self._found(option.key)
        first, others = (shares[:1] or [0.0])[0], shares[1:]
        names = [name for name in asked.names if set(words(name)) <= page.words]
        return [
            1.0,
            first,
            (ranks[:1] or [0.0])[0],
            max(others, default=0.0),
            max(ranks[1:], default=0.0),
            sum(share > 0 for share in shares) / max(1, len(shares)),
            self._over_next(option.key),
            covered(asked, facts, page.words),
            covered(asked, facts, page.heads),
            len(names) / max(1, len(asked.names)),
            _pairs(state, page),
            cosine,
            float(np.mean(self._cosines <= cosine)),
            math.log1p(page.length) / 7,
            min(page.tables, 3) / 3,
            min(page.figures, 5) / 5,
            page.digits,
            *(float(reason in option.reasons) for reason in REASONS),
        ]

    def _changing(
        self, option: Option, picks: Sequence[Option], said: frozenset[str]
    ) -> list[float]:
        """What picks change of an option: the picks so far, and of a page the words it adds."""
        count = len(picks) / 3
        if not isinstance(option, Candidate):
            return [count, 0.0, 0.0, 0.0, 0.0]
        facts, page = self._page(option.key)
        number = option.key[1]
        adds = covered(self.state.asked, facts, said | page.words)
        taken = {n for id, n in self._done(picks) if id == option.key[0]}
        return [
            count,
            adds - covered(self.state.asked, facts, said),
            float(number - 1 in taken),
            float(number + 1 in taken),
            number / max(1, len(facts.pages)),
        ]

    def _run(self, done: set[PageKey], said: frozenset[str]) -> list[float]:
        state, asked = self.state, self.state.asked
        read = len(state.read) + len(done)
        left = [page for page in state.unread() if page.key not in done]
        shares = sorted((max(self._found(page.key)[0]) for page in left), reverse=True)
        most, share = spread(asked)
        return [
            read / 12,
            float(read == 0),
            max(0, state.pages_left - len(done)) / 12,
            len(state.searches) / 5,
            len(state.steps) / 12,
            *[*shares, 0.0, 0.0, 0.0][:3],
            covered(asked, self._facts, said) if self._facts else 0.0,
            most / 10,
            share,
            max(0, most - read) / 10,
            float(isinstance(self._advice, Search)),
            len(self._advised) / 3 if isinstance(self._advice, Read) else 0.0,
            float(bool(asked_formula(state.question))),
            float(bool(described(asked))),
            self._unknown_names(),
            math.log1p(len(self._facts.pages)) / 5 if self._facts else 0.0,
            float(asked.visual) + 2 * float(asked.derived),
            *_one_hot(asked.kind, KINDS),
            *_one_hot(asked.element or "", ELEMENTS),
        ]

    def _done(self, picks: Sequence[Option]) -> set[PageKey]:
        return {*self.state.read, *(pick.key for pick in picks if isinstance(pick, Candidate))}

    def _said(self, done: set[PageKey]) -> frozenset[str]:
        pages = [self._page(key)[1].words for key in {*self.state.read, *done}]
        return frozenset().union(*pages)

    def _found(self, key: PageKey) -> tuple[list[float], list[float]]:
        """Of each search the page's share of the best score, and 1 / its rank; 0 where it is not
        found."""
        shares, ranks = [], []
        for at, found in enumerate(self.state.searches):
            page = self._scores[at].get(key)
            best = found.pages[0].score if found.pages else 0.0
            shares.append(page.score / best if page and best > 0 else 0.0)
            ranks.append(1 / (1 + found.pages.index(page)) if page else 0.0)
        return shares or [0.0], ranks or [0.0]

    def _over_next(self, key: PageKey) -> float:
        """How far the page's score in the first search is over that of the next page, 0-1."""
        pages: Sequence[PageFound] = self.state.searches[0].pages if self.state.searches else ()
        at = next((at for at, page in enumerate(pages) if page.key == key), None)
        if at is None or at + 1 >= len(pages) or pages[0].score <= 0:
            return 0.0
        return (pages[at].score - pages[at + 1].score) / pages[0].score

    def _unknown_names(self) -> float:
        names = self.state.asked.names
        if not names or self._facts is None:
            return 0.0
        return sum(not self._facts.knows(name) for name in names) / len(names)

    def _page(self, key: PageKey) -> tuple[DocumentFacts, PageFacts]:
        facts = self._memory.document(self.state.tools.library.document(key[0]))
        return facts, facts.pages[key[1]]

    def _digest(self, option: Option) -> str:
        return self._page(option.key)[1].digest if isinstance(option, Candidate) else ""


def _facts_of(state: State, memory: Memory) -> DocumentFacts | None:
    document = home(state)
    return memory.document(state.tools.library.document(document)) if document else None


def _pairs(state: State, page: PageFacts) -> float:
    """The share of the words side by side in the question that stand so on the page."""
    asked = words(state.asked.text)
    terms = set(state.asked.terms)
    pairs = {(a, b) for a, b in itertools.pairwise(asked) if a in terms and b in terms}
    return len(pairs & page.pairs) / max(1, len(pairs))


def _one_hot(value: str, known: Sequence[str]) -> list[float]:
    return [float(value == name) for name in known]
