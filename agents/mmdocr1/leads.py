"""Where to look first: what a question is searched for, and the pages that it names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docpipe.agents.mmdocr1.state import State
from docpipe.agents.question import Question
from docpipe.agents.terms import WEAK, content_words
from docpipe.agents.tools import PageFound, PageKey
from docpipe.records import PageRequest

_TRUSTED = 5
_ALMOST = 0.8
_MOST_LIKELY = 3


def queries_for(asked: Question, question: str) -> tuple[str, ...]:
    """The question, and what it asks about without names and verbs that say little.

    The name of what a document is about stands on most of its pages, and so tells none of them.
    """
    rest = asked.text
    for name in asked.names:
        if " " in name or not any(char.isdigit() for char in name):
            rest = rest.replace(name, " ")
    kept = " ".join(word for word in rest.split() if set(content_words(word)) - WEAK)
    return (question, kept) if kept and rest != asked.text else (question,)


def home(state: State) -> str | None:
    """The document that a question is most likely about."""
    return next(iter(likely(state)), None)


def likely(state: State) -> list[str]:
    """The documents that a question may be about, the likeliest first: of several those whose best
    page is almost as good as the best of all."""
    if len(state.documents) == 1:
        return state.documents
    found = next((search.pages for search in state.searches if search.pages), ())
    best: dict[str, float] = {}
    for page in found:
        best.setdefault(page.document, page.score)
    good = [id for id, score in best.items() if score >= _ALMOST * found[0].score]
    return good[:_MOST_LIKELY]


def trusted_documents(state: State) -> set[str]:
    """The documents of the pages that the question itself finds first."""
    first = state.searches[0].pages[:_TRUSTED] if state.searches else ()
    return {page.document for page in first}


def named_pages(state: State) -> list[PageKey]:
    """Pages given by number or printed label ("page iv"), in the document that fits best, and those
    beside; the cover for an address, a number or a person."""
    document = home(state)
    if document is None:
        return []
    found = [
        (document, page.number)
        for name in state.asked.pages
        for page in state.tools.library.document(document).pages
        if name in (str(page.number), page.label.casefold())
    ]
    found += [(document, page) for page in _beside(found, state, document)]
    if state.asked.kind in ("contact", "person"):
        found.append((document, state.tools.library.document(document).pages[0].number))
    return list(dict.fromkeys(found))


def _beside(found: list[PageKey], state: State, document: str) -> list[int]:
    """The pages before and after an only named one: people count with the cover or without."""
    if len(found) != 1:
        return []
    number, count = found[0][1], len(state.tools.library.document(document).pages)
    return [page for page in (number + 1, number - 1) if 1 <= page <= count]


def first_pages(state: State, count: int) -> list[PageKey]:
    """The first pages of an only document, where nothing was found: cover, title, contacts."""
    if len(state.documents) != 1:
        return []
    document = state.tools.library.document(state.documents[0])
    return [(document.id, page.number) for page in document.pages[:count]]


def interleaved(searches: Sequence[Sequence[PageFound]], trusted: set[str]) -> list[PageFound]:
    """The pages of several searches, the best of each first, each once; of the later ones those in
    trusted documents."""
    depth = max(map(len, searches), default=0)
    mixed = [
        pages[at]
        for at in range(depth)
        for number, pages in enumerate(searches)
        if at < len(pages) and (not number or pages[at].document in trusted)
    ]
    return list({page.key: page for page in reversed(mixed)}.values())[::-1]


def requests(keys: Iterable[PageKey], question: str) -> tuple[PageRequest, ...]:
    """The pages as requests, one for each document."""
    by_document: dict[str, list[int]] = {}
    for document, page in keys:
        by_document.setdefault(document, []).append(page)
    return tuple(PageRequest(id, tuple(pages), question) for id, pages in by_document.items())
