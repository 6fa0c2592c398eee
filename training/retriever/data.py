"""Questions with the text that answers them and text of the same document that does not.

An embedder embeds chunks, and a page is found by its best one: of a question's gold pages the chunk
that the words of the question find first is taken as the answer, and of the other pages the first
one as its opposite, the hardest to tell apart by words. Documents to measure on are others than
those trained on.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from docpipe.datasets.questions.record import GoldQuestion, read_jsonl
from docpipe.errors import ConfigError
from docpipe.library import Library
from docpipe.retrieval.chunks import chunk_page, chunks_of
from docpipe.stages import LibraryView
from docpipe.training.retriever.settings import DataConfig, Settings
from docpipe.training.retriever.toy import toy_library

_DEPTH = 50  # chunks among which answer and opposite are looked for


class Example(msgspec.Struct, frozen=True):
    """A question, a text that answers it, and one that does not."""

    question: str
    positive: str
    negative: str


class Asked(msgspec.Struct, frozen=True):
    """A question to measure on, its document, and its gold pages there."""

    question: str
    document: str
    pages: frozenset[int]


class Pool(msgspec.Struct, frozen=True):
    """The chunks of a document and the page of each."""

    texts: tuple[str, ...]
    pages: tuple[int, ...]


class Data(msgspec.Struct, frozen=True):
    """What is trained on, and questions of other documents with their pools by document."""

    train: tuple[Example, ...]
    validation: tuple[Asked, ...]
    pools: dict[str, Pool]


def load_data(settings: Settings) -> Data:
    """The pairs that the settings name. Raises ConfigError where nothing is left to train or to
    measure on."""
    library, questions = _source(settings.data, settings.seed)
    known = set(library.documents())
    asked = [q for q in questions if q.answerable and q.pages and _home(q) in known]
    kept = _kept([_home(q) for q in asked], settings.data.validation, settings.seed)
    train = [found for q in asked if _home(q) not in kept and (found := _example(q, library))]
    validation = tuple(
        Asked(q.question, _home(q), frozenset(page for id, page in q.pages if id == _home(q)))
        for q in asked
        if _home(q) in kept
    )
    if not train or not validation:
        raise ConfigError(
            f"{len(train)} questions to train and {len(validation)} to measure on",
            hint="questions about two documents of the library at least are needed",
        )
    return Data(tuple(train), validation, {id: _pool(library, id) for id in sorted(kept)})


def _source(data: DataConfig, seed: int) -> tuple[LibraryView, Iterable[GoldQuestion]]:
    if data.source == "toy":
        return toy_library(data.documents, seed)
    return Library.open(data.library), read_jsonl(Path(data.questions))


def _home(question: GoldQuestion) -> str:
    """The document of the first gold page."""
    return question.pages[0][0]


def _kept(documents: Sequence[str], share: float, seed: int) -> set[str]:
    """Documents drawn for measuring, one at least."""
    distinct = sorted(set(documents))
    count = max(1, round(share * len(distinct)))
    return set(random.Random(seed).sample(distinct, min(count, len(distinct))))


def _example(question: GoldQuestion, library: LibraryView) -> Example | None:
    """None where no chunk of a gold page or none of another page is found."""
    home = _home(question)
    gold = {page for id, page in question.pages if id == home}
    chunks = [hit.chunk for hit in library.search(question.question, _DEPTH, [home])]
    chunks += chunks_of(library.document(home))
    positive = next((chunk.text for chunk in chunks if chunk_page(chunk) in gold), None)
    negative = next((chunk.text for chunk in chunks if chunk_page(chunk) not in gold), None)
    if positive is None or negative is None:
        return None
    return Example(question.question, positive, negative)


def _pool(library: LibraryView, document: str) -> Pool:
    chunks = chunks_of(library.document(document))
    return Pool(tuple(chunk.text for chunk in chunks), tuple(map(chunk_page, chunks)))
