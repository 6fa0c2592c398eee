"""Search by what pages look like, alone or joined with the search by words."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from docpipe.config import Fusion
from docpipe.records import Chunk, Hit, PageHit
from docpipe.retrieval.fusion import reciprocal_rank_fusion
from docpipe.retrieval.index import Index
from docpipe.retrieval.visual_store import PageKey, PageVectors
from docpipe.stages import VisualEmbedder

# The pages of each search that are joined.
DEPTH = 100


class VisualSearch:
    """Searches pages by late interaction; with `fused`, joined with the text index.

    `nearest` vectors of faiss choose the pages that are scored, 0 scores them all. Scores are
    brought to 0-1, the lowest of the pages compared to 0: MaxSim tells them apart by little.
    `fusion` "sum" adds them to those of the words, "rrf" adds reciprocal ranks.
    """

    def __init__(
        self,
        text: Index,
        vectors: PageVectors,
        embedder: VisualEmbedder,
        *,
        fused: bool = False,
        fusion: Fusion = "sum",
        nearest: int = 0,
    ) -> None:
        self._text = text
        self._vectors = vectors
        self._embedder = embedder
        self._fused = fused
        self._fusion = fusion
        self._nearest = nearest
        self.documents = text.documents

    def search(self, query: str, k: int, documents: Sequence[str] | None = None) -> list[Hit]:
        """At most `k` chunks, best first: of each page the one that the words of the query fit
        best. Raises ConfigError (`unknown_document`)."""
        hits = (page.best for page in self.search_pages(query, k, documents))
        return [hit for hit in hits if hit is not None]

    def search_pages(
        self, query: str, k: int, documents: Sequence[str] | None = None
    ) -> list[PageHit]:
        """At most `k` pages, best first, each with its best chunk if it has text."""
        by_words = self._text.search_pages(query, DEPTH, documents)
        seen = self._seen(query, self.documents if documents is None else documents)
        scores = _unit(seen)
        if self._fused:
            scores = _joined({(p.document, p.page): p.score for p in by_words}, seen, self._fusion)
        known = {(page.document, page.page): page.best for page in by_words}
        best = sorted(scores, key=lambda key: (-scores[key], key))[: max(k, 0)]
        return [self._hit(key, scores[key], known.get(key)) for key in best]

    def chunk(self, id: str) -> Chunk:
        """The chunk with this id. Raises ConfigError (`unknown_chunk`)."""
        return self._text.chunk(id)

    def _seen(self, query: str, documents: Sequence[str]) -> dict[PageKey, float]:
        [vectors] = self._embedder.embed_queries([query])
        if self._nearest:
            return self._vectors.near(vectors, documents, self._nearest)
        return self._vectors.exact(vectors, documents)

    def _hit(self, key: PageKey, score: float, by_words: Hit | None) -> PageHit:
        chunks = () if by_words else self._text.chunks_on(*key)
        best = by_words or (Hit(chunks[0], 0.0, "") if chunks else None)
        if best is not None:
            name = "fused" if self._fused else "visual"
            best = msgspec.structs.replace(best, score=score, retriever=name)
        return PageHit(*key, score, best)


def _joined(
    by_words: dict[PageKey, float], seen: dict[PageKey, float], fusion: Fusion
) -> dict[PageKey, float]:
    if fusion == "rrf":
        rankings = [sorted(part, key=lambda key: (-part[key], key)) for part in (by_words, seen)]
        return dict(reciprocal_rank_fusion([ranking[:DEPTH] for ranking in rankings]))
    words, looks = _unit(by_words, low=0.0), _unit(seen)
    return {key: words.get(key, 0.0) + looks.get(key, 0.0) for key in words | looks}


def _unit(scores: dict[PageKey, float], low: float | None = None) -> dict[PageKey, float]:
    """Scores brought to 0-1, `low` (or the lowest) to 0."""
    if not scores:
        return {}
    values = np.fromiter(scores.values(), np.float64)
    least = float(values.min()) if low is None else low
    span = float(values.max()) - least
    return {key: (score - least) / span if span else 1.0 for key, score in scores.items()}
