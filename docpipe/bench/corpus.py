"""The documents of a bench, and the library that question benches ask: one at hand, or one made
of the documents."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from docpipe.bench.task import Options
from docpipe.errors import ConfigError
from docpipe.library import Library


def prepare_library(documents: list[Path], options: Options) -> Library:
    """A library that holds these files.

    With `options.library` it is that one, opened as it is; a file that it lacks raises ConfigError.
    Otherwise the files are ingested into a cache folder that the next run finds again.
    """
    if options.library is not None:
        library = Library.open(options.library, config=options.config)
        for path in documents:
            library.find(path.name)
        return library
    library = Library.create(cache_folder(documents[0].parent), config=options.config)
    library.ingest(documents)
    return library


def cache_folder(documents: Path) -> Path:
    """Where the library made of a folder of documents is kept between runs."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    key = hashlib.sha256(os.fsencode(documents.resolve())).hexdigest()[:12]
    return base / "docpipe" / f"bench-{key}"


def document_files(data: Path) -> list[Path]:
    """The PDFs in `data/documents` by name. Raises ConfigError when there is none."""
    found = sorted((data / "documents").glob("*.pdf"))
    if not found:
        raise ConfigError(f"{data / 'documents'} holds no PDF", hint="see docs/data.md")
    return found


def pdf_files(data: Path) -> list[Path]:
    """Every PDF in a folder called `pdfs` or `documents` below `data`, by path."""
    found = sorted(data.rglob("*.pdf"))
    return [path for path in found if path.parent.name in ("pdfs", "documents")]
