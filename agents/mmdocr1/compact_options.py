"""What the compact policy chooses among: queries to search for, pages to read, or enough.

A turn is made of picks, one after another, of one kind: queries for a search, or pages to read.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from docpipe.agents.mmdocr1.leads import first_pages, home, named_pages, queries_for, requests
from docpipe.agents.mmdocr1.parts import contents_pages, goes_on, part_pages, title_of
from docpipe.agents.mmdocr1.plan import leads
from docpipe.agents.mmdocr1.state import Decision, State
from docpipe.agents.terms import content_words
from docpipe.agents.tools import PageKey
from docpipe.content import find_page
from docpipe.records import Finish, Read, Search

Source = Literal["lead", "kept", "name", "focus", "title", "part"]
Reason = Literal["named", "part", "contents", "goes_on", "beside", "first"]

_MOST_QUERIES = 8
_MOST_PAGES = 24
_MOST_NAMES = 3
_MOST_PARTS = 2
_TITLES = 2
_FIRST = 3
_SHARED = 2  # words of the question that a heading or caption has to say to be searched for


class Query(NamedTuple):
    """A query that has not been searched for, and where it comes from."""

    text: str
    source: Source


class Candidate(NamedTuple):
    """A page that has not been read; `reasons` are why it is one beside having been found."""

    key: PageKey
    reasons: frozenset[Reason]


class Enough(NamedTuple):
    """Nothing more: after picks it ends the turn, without any the run."""


Option = Query | Candidate | Enough


def options(state: State) -> list[Option]:
    """All that a turn may choose among."""
    queries = list(_queries(state))[:_MOST_QUERIES]
    pages = _candidates(state) if state.searches and state.pages_left else []
    return [*queries, *pages, Enough()]


def follow(picks: Sequence[Option], offered: Sequence[Option], state: State) -> list[int]:
    """What may be picked after some picks of one turn, as indices: after queries more queries,
    after pages more pages up to those of a turn, and enough; at first anything but enough before
    there was a search."""
    if not picks:
        must = not state.searches and len(offered) > 1
        return [at for at, option in enumerate(offered) if not (must and option == Enough())]
    kind = type(picks[0])
    if kind is Enough or len(picks) == _most(picks[0], state):
        return []
    left = [at for at, option in enumerate(offered) if isinstance(option, (kind, Enough))]
    return [at for at in left if offered[at] not in picks]


def decision_of(picks: Sequence[Option], state: State) -> Decision:
    """The decision that picks of one turn make."""
    queries = tuple(pick.text for pick in picks if isinstance(pick, Query))
    keys = [pick.key for pick in picks if isinstance(pick, Candidate)]
    if queries:
        return Decision(Search(queries))
    if keys:
        return Decision(Read(requests(keys, state.question)))
    return Decision(Finish("enough is read"))


def picks_of(decision: Decision, offered: Sequence[Option], state: State) -> list[Option] | None:
    """The picks that make a decision, or None where something is not offered."""
    match decision.action:
        case Search(queries=texts):
            known: dict[object, Option] = {o.text: o for o in offered if isinstance(o, Query)}
            wanted: list[object] = list(texts)
        case Read(requests=asked):
            known = {o.key: o for o in offered if isinstance(o, Candidate)}
            wanted = [(request.document, page) for request in asked for page in request.pages]
        case Finish():
            return [Enough()] if state.searches else None
        case _:
            return None
    if not wanted or any(item not in known for item in wanted):
        return None
    picks = [known[item] for item in wanted]
    most = _most(picks[0], state)
    return [*picks, Enough()] if len(picks) < most else picks[:most]


def _most(first: Option, state: State) -> int:
    """How many of a kind a turn takes."""
    if isinstance(first, Query):
        return _MOST_QUERIES
    return min(state.budget.pages_at_once, state.pages_left)


def _queries(state: State) -> Iterator[Query]:
    seen = set(state.queries)
    for query in _all_queries(state):
        text = " ".join(query.text.split())
        if text not in seen and content_words(text):
            seen.add(text)
            yield Query(text, query.source)


def _all_queries(state: State) -> Iterator[Query]:
    asked = state.asked
    yield from (Query(lead.query, "lead") for lead in leads(asked, state.question))
    *_, kept = queries_for(asked, state.question)
    yield Query(kept, "kept")
    yield from (Query(name, "name") for name in asked.names[:_MOST_NAMES])
    focus = [word for word in asked.text.split() if set(content_words(word)) & set(asked.focus)]
    yield Query(" ".join((*focus, *asked.names[:1])), "focus")
    for content in list(state.read.values())[-_TITLES:]:
        if title := title_of(content.page):
            yield Query(f"{kept} {title}", "title")
    yield from (Query(text, "part") for text in _parts(state))


def _parts(state: State) -> list[str]:
    """The headings and captions that say most of the question's words."""
    document = home(state)
    if document is None:
        return []
    terms = set(state.asked.terms)
    shared = {
        part.text: len(terms & _words_of(part.text)) for part in state.tools.outline(document)
    }
    best = sorted(shared, key=lambda text: -shared[text])[:_MOST_PARTS]
    return [re.sub(r"\s+", " ", text) for text in best if shared[text] >= _SHARED]


@functools.lru_cache(maxsize=1 << 14)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(content_words(text))


def _candidates(state: State) -> list[Candidate]:
    reasons: dict[PageKey, set[Reason]] = {}

    def add(keys: Iterable[PageKey], reason: Reason) -> None:
        for key in keys:
            if key not in state.read:
                reasons.setdefault(key, set()).add(reason)

    add(named_pages(state), "named")
    add(part_pages(state), "part")
    add(contents_pages(state), "contents")
    best = [search.pages[0].key for search in state.searches if search.pages]
    start = list(dict.fromkeys([*state.read, *best]))
    add(goes_on(state, start), "goes_on")
    add(_beside(state, start), "beside")
    found = [page.key for page in state.unread()]
    if not found and not state.read:
        add(first_pages(state, _FIRST), "first")
    order = list(dict.fromkeys([*found, *reasons]))[:_MOST_PAGES]
    return [Candidate(key, frozenset(reasons.get(key, ()))) for key in order]


def _beside(state: State, keys: Sequence[PageKey]) -> Iterator[PageKey]:
    for document, number in keys:
        whole = state.tools.library.document(document)
        for page in (number + 1, number - 1):
            if find_page(whole, page):
                yield document, page
