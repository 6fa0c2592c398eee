"""Which files an ingest reads, in which order, and which it passes over.

In folders: PDF, PNG, JPEG and TIFF files by extension, and PDFs and images with another or no
extension by their first bytes. Office files and e-books, which a person would expect to be read,
are reported as skipped (`not_a_pdf`); other files are passed over in silence, like names that
start with a dot. A symbolic link is followed only to a file within the same folder: one that leads
out is reported as skipped (`symlink`), and linked folders are not entered. Files named one by one
are always read. A folder that cannot be read is an input of its own, that fails.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from docpipe.errors import InputError
from docpipe.library.store import reason_of

INPUT_SUFFIXES = frozenset({".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff"})
_TEXT_DOCUMENTS = frozenset({".doc", ".docx", ".odt", ".rtf", ".pages"})
_SLIDES_AND_SHEETS = frozenset({".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods"})
_BOOKS = frozenset({".epub", ".mobi", ".djvu", ".xps"})
_OTHER_DOCUMENTS = _TEXT_DOCUMENTS | _SLIDES_AND_SHEETS | _BOOKS
_MAGIC = (b"%PDF-", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*")


Skip = Literal["symlink", "not_a_pdf"]


class Input(msgspec.Struct, frozen=True):
    """A file to read, or to name as `skipped`. `path` is relative to what was ingested, with
    forward slashes; `source` is the absolute path; `problem` says why a folder cannot be read."""

    path: str
    source: Path
    skipped: Skip | None = None
    problem: str | None = None


def check_targets(targets: Iterable[Path]) -> None:
    """Raise InputError (`source_missing`) for a target that does not exist or is out of reach."""
    for target in targets:
        try:
            target.stat()
        except (FileNotFoundError, NotADirectoryError) as error:
            missing = f"{printable(target)} does not exist"
            raise InputError("source_missing", missing, hint="check the path") from error
        except OSError as error:
            message = f"{printable(target)} cannot be read: {reason_of(error)}"
            raise InputError("source_missing", message, hint="check its permissions") from error


def find_inputs(targets: Iterable[Path], *, leave_out: Iterable[Path]) -> list[Input]:
    """The inputs in the given folders and files, by path, each once; folders to `leave_out` (the
    library, output of docpipe) are not entered. Raises InputError as `check_targets` does."""
    found: dict[Path, Input] = {}
    given = [Path(os.path.abspath(target)) for target in targets]
    check_targets(given)
    root = _common_root(given)
    closed = {folder.resolve() for folder in leave_out}
    for target in given:
        if target.is_dir():
            for path, skipped, problem in _walk(target, closed):
                found.setdefault(path, Input(_relative(path, root), path, skipped, problem))
        else:
            found[target] = Input(_relative(target, root), target)
    return sorted(found.values(), key=lambda item: item.path)


def is_regular(path: Path) -> bool:
    """Whether a path is a plain file: opening a pipe or a device might never return."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def printable(path: str | Path) -> str:
    """A path as valid Unicode: bytes that are not UTF-8 are shown as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _common_root(targets: list[Path]) -> Path:
    folders = [target if target.is_dir() else target.parent for target in targets]
    return Path(os.path.commonpath(folders)) if folders else Path()


def _relative(path: Path, root: Path) -> str:
    return printable(path.relative_to(root).as_posix())


_Found = tuple[Path, Skip | None, str | None]


def _walk(folder: Path, leave_out: Collection[Path]) -> Iterator[_Found]:
    real = folder.resolve()
    unread: list[OSError] = []
    for parent, names, files in os.walk(folder, onerror=unread.append):
        names[:] = [
            name
            for name in names
            if not name.startswith(".") and Path(parent, name).resolve() not in leave_out
        ]
        for name in files:
            path = Path(parent, name)
            if name.startswith("."):
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(real):
                if path.suffix.lower() in INPUT_SUFFIXES:
                    yield path, "symlink", None
            elif _is_input(path):
                yield path, None, None
            elif path.suffix.lower() in _OTHER_DOCUMENTS:
                yield path, "not_a_pdf", None
    for error in unread:
        yield Path(error.filename), None, f"the folder cannot be read: {reason_of(error)}"


def _is_input(path: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix in INPUT_SUFFIXES:
        return True
    if suffix in _OTHER_DOCUMENTS or not is_regular(path):
        return False
    try:
        with path.open("rb") as file:
            return file.read(8).startswith(_MAGIC)
    except OSError:
        return not suffix  # it may be one: the report says that it cannot be read
