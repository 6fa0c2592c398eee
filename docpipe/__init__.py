"""docpipe: folders of PDFs to typed data and cited answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docpipe.errors import DocpipeError
    from docpipe.library import Library
    from docpipe.pipeline import Pipeline, extract, parse

__version__ = "0.1.0"
__all__ = ["DocpipeError", "Library", "Pipeline", "__version__", "extract", "parse"]

_HOMES = {
    "DocpipeError": "docpipe.errors",
    "Library": "docpipe.library",
    "Pipeline": "docpipe.pipeline",
    "extract": "docpipe.pipeline",
    "parse": "docpipe.pipeline",
}


def __getattr__(name: str) -> Any:
    """Import public names on first use, so that `import docpipe` stays fast."""
    if name not in _HOMES:
        raise AttributeError(f"module 'docpipe' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
