"""A library as a LangChain retriever: `DocpipeRetriever(library=Library.open(…), k=5)`."""

from __future__ import annotations

from typing import Any

from docpipe.integrations.places import metadata, missing
from docpipe.library import Library

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import ConfigDict
except ImportError as error:
    raise missing(error) from error


class DocpipeRetriever(BaseRetriever):
    """The `k` best chunks for a query, with the place of each in its metadata; only from
    `documents` (names or ids) where they are given."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    library: Library
    k: int = 10
    documents: list[str] | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **_: Any
    ) -> list[Document]:
        return [
            Document(
                id=hit.chunk.id,
                page_content=hit.chunk.text,
                metadata=metadata(self.library, hit),
            )
            for hit in self.library.search(query, self.k, self.documents)
        ]
