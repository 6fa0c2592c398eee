"""The journal of an ingest: a line for each document that is finished, on disk at once."""

from __future__ import annotations

import os
from pathlib import Path

from docpipe import codec
from docpipe.errors import SchemaError
from docpipe.ingest.report import Done


def read(path: Path) -> dict[str, Done]:
    """The entries of an ingest that was cut off; a line that was cut short is left out."""
    found: dict[str, Done] = {}
    if path.exists():
        for line in path.read_bytes().splitlines():
            try:
                done = codec.decode(line, Done)
            except SchemaError:
                continue
            found[done.entry.id] = done
    return found


def append(path: Path, done: Done) -> None:
    """Add a line and wait for the disk. After a line that was cut short, a new one is begun."""
    data = codec.encode(done) + b"\n"
    with path.open("ab") as file:
        if file.tell() and not _ends_with_newline(path):
            data = b"\n" + data
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"
