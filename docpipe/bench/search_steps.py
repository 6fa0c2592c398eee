"""What each step of the search brings: it is left out, or one that docpipe does not take is added.

Steps that act on the text are left out of an index made anew for the purpose, those of the query by
putting a function that does nothing in their place. Scores of two searches are joined as shares of
their best one.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from docpipe.content import block_text, body_blocks
from docpipe.library import Library
from docpipe.records import Document, Figure, Page, Table, TextBlock
from docpipe.retrieval import words
from docpipe.retrieval.index import Index, update
from docpipe.retrieval.ranking import DEFAULT_WEIGHTS, Weights

ALL = 100_000

# Question and document to the score of each page found.
Scores = dict[int, float]
Search = Callable[[str, str], Scores]

_FIELDS = 0.2  # share of the best page's score that the best field adds
_PASSAGE = 0.3
_EXPANDED = 0.1
_FEEDBACK, _TERMS = 2, 15  # pages looked at, terms taken
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")


def changed_searches(library: Library, documents: Iterable[str]) -> Iterator[tuple[str, Search]]:
    """Each search by its name, to be used before the next is asked for: "all" is docpipe's."""
    given = tuple(documents)
    plain = _search(Index.open(library.root / "index"))
    yield "all", plain
    with tempfile.TemporaryDirectory() as folder:
        yield "without OCR", _made_of(map(_without_ocr, map(library.document, given)), folder)
    for name, weights in _without().items():
        yield f"without {name}", _search(Index.open(library.root / "index", weights=weights))
    for name, (place, instead) in _of_the_query().items():
        with _replaced(place, instead):
            yield name, plain
    with tempfile.TemporaryDirectory() as folder:
        fields = _made_of(map(_fields_alone, map(library.document, given)), folder)
        yield "with fields for themselves", _joined(plain, fields, _FIELDS)
    yield "with the densest passage", _by_passage(plain, library)
    yield "with terms of the best pages", _joined(plain, _expanded(plain, library), _EXPANDED)


def _without() -> dict[str, Weights]:
    def left_out(*parts: str) -> Weights:
        return msgspec.structs.replace(DEFAULT_WEIGHTS, **dict.fromkeys(parts, 0.0))

    return {
        "chunks": left_out("chunk"),
        "named places": left_out("place"),
        "statements": left_out("statement"),
        "kinds of blocks": left_out("kind"),
        "any of these fields": left_out("place", "statement", "kind"),
        "neighbours": left_out("neighbour"),
    }


def _of_the_query() -> dict[str, tuple[str, Any]]:
    """Places in `retrieval.words` and what stands there instead."""
    return {
        "without other forms": ("other_forms", lambda word: []),
        "with other forms counted in full": ("FORM_WEIGHT", 1.0),
        "without pairs of words": ("_pairs", lambda single: single[:0]),
        "without the list of faint words": ("FAINT_WORDS", frozenset()),
    }


@contextmanager
def _replaced(name: str, instead: Any) -> Iterator[None]:
    before = getattr(words, name)
    setattr(words, name, instead)
    try:
        yield
    finally:
        setattr(words, name, before)


def _search(index: Index) -> Search:
    def search(question: str, document: str) -> Scores:
        hits = index.search_pages(question, ALL, [document])
        return {hit.page: hit.score for hit in hits}

    return search


def _made_of(documents: Iterable[Document], folder: str) -> Search:
    update(Path(folder), documents)
    return _search(Index.open(Path(folder)))


def _without_ocr(document: Document) -> Document:
    return _with_pages(document, lambda page: () if page.quality.route == "ocr" else page.blocks)


def _fields_alone(document: Document) -> Document:
    """Of each page its headings, captions, table heads and bookmarks."""
    bookmarks = {entry.page: entry.title for entry in document.outline}

    def fields(page: Page) -> tuple[Any, ...]:
        texts = [text for block in body_blocks(page) for text in _field_texts(block)]
        texts += [bookmarks[page.number]] if page.number in bookmarks else []
        blocks = [block for block in page.blocks if block.source.regions][:1]
        return tuple(
            TextBlock(f"p{page.number}/field{at}", block.source, text, "paragraph")
            for block in blocks
            for at, text in enumerate(texts)
        )

    return _with_pages(document, fields)


def _field_texts(block: Any) -> Iterator[str]:
    match block:
        case TextBlock(role="title" | "heading" | "caption", text=text):
            yield text
        case Table(caption=caption, cells=cells):
            yield " ".join([caption or "", *(c.text for c in cells if c.is_header or not c.column)])
        case Figure(caption=str(caption)):
            yield caption


def _with_pages(document: Document, blocks: Callable[[Page], Any]) -> Document:
    pages = tuple(msgspec.structs.replace(page, blocks=blocks(page)) for page in document.pages)
    return msgspec.structs.replace(document, pages=pages)


def _joined(first: Search, second: Search, share: float) -> Search:
    def search(question: str, document: str) -> Scores:
        one, other = _unit(first(question, document)), _unit(second(question, document))
        return {at: one.get(at, 0.0) + share * other.get(at, 0.0) for at in one | other}

    return search


def _unit(scores: Scores) -> Scores:
    best = max(scores.values(), default=1.0)
    return {page: score / best for page, score in scores.items()}


def _by_passage(first: Search, library: Library) -> Search:
    """Reranked by the share of the question's words that three sentences in a row say."""

    def search(question: str, document: str) -> Scores:
        asked = set(_strong(question))
        found = first(question, document)
        pages = library.document(document).pages
        return {
            at: score * (1 + _PASSAGE * _density(asked, _text(pages[at - 1])))
            for at, score in found.items()
        }

    return search


def _density(asked: set[str], text: str) -> float:
    said = [asked & set(words.words(part)) for part in _SENTENCE.split(text)]
    runs = (set().union(*said[at : at + 3]) for at in range(len(said)))
    return max(map(len, runs), default=0) / max(1, len(asked))


def _expanded(first: Search, library: Library) -> Search:
    """A search for the terms that stand most on the best pages."""

    def search(question: str, document: str) -> Scores:
        found = first(question, document)
        best = sorted(found, key=lambda page: -found[page])[:_FEEDBACK]
        pages = library.document(document).pages
        counts = Counter(word for at in best for word in set(_strong(_text(pages[at - 1]))))
        spread = Counter(word for page in pages for word in set(_strong(_text(page))))
        weight = {word: n * np.log(len(pages) / spread[word]) for word, n in counts.items()}
        terms = sorted(weight, key=lambda word: (-weight[word], word))[:_TERMS]
        return first(" ".join(terms), document)

    return search


def _strong(text: str) -> list[str]:
    weak = words.FUNCTION_WORDS | words.FAINT_WORDS
    return [word for word in words.words(text) if word not in weak and len(word) > 1]


def _text(page: Page) -> str:
    return "\n".join(block_text(block) for block in body_blocks(page))
