"""Uploads: streamed to disk under a safe name, in a folder named by their content."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
import unicodedata
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from docpipe.errors import ConfigError, InputError
from docpipe.library.store import cannot_write
from docpipe.server.disk import hint_of

_LONGEST = 120  # characters of a name
_MOST_BYTES = 200  # file systems count bytes, up to 255
_SPARE = 256 << 20  # bytes of the disk that uploads leave free
_UNSAFE = '/\\:*?"<>|'
_NAMELESS = "document.pdf"


def safe_name(name: str) -> str:
    """A file name for a name that may be anything: no folders, no control or direction characters,
    not hidden, not too long; the extension is kept."""
    name = unicodedata.normalize("NFC", name.replace("\\", "/")).rpartition("/")[2]
    kept = "".join(
        "_" if char in _UNSAFE else char
        for char in name
        if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    )
    kept = kept.strip().lstrip(".").strip()
    stem, dot, suffix = kept.rpartition(".")
    if dot and len(suffix) <= 5:
        return f"{_cut(stem)}.{suffix}" if stem else _NAMELESS
    return _cut(kept) or _NAMELESS


def _cut(name: str) -> str:
    return name[:_LONGEST].encode()[:_MOST_BYTES].decode("utf-8", "ignore")


async def receive(
    parts: AsyncIterator[bytes],
    name: str,
    uploads: Path,
    *,
    max_bytes: int,
    is_known: Callable[[str], bool],
) -> tuple[str, Path | None]:
    """Store an upload; its document id and its path `uploads/<id>/<name>`, or None where content
    with that id is known already.

    Raises InputError (`too_large`, `empty_file`), ConfigError when the disk is full. A part of a
    file is never left behind.
    """
    try:
        uploads.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=uploads) as folder:
            path = Path(folder) / safe_name(name)
            id = await _write(parts, path, max_bytes)
            if is_known(id):
                return id, None
            target = uploads / id
            target.mkdir(exist_ok=True)
            for old in target.iterdir():
                if old.name != path.name:
                    old.unlink()
            shutil.move(path, target / path.name)
            return id, target / path.name
    except OSError as error:
        raise cannot_write(uploads, error) from error


async def _write(parts: AsyncIterator[bytes], path: Path, max_bytes: int) -> str:
    digest = hashlib.sha256()
    size = 0
    with path.open("wb") as file:
        async for part in parts:
            size += len(part)
            if size > max_bytes:
                raise _too_large(max_bytes >> 20)
            digest.update(part)
            await asyncio.to_thread(file.write, part)
    if not size:
        raise InputError("empty_file", "the file has 0 bytes")
    return digest.hexdigest()[:16]


def check_size(length: int, largest: int, folder: Path) -> None:
    """Refuse an upload of `length` bytes before it comes: InputError (`too_large`) for more than
    `largest` MiB, ConfigError (`cannot_write`) where the disk of `folder` would be nearly full."""
    if length > largest << 20:
        raise _too_large(largest)
    if shutil.disk_usage(folder).free < length + _SPARE:
        raise ConfigError(
            "the disk of the server is full", code="cannot_write", hint="make room on it"
        )


def _too_large(limit: int) -> InputError:
    return InputError("too_large", f"the file has more than {limit} MiB", hint=hint_of("too_large"))


def check_room(count: int, limit: int) -> None:
    """Raise ConfigError when the library has as many documents as it may have."""
    if count >= limit:
        raise ConfigError(
            f"the library has {limit} documents, as many as this server takes",
            code="library_full",
            hint="remove some, or start docpipe serve with a higher --max-documents",
        )
