"""The search index of a library: made and grown by `update`, opened lazily by `Index.open`."""

from __future__ import annotations

import bisect
import functools
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from docpipe.config import Fusion
from docpipe.errors import ConfigError
from docpipe.records import Chunk, Hit, PageHit
from docpipe.retrieval import ranking
from docpipe.retrieval.chunks import chunk_page
from docpipe.retrieval.files import read_array
from docpipe.retrieval.postings import Lists
from docpipe.retrieval.ranking import DEFAULT_WEIGHTS, Scores, SearchRange, Weights
from docpipe.retrieval.store import IndexManifest, read_chunks, read_manifest, update
from docpipe.retrieval.vectors import VectorIndex
from docpipe.retrieval.words import words
from docpipe.stages import Embedder

__all__ = ["Index", "update"]

# Of a library of no more pages the first are given for a question none of whose words is found.
FEW_PAGES = 50


class Index:
    """An opened index. Opening reads the manifest only; lists are mapped when first used.

    It goes on showing the state it was opened in while the folder is updated, as far as the
    segments of its documents are still there: open it again after an update.
    """

    def __init__(
        self,
        folder: Path,
        manifest: IndexManifest,
        embedder: Embedder | None = None,
        weights: Weights = DEFAULT_WEIGHTS,
        fusion: Fusion = "sum",
    ) -> None:
        self._folder = folder
        self._manifest = manifest
        self._embedder = embedder
        self._weights = weights
        self._fusion = fusion
        self.documents = tuple(manifest.documents)
        entries = manifest.documents.values()
        self._first_chunk = list(itertools.accumulate((e.chunks for e in entries), initial=0))
        self._first_page = list(itertools.accumulate((e.pages for e in entries), initial=0))
        self._chunks_of = functools.lru_cache(maxsize=64)(self._read_chunks)

    @classmethod
    def open(
        cls,
        folder: Path,
        embedder: Embedder | None = None,
        weights: Weights = DEFAULT_WEIGHTS,
        fusion: Fusion = "sum",
    ) -> Index:
        """The index in `folder`; with the embedder it was made with, vectors are searched too, and
        `fusion` says how the rankings by terms and by vectors are joined (ranking.score).

        Raises ConfigError when there is none (code `no_index`) or it has no vectors of this
        embedder (`embedder`), SchemaError for another format.
        """
        manifest = read_manifest(folder)
        if embedder and manifest.vectors != embedder.dimension:
            raise ConfigError(
                f"the index in {folder} was not made with this embedder",
                code="embedder",
                hint="delete the index folder and ingest again with it",
            )
        return cls(folder, manifest, embedder, weights, fusion)

    def search(self, query: str, k: int, documents: Sequence[str] | None = None) -> list[Hit]:
        """At most `k` chunks, best first, from all documents or the ones given by id.

        The retriever of a hit is `lexical`, `hybrid`, or `opening`: where no word of the query is
        found but the documents are given or few, the first pages of each come first. Otherwise a
        query without a known word gives no hits. Raises ConfigError (`unknown_document`).
        """
        scope = self._scope(documents)
        scores = self._scores(query, scope, given=documents is not None)
        return [self._hit(scope, scores, at) for at in ranking.best(scores.chunks, k)]

    def search_pages(
        self, query: str, k: int, documents: Sequence[str] | None = None
    ) -> list[PageHit]:
        """At most `k` pages, best first: what `search` does, ranked as pages."""
        scope = self._scope(documents)
        scores = self._scores(query, scope, given=documents is not None)
        return [self._page_hit(scope, scores, at) for at in ranking.best(scores.pages, k)]

    def chunk(self, id: str) -> Chunk:
        """The chunk with this id (`9f2c…#p3/c2`). Raises ConfigError (`unknown_chunk`)."""
        document = id.partition("#")[0]
        known = self._manifest.documents
        chunks = self._chunks_of(document) if document in known else ()
        found = next((chunk for chunk in chunks if chunk.id == id), None)
        if found is None:
            raise ConfigError(f"no chunk {id!r} in the index", code="unknown_chunk")
        return found

    def chunks_on(self, document: str, page: int) -> tuple[Chunk, ...]:
        """The chunks of a page in reading order. Raises ConfigError (`unknown_document`)."""
        self._numbers([document])
        return tuple(chunk for chunk in self._chunks_of(document) if chunk_page(chunk) == page)

    def _scores(self, query: str, scope: SearchRange, *, given: bool) -> Scores:
        cosines = None
        if self._embedder is not None:
            vector = self._embedder.embed_texts([query])[0]
            searched = scope.searched[scope.chunk_page]
            cosines = self._vectors.cosines(vector, scope.first_chunk, searched)
        scores = ranking.score(
            query, scope, self._terms, self._names, self._weights, cosines, self._fusion
        )
        if not scores.pages.any() and words(query) and (given or len(scope.searched) <= FEW_PAGES):
            return ranking.opening(scope)
        return scores

    def _scope(self, documents: Sequence[str] | None) -> SearchRange:
        numbers = self._numbers(documents)
        first, last = (min(numbers), max(numbers) + 1) if numbers else (0, 0)
        chunks = slice(self._first_chunk[first], self._first_chunk[last])
        pages = slice(self._first_page[first], self._first_page[last])
        per_document = np.diff(self._first_page[first : last + 1])
        page_document = np.repeat(np.arange(last - first), per_document)
        chosen = np.zeros(last - first, np.bool_)
        chosen[np.array(numbers, np.int64) - first] = True
        searched = chosen[page_document]
        chunk_page = self._chunk_pages[chunks].astype(np.int64) - pages.start
        words = np.where(searched[chunk_page], self._chunk_words[chunks].astype(np.int64), 0)
        return SearchRange(
            chunks.start, pages.start, chunk_page, page_document, last - first, words, searched
        )

    def _numbers(self, documents: Sequence[str] | None) -> list[int]:
        if documents is None:
            return list(range(len(self.documents)))
        number = {id: at for at, id in enumerate(self.documents)}
        for id in documents:
            if id not in number:
                raise ConfigError(f"no document {id!r} in the index", code="unknown_document")
        return sorted({number[id] for id in documents})

    def _hit(self, scope: SearchRange, scores: Scores, at: int) -> Hit:
        number = scope.first_chunk + at
        document = bisect.bisect_right(self._first_chunk, number) - 1
        chunks = self._chunks_of(self.documents[document])
        chunk = chunks[number - self._first_chunk[document]]
        return Hit(chunk, float(scores.chunks[at]), scores.retriever)

    def _page_hit(self, scope: SearchRange, scores: Scores, at: int) -> PageHit:
        page = scope.first_page + at
        document = bisect.bisect_right(self._first_page, page) - 1
        low, high = np.searchsorted(scope.chunk_page, [at, at + 1])
        best = None
        if low < high:
            best = self._hit(scope, scores, int(low + np.argmax(scores.chunks[low:high])))
        number = page - self._first_page[document] + 1
        return PageHit(self.documents[document], number, float(scores.pages[at]), best)

    def _read_chunks(self, document: str) -> tuple[Chunk, ...]:
        return read_chunks(self._folder, self._manifest.documents[document])

    @functools.cached_property
    def _terms(self) -> Lists:
        return Lists(self._merged, "terms")

    @functools.cached_property
    def _names(self) -> Lists:
        return Lists(self._merged, "names")

    @functools.cached_property
    def _chunk_pages(self) -> np.ndarray[Any, np.dtype[np.uint32]]:
        return read_array(self._merged / "chunk_pages", np.dtype("<u4"), self._first_chunk[-1])

    @functools.cached_property
    def _chunk_words(self) -> np.ndarray[Any, np.dtype[np.uint32]]:
        return read_array(self._merged / "chunk_words", np.dtype("<u4"), self._first_chunk[-1])

    @functools.cached_property
    def _vectors(self) -> VectorIndex:
        return VectorIndex(self._merged / "vectors.faiss")

    @property
    def _merged(self) -> Path:
        return self._folder / self._manifest.merged
