"""A search whose first pages are put in order again by a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from docpipe.records import Chunk, Hit, PageHit
from docpipe.stages import Reranker

# The pages and chunks that the reranker sees: it is slow, and the right one is nearly always here.
DEPTH = 20


class Search(Protocol):
    """What an index and a search by looks have in common."""

    def search(self, query: str, k: int, documents: Sequence[str] | None = None) -> list[Hit]: ...
    def search_pages(
        self, query: str, k: int, documents: Sequence[str] | None = None
    ) -> list[PageHit]: ...
    def chunk(self, id: str) -> Chunk: ...


class RerankedSearch:
    """Puts the first 20 pages, or chunks, of another search in the order of a reranker; a page
    counts as its best chunk. What comes after them stays after them, and so do pages without text;
    first pages that are given for want of any match (`opening`) stay as they are.
    """

    def __init__(self, search: Search, reranker: Reranker) -> None:
        self._search = search
        self._reranker = reranker

    def search(self, query: str, k: int, documents: Sequence[str] | None = None) -> list[Hit]:
        """At most `k` chunks, best first. Raises ConfigError (`unknown_document`)."""
        hits = self._search.search(query, max(k, DEPTH), documents)
        if any(hit.retriever == "opening" for hit in hits):
            return hits[: max(k, 0)]
        first = self._reranker.rerank(query, hits[:DEPTH])
        least = min((hit.score for hit in first), default=0.0)
        rest = [
            msgspec.structs.replace(hit, score=_below(least, at))
            for at, hit in enumerate(hits[DEPTH:])
        ]
        return [*first, *rest][: max(k, 0)]

    def search_pages(
        self, query: str, k: int, documents: Sequence[str] | None = None
    ) -> list[PageHit]:
        """At most `k` pages, best first, each with its best chunk if it has text."""
        pages = self._search.search_pages(query, max(k, DEPTH), documents)
        if any(page.best and page.best.retriever == "opening" for page in pages):
            return pages[: max(k, 0)]
        by_chunk = {page.best.chunk.id: page for page in pages[:DEPTH] if page.best}
        hits = [page.best for page in by_chunk.values() if page.best]
        found = [
            msgspec.structs.replace(by_chunk[hit.chunk.id], score=hit.score, best=hit)
            for hit in self._reranker.rerank(query, hits)
        ]
        least = min((page.score for page in found), default=0.0)
        seen = {(page.document, page.page) for page in found}
        rest = [page for page in pages if (page.document, page.page) not in seen]
        found += [
            msgspec.structs.replace(page, score=_below(least, at)) for at, page in enumerate(rest)
        ]
        return found[: max(k, 0)]

    def chunk(self, id: str) -> Chunk:
        """The chunk with this id. Raises ConfigError (`unknown_chunk`)."""
        return self._search.chunk(id)


def _below(least: float, at: int) -> float:
    """A score for what the reranker did not see, less with each place."""
    return least / (at + 2)
