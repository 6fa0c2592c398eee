"""The files of a library: where they stand, how they are written, and the manifest.

    library/
      library.json            the manifest: one entry per document, in order of path
      documents/<id>.json     a Document each
      originals/<id>.pdf      copies of the inputs (only with `copy`)
      index/                  the search index (see docpipe.retrieval.index)
      visual/                 vectors of page images, where they are wanted
      report.jsonl            what the last ingest made of each input
      work/                   an ingest under way: facts of pages, journal, log of the workers

Files are written beside their place, synced and renamed: a reader, or an ingest after a crash, sees
the old file or the new one. Apart from the report's timings and `work/` the bytes depend on the
inputs and settings alone.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import unquote_to_bytes

import msgspec

from docpipe import codec
from docpipe.errors import ConfigError, SchemaError
from docpipe.records import SCHEMA_VERSION, Document, Record

CANNOT_WRITE = "cannot_write"
_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)
_URI = "file://"


class Entry(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What the library knows of one file content: a document, or why there is none.

    `id` is that of the document; `sources` are the absolute paths it was found at, as
    `path_text` gives them, in order; `routes` counts pages by the route their text took;
    `settings` is a digest of the settings it was made with, and `fields` of those of its fields,
    "" where none were looked for; `original` is the copy's path within the library.
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
    fields: str = ""
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
        self.visual = root / "visual"
        self.report = root / "report.jsonl"
        self.work = root / "work"
        self.journal = self.work / "journal.jsonl"
        self.log = self.work / "workers.log"

    def document_path(self, id: str) -> Path:
        return self.documents / f"{id}.json"

    def read_manifest(self) -> Manifest:
        """Raises ConfigError when there is no library or it may not be read, SchemaError for a
        damaged or newer one."""
        try:
            data = self.manifest_path.read_bytes()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ConfigError(
                f"there is no library in {self.root}",
                code="no_library",
                hint="make one with `docpipe ingest`",
            ) from error
        except OSError as error:
            raise ConfigError(
                f"{self.manifest_path} cannot be read: {reason_of(error)}",
                hint="check the permissions of the library",
            ) from error
        try:
            return codec.decode_versioned(data, Manifest, "library")
        except SchemaError as error:
            raise _named(
                error,
                self.manifest_path,
                hint=f"move {self.root} away and make the library again with `docpipe ingest`",
            ) from error

    def write_manifest(self, manifest: Manifest) -> None:
        write_atomically(self.manifest_path, msgspec.json.format(codec.encode(manifest), indent=1))

    def read_document(self, id: str) -> Document:
        """Raises SchemaError when the file is missing or damaged."""
        path = self.document_path(id)
        remake = "run the same `docpipe ingest` again: it reads this document anew"
        try:
            return codec.decode_document(path.read_bytes())
        except OSError as error:
            raise SchemaError(f"{path} cannot be read: {reason_of(error)}", hint=remake) from error
        except SchemaError as error:
            raise _named(error, path, hint=remake) from error

    def has_document(self, id: str) -> bool:
        """Whether the file of a document is there and was not cut short or overwritten. Cheaper
        than reading it: the pages are checked to be JSON only."""
        try:
            return codec.decode(self.document_path(id).read_bytes(), _Outline).id == id
        except (OSError, SchemaError):
            return False

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out. The lock ends with the process that holds it.

        Raises ConfigError: `locked` when another process has it, and for any OSError while it is
        held, `read_only` or `cannot_write`.
        """
        try:
            with (self.root / ".lock").open("ab") as file:
                self._lock(file.fileno())
                yield
        except ConnectionError:  # of a pipe, not of the disk
            raise
        except OSError as error:
            raise cannot_write(self.root, error) from error

    def _lock(self, file: int) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ConfigError(
                f"another process is writing to the library {self.root}",
                code="locked",
                hint="wait until it has ended",
            ) from error


class _Outline(msgspec.Struct):
    """What every Document has."""

    schema: int
    id: str
    name: str
    pages: msgspec.Raw


def path_text(path: Path) -> str:
    """An absolute path as text that `path_from` gives back: as it is, or as a `file://` URI when
    it holds bytes that are not UTF-8."""
    text = str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        return path.as_uri()
    return text


def path_from(text: str) -> Path:
    """The path that `path_text` made a text of."""
    if not text.startswith(_URI):
        return Path(text)
    return Path(os.fsdecode(unquote_to_bytes(text.removeprefix(_URI))))


def reason_of(error: OSError) -> str:
    """What the operating system says, in lower case: "permission denied"."""
    return (error.strerror or str(error)).lower()


def cannot_write(path: Path, error: OSError) -> ConfigError:
    """The error to raise when the library cannot be written: `read_only` or `cannot_write`."""
    place = error.filename or path
    if error.errno in _READ_ONLY:
        return ConfigError(
            f"{place} cannot be written: {reason_of(error)}",
            code="read_only",
            hint="make the library writable, or work on a copy",
        )
    return ConfigError(
        f"{place} cannot be written: {reason_of(error)}",
        code=CANNOT_WRITE,
        hint="make room on the disk and run the same command again: it goes on from there",
    )


def _named(error: SchemaError, path: Path, hint: str) -> SchemaError:
    """The error with the file that it is about."""
    newer = error.code != "schema"
    return SchemaError(
        f"{path}: {error.message}" if newer else f"{path} is damaged: {error.message}",
        code=error.code,
        hint=error.hint if newer else hint,
    )


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace the file in one step. `durable` waits for the disk; without it a power failure may
    leave an empty file, which is good enough for what can be made again. Raises ConfigError
    (`read_only`, `cannot_write`)."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(temporary, path, data, durable)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise cannot_write(path, error) from error


def _write(temporary: Path, path: Path, data: bytes, durable: bool) -> None:
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
