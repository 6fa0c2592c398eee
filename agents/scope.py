"""A library narrowed to some of its documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from docpipe.errors import ConfigError
from docpipe.records import Chunk, Document, Hit, PageHit
from docpipe.stages import LibraryView

if TYPE_CHECKING:
    from PIL import Image


class Scope:
    """A LibraryView that shows only the documents with the given ids, in that order.

    Asked for another it raises ConfigError (`unknown_document`).
    """

    def __init__(self, library: LibraryView, documents: Sequence[str]) -> None:
        self._library = library
        self._documents = tuple(documents)

    def documents(self) -> Iterator[str]:
        return iter(self._documents)

    def document(self, id: str) -> Document:
        return self._library.document(self._checked(id))

    def search(self, query: str, k: int = 10, documents: Sequence[str] | None = None) -> list[Hit]:
        within = [id for id in self._documents if documents is None or id in documents]
        return self._library.search(query, k, within) if within else []

    def search_pages(
        self, query: str, k: int = 10, documents: Sequence[str] | None = None
    ) -> list[PageHit]:
        within = [id for id in self._documents if documents is None or id in documents]
        return self._library.search_pages(query, k, within) if within else []

    def chunk(self, id: str) -> Chunk:
        chunk = self._library.chunk(id)
        self._checked(chunk.document)
        return chunk

    def page_image(self, document: str, page: int, dpi: float = 144) -> Image.Image:
        return self._library.page_image(self._checked(document), page, dpi)

    def _checked(self, id: str) -> str:
        if id not in self._documents:
            raise ConfigError(f"document {id!r} is not among those asked", code="unknown_document")
        return id
