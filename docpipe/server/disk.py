"""What waits on disk to be read: uploads, and files of the folders given at start.

`uploads/<id>/<name>` is an upload, `uploads/<id>/.removed` the wish to remove a document, and
`uploads/.removed.json` names the files of folders that were removed on the page.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from docpipe import codec
from docpipe.errors import ConfigError, DocpipeError, InputError
from docpipe.ingest.inputs import Input, find_inputs, printable
from docpipe.library import Entry
from docpipe.library.store import cannot_write, path_from, path_text, write_atomically
from docpipe.server.models import DocumentItem, Problem
from docpipe.server.settings import Settings

REMOVED = ".removed"
_BURIED = ".removed.json"
_LOCK = ".serve.lock"
_Stamp = tuple[int, int]  # size and time of a file
_SKIPPED = {
    "not_a_pdf": "files of this kind are not read",
    "symlink": "the link leads out of its folder",
}


class Found(msgspec.Struct, frozen=True):
    """Files that wait, by document id for uploads and else by `key_of`; removals that were not
    made; files that are not read; and why a folder could not be looked through."""

    waiting: dict[str, Path]
    removed: set[str]
    refused: dict[str, DocumentItem]
    problem: Problem | None


def find(settings: Settings, entries: Mapping[str, Entry]) -> Found:
    """What waits. An upload that was not read in full is tried again: there may be a password
    now."""
    waiting: dict[str, Path] = {}
    removed: set[str] = set()
    for folder in _folders(settings.uploads):
        files = [path for path in folder.iterdir() if not path.name.startswith(".")]
        entry = entries.get(folder.name)
        if (folder / REMOVED).exists():
            removed.add(folder.name)
        elif files and (entry is None or entry.status != "ok"):
            waiting[folder.name] = files[0]
    try:
        given = find_inputs(settings.folders, leave_out=[settings.library])
    except InputError as error:
        return Found(waiting, removed, {}, problem_of(error))
    buried = _buried(settings)
    refused = {}
    for item in given:
        key = key_of(item.source)
        if buried.get(path_text(item.source), ()) == _stamp(item.source):
            continue
        if item.skipped or item.problem:
            refused[key] = _unread(key, item)
        else:
            waiting[key] = item.source
    return Found(waiting, removed, refused, None)


def sweep(settings: Settings) -> None:
    """Remove uploads that were cut off."""
    if settings.uploads.is_dir():
        for path in settings.uploads.glob(".*"):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)


def bury(settings: Settings, sources: Iterable[str]) -> None:
    """Note files of folders that were removed on the page: as long as they do not change, they
    are not read again at the next start."""
    uploads = os.path.abspath(settings.uploads)
    stamps = {
        source: stamp
        for source in sources
        if not path_from(source).is_relative_to(uploads) and (stamp := _stamp(path_from(source)))
    }
    if stamps:
        settings.uploads.mkdir(parents=True, exist_ok=True)
        write_atomically(settings.uploads / _BURIED, codec.encode(_buried(settings) | stamps))


@contextlib.contextmanager
def alone(settings: Settings) -> Iterator[None]:
    """Keep other servers from this library. Raises ConfigError (`locked`) when one has it."""
    path = settings.library / _LOCK
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ConfigError(
                f"another docpipe serve has the library {settings.library.absolute().name}",
                code="locked",
                hint="open the page of that one, or end it",
            ) from error
        yield
    finally:
        os.close(file)


def key_of(path: Path) -> str:
    """A stand-in for the id of a file that was not read yet."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def refusal(key: str, name: str, code: str, message: str | None) -> DocumentItem:
    """A file that did not become a document."""
    return DocumentItem(
        id=key, name=name, status="failed", reason=code, message=message, hint=hint_of(code)
    )


_HINTS = {
    "needs_password": "give the password with the button Password",
    "wrong_password": "give another one with the button Password",
    "timeout": "split the file, or start docpipe serve with --set limits.document_timeout=SECONDS",
    "too_large": "split the file, or start docpipe serve with a higher --max-upload",
    "source_missing": "put the original file back",
}


def hint_of(code: str | None) -> str | None:
    """What to do about a reason, on the page: other than on the command line there are buttons."""
    if code is None or code in _HINTS:
        return _HINTS.get(code or "")
    try:
        return InputError(code, "").hint  # type: ignore[arg-type]
    except KeyError:
        return None


def problem_of(error: DocpipeError) -> Problem:
    return Problem(code=error.code, message=error.message, hint=error.hint)


def _folders(uploads: Path) -> list[Path]:
    """The folders of uploads; what else lies there is nothing of docpipe's."""
    if not uploads.is_dir():
        return []
    return sorted(
        path for path in uploads.iterdir() if not path.name.startswith(".") and path.is_dir()
    )


def _unread(key: str, item: Input) -> DocumentItem:
    code = item.skipped or "source_missing"
    message = item.problem or _SKIPPED[code]
    return refusal(key, printable(item.source.name), code, message)


def _buried(settings: Settings) -> dict[str, _Stamp]:
    try:
        data = (settings.uploads / _BURIED).read_bytes()
        return codec.decode(data, dict[str, _Stamp])
    except (OSError, DocpipeError):
        return {}


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
