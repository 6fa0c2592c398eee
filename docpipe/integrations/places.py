"""What a retriever of any framework gives of a hit."""

from __future__ import annotations

from typing import Any

from docpipe.content import find_page
from docpipe.errors import ConfigError
from docpipe.library import Library
from docpipe.records import Hit
from docpipe.retrieval.chunks import chunk_regions


def missing(error: ImportError) -> ConfigError:
    """The error for a framework that is not installed."""
    return ConfigError(
        f"the retriever needs a package that is not installed: {error.name}",
        code="missing_extra",
        hint="pip install 'docpipe[integrations]'",
    )


def metadata(library: Library, hit: Hit) -> dict[str, Any]:
    """Where a hit stands: document, name, page and its printed label, and boxes in points as
    `[page, x0, y0, x1, y1]`."""
    document = library.document(hit.chunk.document)
    regions = chunk_regions(document, hit.chunk)
    page = find_page(document, regions[0].page)
    return {
        "document": document.id,
        "name": document.name,
        "page": regions[0].page,
        "page_label": page.label if page else "",
        "boxes": [[r.page, r.bbox.x0, r.bbox.y0, r.bbox.x1, r.bbox.y1] for r in regions],
        "chunk": hit.chunk.id,
        "score": hit.score,
    }
