"""The search index of a library: a folder that grows document by document and is opened lazily.

    index/
      manifest.json             format, and for each document its segment file
      segments/<doc>-<sum>.seg  one document's chunks, term counts and vectors; never changed
      terms-<sum>.*             the inverted lists of all segments, memory-mapped
      vectors-<sum>.faiss       the vectors of all segments (only with an embedder)

A folder's bytes depend on the set of documents alone, not on the order or number of updates.
Files are named by their contents and the manifest is replaced last, so that a reader or a killed
writer always sees the state before or after an update.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from docpipe.records import Chunk, Document, Hit
from docpipe.stages import Embedder


class PageHit(msgspec.Struct, frozen=True):
    """A page found for a query: `page` counts from 1, `best` is its best chunk."""

    document: str
    page: int
    score: float
    best: Hit


def update(
    folder: Path,
    documents: Iterable[Document],
    *,
    remove: Collection[str] = (),
    embedder: Embedder | None = None,
) -> None:
    """Add `documents` to the index in `folder`, replacing those of the same id, and drop `remove`.

    The index is made if there is none. Give a generator that loads one document at a time: each is
    let go before the next is asked for, and memory stays flat. Ids in `remove` that are unknown
    are ignored. An index is made with an embedder or without; chunks whose text did not change are
    not embedded again. One writer at a time. Raises SchemaError when the folder holds an index of
    another format: then delete it and update with all documents.
    """
    raise NotImplementedError


class Index:
    """An opened index. Opening reads the manifest only; lists are mapped when first used."""

    documents: tuple[str, ...]

    @classmethod
    def open(cls, folder: Path, embedder: Embedder | None = None) -> Index:
        """The index in `folder`; with the embedder it was made with, vectors are searched too.

        Raises ConfigError (code `no_index`) when there is none, SchemaError for another format.
        """
        raise NotImplementedError

    def search(self, query: str, k: int, documents: Sequence[str] | None = None) -> list[Hit]:
        """At most `k` chunks, best first, from all documents or the ones given by id.

        A query without a known word gives no hits. Raises ConfigError (`unknown_document`).
        """
        raise NotImplementedError

    def search_pages(
        self, query: str, k: int, documents: Sequence[str] | None = None
    ) -> list[PageHit]:
        """At most `k` pages, best first: what `search` does, ranked as pages."""
        raise NotImplementedError

    def chunk(self, id: str) -> Chunk:
        """The chunk with this id (`9f2c…#p3/c2`). Raises ConfigError (`unknown_chunk`)."""
        raise NotImplementedError
