"""The policy without a language model: searches for each lead of a question, reads the best pages
of each, goes on from what they say, and stops when every lead is followed.

Over several documents it first finds the likely ones, then follows the leads through one after the
other, fewer pages in each, until what it read answers the question; where nothing does, it reads
the best pages of the first search, whichever document they are of.
"""

from __future__ import annotations

from collections.abc import Iterator

from docpipe.agents.mmdocr1.leads import (
    first_pages,
    home,
    likely,
    named_pages,
    queries_for,
    requests,
)
from docpipe.agents.mmdocr1.one_pass import OnePassPolicy
from docpipe.agents.mmdocr1.parts import contents_pages, goes_on, part_pages, title_of
from docpipe.agents.mmdocr1.plan import Lead, described, leads, named, spread
from docpipe.agents.mmdocr1.state import Decision, State
from docpipe.agents.tools import Found, PageKey
from docpipe.records import Finish, Read, Search

_AT_ONCE = 3
_UNNAMED = 3  # pages that are read for a question of something that is not mentioned
_OF_OTHERS = 2  # pages that are read of each likely document but the first
_ENOUGH = 0.5  # confidence of the reader with which no other document is looked at


class OfflinePolicy:
    """Follows the leads of `plan` through one document, or through the likely ones of several."""

    def __init__(self) -> None:
        self._of_all = OnePassPolicy()

    def decide(self, state: State) -> Decision:
        if len(state.documents) == 1:
            decision = self._within(state, state.documents[0])
            return decision or Decision(Finish("every lead is followed"))
        if not state.searches:
            return Decision(Search(queries_for(state.asked, state.question)))
        for document in likely(state):
            if decision := self._within(state, document):
                return decision
            if self._is_answered(state):
                return Decision(Finish("what was read answers the question"))
        return self._of_all.decide(state)

    def _within(self, state: State, document: str) -> Decision | None:
        """The next search or reading in a document; None when every lead is followed there."""
        plan = [*leads(state.asked, state.question), *self._learnt(state, document)]
        new = [lead.query for lead in plan if not _searches(state, document, lead.query)]
        if new:
            within = () if len(state.documents) == 1 else (document,)
            return Decision(Search(tuple(new), within))
        wanted = self._wanted(state, document, plan) or first_pages(state, _AT_ONCE)
        unread = [key for key in wanted if key not in state.read]
        if unread and state.pages_left:
            batch = unread[: state.budget.pages_at_once]
            return Decision(Read(requests(batch, state.question)))
        return None

    def _learnt(self, state: State, document: str) -> Iterator[Lead]:
        """What a page read for a clause names: its title takes the clause's place."""
        searches = _searches(state, document, described(state.asked))
        found = searches[0].pages if searches else ()
        if found and found[0].key in state.read:
            title = title_of(state.read[found[0].key].page)
            if title:
                yield Lead(named(state.asked, title), *spread(state.asked))

    def _wanted(self, state: State, document: str, plan: list[Lead]) -> list[PageKey]:
        """All pages of a document to read, as far as is known, in order."""
        taken: dict[PageKey, None] = {}
        if document == home(state):
            counted = part_pages(state)
            known = [] if counted else named_pages(state)
            taken = dict.fromkeys([*known, *counted, *contents_pages(state)])
            most = 1 if counted else None
        else:
            most = _OF_OTHERS
        for lead in plan:
            keys = list(self._of_lead(state, document, lead, taken))
            keys = keys[: lead.pages if most is None else min(most, lead.pages)]
            if lead.after:
                keys += goes_on(state, keys[:1], always=lead.after == "next")
            taken |= dict.fromkeys(keys)
        wanted = list(taken)
        return wanted[:_UNNAMED] if self._is_unnamed(state) else wanted

    @staticmethod
    def _is_unnamed(state: State) -> bool:
        """Whether what was read says that the documents lack a name of the question."""
        answers = [reading.answer for reading in state.readings if reading.answer]
        return bool(answers) and answers[-1].reason == "not_mentioned"

    @staticmethod
    def _is_answered(state: State) -> bool:
        answers = [reading.answer for reading in state.readings if reading.answer]
        return any(answer.answerable and answer.confidence >= _ENOUGH for answer in answers)

    @staticmethod
    def _of_lead(
        state: State, document: str, lead: Lead, taken: dict[PageKey, None]
    ) -> Iterator[PageKey]:
        searches = _searches(state, document, lead.query)
        found = searches[0].pages if searches else ()
        for page in found:
            if page.score >= lead.share * found[0].score and not (lead.fresh and page.key in taken):
                yield page.key


def _searches(state: State, document: str, query: str) -> list[Found]:
    """The searches for a query in a document alone."""
    within = () if len(state.documents) == 1 else (document,)
    return [s for s in state.searches if s.query == query and s.documents == within]
