"""The files of a library: where they stand, how they are written, and the manifest.

    library/
      library.json            the manifest: one entry per document, in order of path
      documents/<id>.json     a Document each
      originals/<id>.pdf      copies of the inputs (only with `copy`)
      index/                  the search index (see docpipe.retrieval.index)
      report.jsonl            what the last ingest made of each input
      work/                   an ingest under way: facts of pages, journal, log of the workers

Files are written beside their place, synced and renamed: a reader, or an ingest after a crash, sees
the old file or the new one. Apart from the report's timings and `work/` the bytes depend on the
inputs and settings alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from docpipe import codec
from docpipe.errors import ConfigError, SchemaError
from docpipe.records import SCHEMA_VERSION, Document, Record

T = TypeVar("T")
_REMAKE = "the library is damaged: make it again with `docpipe ingest`"


class Entry(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What the library knows of one file content: a document, or why there is none.

    `id` is that of the document; `sources` are the absolute paths it was found at, in order;
    `routes` counts pages by the route their text took; `settings` is a digest of the settings it
    was made with; `original` is the copy's path within the library.
    """

    id: str
    name: str
    status: Literal["ok", "partial", "failed"]
    reason: str | None = None
    message: str | None = None
    pages: int = 0
    routes: dict[str, int]
    issues: int = 0
    settings: str
    original: str | None = None
    sources: tuple[str, ...] = ()


class Manifest(Record, frozen=True, omit_defaults=False):
    """What is in a library; `index` is a digest of the settings its search index was made with."""

    schema: int = SCHEMA_VERSION
    index: str = ""
    entries: tuple[Entry, ...] = ()


class Store:
    """The paths of a library in the folder `root`, and reading and writing of its files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.manifest_path = root / "library.json"
        self.documents = root / "documents"
        self.originals = root / "originals"
        self.index = root / "index"
        self.report = root / "report.jsonl"
        self.work = root / "work"
        self.journal = self.work / "journal.jsonl"
        self.log = self.work / "workers.log"

    def document_path(self, id: str) -> Path:
        return self.documents / f"{id}.json"

    def read_manifest(self) -> Manifest:
        """Raises ConfigError when there is no library, SchemaError for a damaged or newer one."""
        try:
            data = self.manifest_path.read_bytes()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ConfigError(
                f"there is no library in {self.root}",
                code="no_library",
                hint="make one with `docpipe ingest`",
            ) from error
        return decode_versioned(data, Manifest, "library")

    def write_manifest(self, manifest: Manifest) -> None:
        write_atomically(self.manifest_path, msgspec.json.format(codec.encode(manifest), indent=1))

    def read_document(self, id: str) -> Document:
        """Raises SchemaError when the file is missing or damaged."""
        try:
            data = self.document_path(id).read_bytes()
        except OSError as error:
            raise SchemaError(f"document {id} cannot be read: {error}", hint=_REMAKE) from error
        return codec.decode_document(data)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out. The lock ends with the process that holds it.

        Raises ConfigError (code `locked`) when another process has it.
        """
        with (self.root / ".lock").open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ConfigError(
                    f"another process is writing to the library {self.root}",
                    code="locked",
                    hint="wait until it has ended",
                ) from error
            yield


def decode_versioned(data: bytes, type: type[T], what: str) -> T:
    """The record in `data`, its schema number checked first. Raises SchemaError."""
    codec.check_version(codec.decode(data, _Versioned).schema, what)
    return codec.decode(data, type)


class _Versioned(msgspec.Struct):
    schema: int


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace the file in one step. `durable` waits for the disk; without it a power failure may
    leave an empty file, which is good enough for what can be made again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    temporary.replace(path)
    if durable:
        _sync_folder(path.parent)


def copy_atomically(source: Path, target: Path) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, temporary)
    temporary.replace(target)


def sweep(folder: Path, keep: set[str]) -> None:
    """Delete the files in `folder` whose names are not in `keep`, and a folder left empty."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.name not in keep and path.is_file():
            path.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
