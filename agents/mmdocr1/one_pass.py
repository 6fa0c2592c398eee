"""The plainest policy: search once, read the best pages, finish."""

from __future__ import annotations

from docpipe.agents.mmdocr1.leads import (
    first_pages,
    interleaved,
    named_pages,
    queries_for,
    requests,
    trusted_documents,
)
from docpipe.agents.mmdocr1.state import Decision, State
from docpipe.agents.tools import PageKey
from docpipe.records import Finish, Read, Search


class OnePassPolicy:
    """Reads the best pages of one search: at most `pages`, those whose score is at least `share`
    of the best one's. A `plain` one searches for the question as it stands and nothing else."""

    def __init__(self, *, pages: int = 8, share: float = 0.0, plain: bool = False) -> None:
        self.pages = pages
        self.share = share
        self.plain = plain

    def decide(self, state: State) -> Decision:
        if not state.searches:
            queries = (state.question,) if self.plain else queries_for(state.asked, state.question)
            return Decision(Search(queries))
        unread = [key for key in self._chosen(state) if key not in state.read]
        if unread and state.pages_left:
            batch = unread[: state.budget.pages_at_once]
            return Decision(Read(requests(batch, state.question)))
        return Decision(Finish("the pages of one search are read"))

    def _chosen(self, state: State) -> list[PageKey]:
        good = [
            [page for page in search.pages if page.score >= self.share * search.pages[0].score]
            for search in state.searches
        ]
        found = [page.key for page in interleaved(good, trusted_documents(state))]
        named = [] if self.plain else named_pages(state)
        chosen = list(dict.fromkeys([*named, *found])) or first_pages(state, self.pages)
        return chosen[: self.pages]
