"""The policy without a language model: searches for each lead of a question, reads the best pages
of each, goes on from what they say, and stops when every lead is followed."""

from __future__ import annotations

from collections.abc import Iterator

from docpipe.agents.mmdocr1.leads import first_pages, named_pages, requests
from docpipe.agents.mmdocr1.one_pass import OnePassPolicy
from docpipe.agents.mmdocr1.parts import contents_pages, goes_on, part_pages, title_of
from docpipe.agents.mmdocr1.plan import Lead, described, leads, named, spread
from docpipe.agents.mmdocr1.state import Decision, State
from docpipe.agents.tools import PageKey
from docpipe.records import Finish, Read, Search

_AT_ONCE = 3
_UNNAMED = 3  # pages that are read for a question of something that is not mentioned


class OfflinePolicy:
    """Follows the leads of `plan` through one document. Over several, where scores tell less of
    which page is meant, it reads the best pages of one search."""

    def __init__(self) -> None:
        self._of_several = OnePassPolicy()

    def decide(self, state: State) -> Decision:
        if len(state.documents) > 1:
            return self._of_several.decide(state)
        plan = [*leads(state.asked, state.question), *self._learnt(state)]
        new = [lead.query for lead in plan if lead.query not in state.queries]
        if new:
            return Decision(Search(tuple(new)))
        wanted = self._wanted(state, plan) or first_pages(state, _AT_ONCE)
        unread = [key for key in wanted if key not in state.read]
        if unread and state.pages_left:
            batch = unread[: state.budget.pages_at_once]
            return Decision(Read(requests(batch, state.question)))
        return Decision(Finish("every lead is followed"))

    def _learnt(self, state: State) -> Iterator[Lead]:
        """What a page read for a clause names: its title takes the clause's place."""
        clause = described(state.asked)
        found = next((s.pages for s in state.searches if s.query == clause), ())
        if found and found[0].key in state.read:
            title = title_of(state.read[found[0].key].page)
            if title:
                yield Lead(named(state.asked, title), *spread(state.asked))

    def _wanted(self, state: State, plan: list[Lead]) -> list[PageKey]:
        """All pages to read, as far as is known, in order."""
        counted = part_pages(state)
        taken: dict[PageKey, None] = dict.fromkeys(
            [*([] if counted else named_pages(state)), *counted, *contents_pages(state)]
        )
        for lead in plan:
            pages = 1 if counted else lead.pages
            keys = list(self._of_lead(state, lead, taken))[:pages]
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

    def _of_lead(self, state: State, lead: Lead, taken: dict[PageKey, None]) -> Iterator[PageKey]:
        found = next((search.pages for search in state.searches if search.query == lead.query), ())
        for page in found:
            if page.score >= lead.share * found[0].score and not (lead.fresh and page.key in taken):
                yield page.key
