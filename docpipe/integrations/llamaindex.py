"""A library as a LlamaIndex retriever: `DocpipeRetriever(Library.open(…), k=5)`."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.integrations.places import metadata, missing
from docpipe.library import Library

try:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise missing(error) from error


_NOT_TEXT = ["document", "boxes", "chunk", "score"]  # nothing for a model to read


class DocpipeRetriever(BaseRetriever):
    """The `k` best chunks for a query, with the place of each in its metadata; only from
    `documents` (names or ids) where they are given."""

    def __init__(
        self, library: Library, *, k: int = 10, documents: Sequence[str] | None = None
    ) -> None:
        super().__init__()
        self._library = library
        self._k = k
        self._documents = documents

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._library.search(query_bundle.query_str, self._k, self._documents)
        return [
            NodeWithScore(
                node=TextNode(
                    id_=hit.chunk.id,
                    text=hit.chunk.text,
                    metadata=metadata(self._library, hit),
                    excluded_llm_metadata_keys=_NOT_TEXT,
                    excluded_embed_metadata_keys=_NOT_TEXT,
                ),
                score=hit.score,
            )
            for hit in hits
        ]
