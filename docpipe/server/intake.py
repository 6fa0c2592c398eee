"""New files on their way into the library: uploads, and folders given at start.

What waits stands on disk alone: an upload whose content the library does not know is read, also
after a restart. Files are read in rounds, small ones first, so that the first documents can be
opened soon. Removals that come while a round runs are noted on disk, too, and made after it.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path
from typing import Literal

from docpipe import codec
from docpipe.errors import ConfigError, InputError
from docpipe.ingest import Progress
from docpipe.ingest.inputs import find_inputs, printable
from docpipe.library import Entry, Library
from docpipe.library.store import Store, path_text
from docpipe.server.models import DocumentItem, Problem, Reading
from docpipe.server.reader import Order, Told
from docpipe.server.settings import Settings
from docpipe.workers.handle import python_path

_FIRST_ROUND = 4  # files; each next round of a batch is twice as large
_LARGEST_ROUND = 64
_AGAIN = 2.0  # seconds until the library is tried again that another process writes to
_LOOK_EVERY = 1.5  # seconds
_REMOVED = ".removed"
_READER = "from docpipe.server.reader import main; main()"


class Intake:
    """The queue of files, and the child process that reads them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._waiting: dict[str, Path] = {}  # by document id for uploads, else by path
        self._now: dict[str, Path] = {}  # those of the round that runs
        self._removed: set[str] = set()
        self._progress = Progress(0, 0, 0, "")
        self._problem: Problem | None = None
        self._wake = asyncio.Event()
        self._changed = asyncio.Condition()
        self._version = 0
        self._closed = False
        self._library = Library.create(settings.library, config=settings.config)
        self._manifest = Store(settings.library).manifest_path
        self._entries: dict[str, Entry] = {}
        self._sources: set[str] = set()
        self._reload()

    # ── What is known ───────────────────────────────────────────────────────────────────────

    @property
    def count(self) -> int:
        """Documents in the library and on their way."""
        return len(self._entries) + len(self._waiting) + len(self._now)

    def documents(self) -> list[DocumentItem]:
        """What waits or is read, then the documents by name."""
        coming = [
            DocumentItem(id=key, name=printable(path.name), status=_status(key in self._now))
            for key, path in (self._now | self._waiting).items()
            if key not in self._entries and path_text(path) not in self._sources
        ]
        known = sorted(self._entries.values(), key=lambda entry: (entry.name.casefold(), entry.id))
        return [*coming, *(_item(entry) for entry in known)]

    def entry(self, id: str) -> Entry:
        """What the library knows of a document. Raises ConfigError (`unknown_document`)."""
        if id not in self._entries:
            raise ConfigError(f"there is no document {id}", code="unknown_document")
        return self._entries[id]

    def is_known(self, id: str) -> bool:
        """Whether the library has, or soon will have, the content with this id."""
        entry = self._entries.get(id)
        return (
            (entry is not None and entry.status == "ok") or id in self._waiting or id in self._now
        )

    def reading(self) -> Reading:
        """How far the reading is."""
        now = self._progress
        return Reading(
            running=bool(self._now),
            waiting=len(self._waiting) + len(self._now),
            done=now.done,
            total=now.total,
            pages=now.pages,
            name=now.name,
            problem=self._problem,
        )

    async def changes(self, every: float) -> AsyncGenerator[bool, None]:
        """True at once and whenever something has changed, False when nothing did for `every`
        seconds."""
        seen = -1
        while not self._closed:
            changed = seen != self._version
            seen = self._version
            yield changed
            async with self._changed:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(every):
                        await self._changed.wait_for(functools.partial(self._is_newer, seen))

    async def close(self) -> None:
        """End all streams of changes."""
        self._closed = True
        await self._announce()

    def _is_newer(self, seen: int) -> bool:
        return self._version != seen

    # ── What comes and goes ─────────────────────────────────────────────────────────────────

    async def add(self, id: str, path: Path) -> None:
        """Read an uploaded file."""
        self._removed.discard(id)
        self._waiting[id] = path
        await self._announce(wake=True)

    async def remove(self, id: str) -> None:
        """Remove a document and its upload; at the latest when the running round has ended."""
        folder = self._settings.uploads / id
        if id in self._waiting:
            del self._waiting[id]
            shutil.rmtree(folder, ignore_errors=True)
        elif id in self._now or self.entry(id):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / _REMOVED).touch()
            self._removed.add(id)
            self._reload()
        await self._announce(wake=True)

    async def run(self) -> None:
        """Read what comes, until cancelled."""
        found, removed, self._problem = await asyncio.to_thread(self._find)
        self._waiting = found | self._waiting
        self._removed |= removed
        self._reload()
        await self._announce(wake=True)
        size = _FIRST_ROUND
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting or self._removed:
                if not await self._round(size):
                    break
                size = min(2 * size, _LARGEST_ROUND)
            size = _FIRST_ROUND

    async def watch(self) -> None:
        """See what other processes do to the library, until cancelled."""
        seen = self._state()
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            if not self._now and seen != (seen := self._state()):
                await asyncio.to_thread(self._library.refresh)
                self._reload()
                await self._announce()

    def _state(self) -> tuple[int, int]:
        found = self._manifest.stat()
        return found.st_mtime_ns, found.st_ino

    async def _round(self, size: int) -> bool:
        """Read some of what waits; whether to go on with the rest."""
        self._now = dict(list(self._waiting.items())[:size])
        for key in self._now:
            del self._waiting[key]
        removed = set(self._removed)
        await self._announce()
        try:
            problem = await self._read(removed)
        finally:
            left, self._now = self._now, {}
        self._problem = problem
        await asyncio.to_thread(self._library.refresh)
        if problem is None:
            done = removed & self._removed  # one of them may have been uploaded again
            self._removed -= removed
            for id in done:
                shutil.rmtree(self._settings.uploads / id, ignore_errors=True)
        else:
            self._waiting = left | self._waiting
        self._reload()
        await self._announce()
        if problem is not None and problem.code == "locked":
            await asyncio.sleep(_AGAIN)
            return True
        return problem is None

    async def _read(self, removed: Iterable[str]) -> Problem | None:
        """Run the child process over the files of this round; what went wrong as a whole."""
        settings = self._settings
        order = Order(
            library=str(settings.library),
            config=settings.config,
            passwords=settings.passwords,
            jobs=settings.jobs,
            remove=tuple(sorted(removed)),
            files=tuple(path_text(path) for path in self._now.values()),
        )
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", _READER),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": python_path()},
        )
        assert child.stdin
        assert child.stdout
        try:
            child.stdin.write(codec.encode(order))
            child.stdin.close()
            problem = None
            async for line in child.stdout:
                told = codec.decode(line, Told)
                if told.progress is not None:
                    self._progress = told.progress
                    await self._announce()
                elif told.code is not None:
                    problem = Problem(code=told.code, message=told.message, hint=told.hint)
            if await child.wait() != 0 and problem is None:
                return Problem(code="internal", message="reading ended by itself", hint=_ENDED)
            return problem
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()

    # ── What is on disk ─────────────────────────────────────────────────────────────────────

    def _find(self) -> tuple[dict[str, Path], set[str], Problem | None]:
        """What waits: uploads that are not in the library, and the files of the folders; removals
        that were not made; and why a folder could not be read."""
        waiting: dict[str, Path] = {}
        removed: set[str] = set()
        uploads = self._settings.uploads
        for folder in sorted(uploads.iterdir()) if uploads.is_dir() else ():
            files = [path for path in folder.iterdir() if not path.name.startswith(".")]
            if folder.name.startswith("."):  # an upload that was cut off
                shutil.rmtree(folder, ignore_errors=True)
            elif (folder / _REMOVED).exists():
                removed.add(folder.name)
            elif files and folder.name not in self._entries:
                waiting[folder.name] = files[0]
        try:
            given = find_inputs(self._settings.folders, leave_out=[self._settings.library])
        except InputError as error:
            problem = Problem(code=error.code, message=error.message, hint=error.hint)
            return waiting, removed, problem
        found = [item for item in given if not item.skipped and not item.problem]
        return waiting | {_key(item.source): item.source for item in found}, removed, None

    def _reload(self) -> None:
        entries = self._library.status()
        self._entries = {entry.id: entry for entry in entries if entry.id not in self._removed}
        self._sources = {source for entry in self._entries.values() for source in entry.sources}

    async def _announce(self, *, wake: bool = False) -> None:
        self._version += 1
        if wake:
            self._wake.set()
        async with self._changed:
            self._changed.notify_all()


def _status(now: bool) -> Literal["reading", "queued"]:
    return "reading" if now else "queued"


def _key(path: Path) -> str:
    """A stand-in for the id of a file that was not read yet."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


_ENDED = "add the file again; if it goes on, look at what docpipe serve prints"


def _item(entry: Entry) -> DocumentItem:
    hint = None
    if entry.reason is not None:
        with contextlib.suppress(KeyError):
            hint = InputError(entry.reason, "").hint  # type: ignore[arg-type]
    return DocumentItem(
        id=entry.id,
        name=entry.name,
        status=entry.status,
        reason=entry.reason,
        message=entry.message,
        hint=hint,
        pages=entry.pages,
        routes=entry.routes,
        issues=entry.issues,
    )
