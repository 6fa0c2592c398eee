"""The plainest agent: search once, read the best pages, answer.

It has the moves of an iterative agent (Search, Read, Finish) and leaves the same trace, so that one
can take its place.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence

import msgspec

from docpipe.agents.extractive import ExtractiveReader
from docpipe.agents.question import analyse
from docpipe.agents.terms import WEAK, content_words
from docpipe.agents.verifier import verify
from docpipe.content import find_block
from docpipe.records import (
    Answer,
    Document,
    Finish,
    Hit,
    PageRequest,
    Read,
    Reading,
    Search,
    Step,
    Trajectory,
)
from docpipe.stages import LibraryView, PageContent, PageReader

NOTHING_FOUND = "Not answerable: no page of the documents has to do with the question."

_TRUSTED = 5
PageKey = tuple[str, int]


class SinglePassAgent:
    """Answers a question from the `pages` best pages among the `hits` best chunks.

    To ask only some documents, pass a `Scope` of the library. Every quote is verified before the
    answer is given.
    """

    def __init__(self, reader: PageReader | None = None, *, pages: int = 8, hits: int = 40) -> None:
        self.reader = reader or ExtractiveReader()
        self.pages = pages
        self.hits = hits

    def run(self, question: str, library: LibraryView) -> Trajectory:
        id = hashlib.sha256(question.encode()).hexdigest()[:16]
        queries = _queries(question)
        found = _merged([library.search(query, self.hits) for query in queries])
        chosen = self._choose(question, found, library)
        steps = [Step(Search(queries), _describe_search(found, chosen))]
        reading = Reading((), "", answer=_refusal(NOTHING_FOUND))
        if chosen:
            reading = self.reader.read(_contents(chosen, library), question, question)
            steps.append(Step(Read(_requests(chosen, question)), reading.summary))
        answer = msgspec.structs.replace(
            verify(reading.answer or _compose(reading), library.document), trajectory=id
        )
        if chosen:
            steps[-1] = msgspec.structs.replace(steps[-1], evidence=answer.evidence)
        steps.append(Step(Finish(_why(answer)), ""))
        return Trajectory(id, question, tuple(steps), answer)

    def _choose(self, question: str, hits: Sequence[Hit], library: LibraryView) -> list[PageKey]:
        """The pages to read, best first: those the question names, the cover for an address or
        number, then those of the best hits."""
        found = [key for hit in hits for key in _pages_of(hit, library)]
        asked = analyse(question)
        named = _named_pages(asked.pages, found, library)
        if asked.kind == "contact" and found:
            named.append((found[0][0], 1))
        return list(dict.fromkeys([*named, *found]))[: self.pages] or self._first(library)

    def _first(self, library: LibraryView) -> list[PageKey]:
        """The first pages of an only document, where nothing was found: cover, title, contacts."""
        ids = list(itertools.islice(library.documents(), 2))
        if len(ids) != 1:
            return []
        pages = library.document(ids[0]).pages[: self.pages]
        return [(ids[0], page.number) for page in pages]


def _queries(question: str) -> tuple[str, ...]:
    """The question, and what it asks about without names and verbs that say little.

    The name of what a document is about stands on most of its pages, and so tells none of them.
    """
    asked = analyse(question)
    rest = asked.text
    for name in asked.names:
        if " " in name or not any(char.isdigit() for char in name):
            rest = rest.replace(name, " ")
    kept = " ".join(word for word in rest.split() if set(content_words(word)) - WEAK)
    return (question, kept) if kept and rest != asked.text else (question,)


def _merged(found: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The hits of several queries, the best of each first; the first query's documents only."""
    documents = {hit.chunk.document for hit in found[0][:_TRUSTED]}
    kept = [
        hits if not at else [h for h in hits if h.chunk.document in documents]
        for at, hits in enumerate(found)
    ]
    mixed = (hit for hits in itertools.zip_longest(*kept) for hit in hits if hit is not None)
    return list({hit.chunk.id: hit for hit in reversed(list(mixed))}.values())[::-1]


def _pages_of(hit: Hit, library: LibraryView) -> list[PageKey]:
    """The pages that hold the hit's text, where it starts first."""
    document = library.document(hit.chunk.document)
    numbers: list[PageKey] = []
    for span in hit.chunk.spans:
        block = find_block(document, span.block)
        numbers += [(document.id, region.page) for region in block.source.regions] if block else []
    return list(dict.fromkeys(numbers))


def _named_pages(
    names: Sequence[str], found: Sequence[PageKey], library: LibraryView
) -> list[PageKey]:
    """Pages given by number or printed label ("page iv"), in the document that fits best."""
    ids = [found[0][0]] if found else list(library.documents())[:1]
    if not names or not ids:
        return []
    document = library.document(ids[0])
    return [
        (document.id, page.number)
        for name in names
        for page in document.pages
        if name in (str(page.number), page.label.casefold())
    ]


def _contents(keys: Sequence[PageKey], library: LibraryView) -> list[PageContent]:
    documents: dict[str, Document] = {id: library.document(id) for id, _ in keys}
    return [PageContent(documents[id], documents[id].pages[number - 1]) for id, number in keys]


def _requests(keys: Sequence[PageKey], question: str) -> tuple[PageRequest, ...]:
    by_document: dict[str, list[int]] = {}
    for id, number in keys:
        by_document.setdefault(id, []).append(number)
    return tuple(PageRequest(id, tuple(pages), question) for id, pages in by_document.items())


def _compose(reading: Reading) -> Answer:
    """The answer of a reader that only gathers: its summary, as far as it is evidenced."""
    confidence = max((item.score for item in reading.evidence), default=0.0)
    if not reading.evidence:
        return _refusal(NOTHING_FOUND)
    confidence = min(max(confidence, 0.0), 1.0)
    return Answer(reading.summary, None, "none", True, reading.evidence, confidence)


def _refusal(text: str) -> Answer:
    return Answer(text, None, "none", False, (), 0.0)


def _describe_search(hits: Sequence[Hit], chosen: Sequence[PageKey]) -> str:
    best = "; ".join(f"{hit.chunk.id} ({hit.score:.2f})" for hit in hits[:10])
    pages = ", ".join(f"{document} p. {page}" for document, page in chosen)
    return f"{len(hits)} chunks: {best}\nread: {pages}" if hits else "nothing found"


def _why(answer: Answer) -> str:
    if answer.answerable:
        return f"answered with confidence {answer.confidence:.2f}"
    return f"refused: {answer.text}"
