"""Libraries made with parsers that fail on purpose (see tests.hostile)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docpipe import codec
from docpipe.config import Config, from_mapping
from docpipe.ingest import IngestReport
from docpipe.library import Library


def settings(**limits: float) -> Config:
    return from_mapping(
        {
            "parser": {"name": "tests.hostile:HostileParser"},
            "ocr": {"name": "tests.hostile:HostileOcr"},
            "limits": {"page_timeout": 20, **limits},
        }
    )


def ingest(
    folder: Path, root: Path, *, config: Config | None = None, passwords: Any = (), **options: Any
) -> IngestReport:
    library = Library.create(root, config=config or settings(), passwords=passwords)
    return library.ingest(folder, **{"jobs": 1} | options)


def contents(root: Path) -> dict[str, bytes]:
    """The files of a library, timings left out of the report."""
    files = {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}
    lines = [codec.decode(line, dict[str, Any]) for line in files["report.jsonl"].splitlines()]
    bare = [{k: v for k, v in line.items() if k not in ("seconds", "peak_mb")} for line in lines]
    return files | {"report.jsonl": repr(bare).encode()}
