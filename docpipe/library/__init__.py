"""The library: what `docpipe ingest` makes and `docpipe ask` opens."""

from docpipe.library.library import Library
from docpipe.library.store import Entry

__all__ = ["Entry", "Library"]
