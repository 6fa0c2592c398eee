"""New files on their way into the library: uploads, and folders given at start.

What waits stands on disk alone: an upload whose content the library does not know is read, also
after a restart. Files are read in rounds, small ones first, so that the first documents can be
opened soon. Removals that come while a round runs are noted on disk, too, and made after it.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import logging
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path
from typing import Literal

from docpipe import codec
from docpipe.errors import ConfigError, DocpipeError
from docpipe.ingest import Progress
from docpipe.ingest.inputs import printable
from docpipe.library import Entry, Library
from docpipe.library.store import Store, path_from, path_text
from docpipe.server.disk import REMOVED, bury, find, hint_of, problem_of, refusal
from docpipe.server.models import DocumentItem, Problem, Reading
from docpipe.server.reader import Order, Told
from docpipe.server.settings import Settings
from docpipe.workers.handle import python_path

_FIRST_ROUND = 4  # files; each next round of a batch is twice as large
_LARGEST_ROUND = 64
_AGAIN = 2.0  # seconds until the library is tried again that another process writes to
_LOOK_EVERY = 1.5  # seconds
_TRANSIENT = frozenset({"locked", "cannot_write", "read_only"})  # no fault of a file
_log = logging.getLogger(__name__)
_READER = "from docpipe.server.reader import main; main()"


class Intake:
    """The queue of files, and the child process that reads them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._waiting: dict[str, Path] = {}  # by document id for uploads, else by path
        self._now: dict[str, Path] = {}  # those of the round that runs
        self._refused: dict[str, DocumentItem] = {}  # by the same keys: no documents
        self._failed: set[str] = set()  # keys of files in a round that went wrong as a whole
        self._removed: set[str] = set()
        self._unwanted: set[str] = set()  # paths that were removed while they were read
        self._progress = _NONE
        self._before = _NONE  # of the earlier rounds of this batch
        self._passwords = settings.passwords
        self._problem: Problem | None = None
        self._wake = asyncio.Event()
        self._changed = asyncio.Condition()
        self._version = self._list_version = 0
        self._closed = False
        self._library = Library.open(settings.library, config=settings.config)
        self._manifest = Store(settings.library).manifest_path
        self._entries: dict[str, Entry] = {}
        self._sources: set[str] = set()
        self._reload()

    # ── What is known ───────────────────────────────────────────────────────────────────────

    @property
    def count(self) -> int:
        """Documents in the library and on their way."""
        return len(self._entries) + len(self._coming()) + len(self._refused)

    def documents(self) -> list[DocumentItem]:
        """What waits or is read, then the documents by name."""
        coming = [
            DocumentItem(id=key, name=printable(path.name), status=_status(key in self._now))
            for key, path in self._coming().items()
        ]
        refused = [item for key, item in self._refused.items() if key not in self._entries]
        known = sorted(self._entries.values(), key=lambda entry: (entry.name.casefold(), entry.id))
        return [*coming, *refused, *(_item(entry) for entry in known)]

    def entry(self, id: str) -> Entry:
        """What the library knows of a document. Raises ConfigError (`unknown_document`)."""
        if id not in self._entries:
            raise ConfigError(f"there is no document {id}", code="unknown_document")
        return self._entries[id]

    def is_known(self, id: str) -> bool:
        """Whether the library has, or soon will have, the content with this id."""
        entry = self._entries.get(id)
        known = entry is not None and entry.status == "ok"
        return id not in self._removed and (known or id in self._waiting or id in self._now)

    def reading(self) -> Reading:
        """How far the reading is."""
        now, before = self._progress, self._before
        return Reading(
            running=bool(self._now),
            changes=self._list_version,
            waiting=len(self._waiting) + len(self._now),
            done=before.done + now.done,
            total=before.done + len(self._now) + len(self._waiting),
            pages=before.pages + now.pages,
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

    def _coming(self) -> dict[str, Path]:
        """What waits or is read, is no document yet, and is still wanted."""
        return {
            key: path
            for key, path in (self._now | self._waiting).items()
            if key not in self._entries
            and path_text(path) not in self._sources
            and (key in self._waiting or not self._is_unwanted(key, path))
        }

    def _is_unwanted(self, key: str, path: Path) -> bool:
        return key in self._removed or path_text(path) in self._unwanted

    def _is_newer(self, seen: int) -> bool:
        return self._version != seen

    # ── What comes and goes ─────────────────────────────────────────────────────────────────

    async def add(self, id: str, path: Path) -> None:
        """Read an uploaded file."""
        self._removed.discard(id)
        self._unwanted.discard(path_text(path))
        self._refused.pop(id, None)
        self._failed.discard(id)
        self._waiting[id] = path
        await self._announce(wake=True)

    async def unlock(self, passwords: tuple[str, ...]) -> None:
        """Read what needs a password again, with these."""
        self._passwords = passwords
        for entry in self._entries.values():
            if entry.reason in ("needs_password", "wrong_password"):
                there = (path for path in map(path_from, entry.sources) if path.exists())
                self._waiting.update((entry.id, path) for path in itertools.islice(there, 1))
        await self._announce(wake=True)

    async def remove(self, id: str) -> None:
        """Remove a document and its upload; at the latest when the running round has ended."""
        known = self._entries.get(id)
        paths = [waiting[id] for waiting in (self._waiting, self._now) if id in waiting]
        if known is None and not paths and id not in self._refused:
            self.entry(id)
        sources = {*map(path_text, paths), *(known.sources if known else ())}
        await asyncio.to_thread(bury, self._settings, sources)
        self._unwanted |= {path_text(path) for path in self._now.values()} & sources
        self._waiting = {
            key: path
            for key, path in self._waiting.items()
            if key != id and path_text(path) not in sources
        }
        self._refused.pop(id, None)
        if known or (id in self._now and (self._settings.uploads / id).is_dir()):
            self._drop(id)
        else:
            shutil.rmtree(self._settings.uploads / id, ignore_errors=True)
        self._reload()
        await self._announce(wake=True)

    def _drop(self, id: str) -> None:
        """Have a document removed with the next round."""
        folder = self._settings.uploads / id
        folder.mkdir(parents=True, exist_ok=True)
        (folder / REMOVED).touch()
        self._removed.add(id)

    async def run(self) -> None:
        """Read what comes, until cancelled. Whatever goes wrong is told and tried again."""
        looked = False
        while True:
            try:
                if not looked:
                    await self._look()
                    looked = True
                await self._wake.wait()
                self._wake.clear()
                await self._rounds()
            except Exception as error:
                await self._tell(_problem(error))
                await asyncio.sleep(_AGAIN)
                self._wake.set()

    async def watch(self) -> None:
        """See what other processes do to the library, until cancelled."""
        seen: tuple[int, int] | None = None
        while True:
            try:
                if not self._now and seen != (state := self._state()):
                    await asyncio.to_thread(self._library.refresh)
                    self._reload()
                    await self._announce()
                    seen = state
            except Exception as error:
                await self._tell(_problem(error))
            await asyncio.sleep(_LOOK_EVERY)

    async def _look(self) -> None:
        found = await asyncio.to_thread(find, self._settings, dict(self._entries))
        self._waiting = found.waiting | self._waiting
        self._refused = found.refused | self._refused
        self._removed |= found.removed
        self._problem = found.problem
        self._reload()
        await self._announce(wake=True)

    def _state(self) -> tuple[int, int]:
        found = self._manifest.stat()
        return found.st_mtime_ns, found.st_ino

    async def _rounds(self) -> None:
        size = _FIRST_ROUND
        self._before = _NONE
        while self._waiting or self._removed:
            problem = await self._round(self._batch(size))
            size = _FIRST_ROUND if problem else min(2 * size, _LARGEST_ROUND)
            if problem is not None and (problem.code in _TRANSIENT or not self._waiting):
                await asyncio.sleep(_AGAIN)

    def _batch(self, size: int) -> dict[str, Path]:
        """The next files. One that was in a round that went wrong is read alone, after those that
        were not."""
        fresh = [item for item in self._waiting.items() if item[0] not in self._failed]
        return dict(fresh[:size] or list(self._waiting.items())[:1])

    async def _round(self, batch: dict[str, Path]) -> Problem | None:
        """Read files, and remove what is to be removed; what went wrong as a whole."""
        self._now = batch
        for key in batch:
            del self._waiting[key]
        removed = set(self._removed)
        await self._announce()
        try:
            problem = await self._read(removed)
            await asyncio.to_thread(self._library.refresh)
        except Exception as error:
            problem = _problem(error)
        finally:
            done = self._before.done + len(batch)
            self._before = Progress(done, done, self._before.pages + self._progress.pages, "")
            self._progress = _NONE
            self._now = {}
        if problem is None:
            self._failed -= batch.keys()
            gone = removed & self._removed  # one of them may have been uploaded again
            self._removed -= removed
            for id in gone:
                shutil.rmtree(self._settings.uploads / id, ignore_errors=True)
        else:
            self._put_back(batch, problem)
        self._carry_on()
        await self._tell(problem)
        return problem

    def _put_back(self, batch: dict[str, Path], problem: Problem) -> None:
        """Have files read again; one that has failed alone is given up."""
        again = {key: path for key, path in batch.items() if not self._is_unwanted(key, path)}
        if problem.code not in _TRANSIENT:
            if len(batch) == 1:
                for key in again.keys() & self._failed:
                    name = printable(again.pop(key).name)
                    self._refused[key] = refusal(key, name, problem.code, problem.message)
            self._failed |= again.keys()
        self._waiting = again | self._waiting

    def _carry_on(self) -> None:
        """Take in what the round has made, and drop what was removed meanwhile."""
        self._reload()
        for entry in list(self._entries.values()):
            if self._unwanted.intersection(entry.sources):
                self._drop(entry.id)
        self._unwanted.clear()
        self._reload()

    async def _read(self, removed: Iterable[str]) -> Problem | None:
        """Run the child process over the files of this round; what went wrong as a whole."""
        settings = self._settings
        order = Order(
            library=str(settings.library),
            config=settings.config,
            passwords=self._passwords,
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
                    await self._announce(listed=False)
                elif told.file is not None:
                    self._refuse(told)
                elif told.code is not None:
                    problem = Problem(code=told.code, message=told.message, hint=told.hint)
            if await child.wait() != 0 and problem is None:
                return Problem(code="internal", message="reading ended by itself", hint=_ENDED)
            return problem
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()

    def _refuse(self, told: Told) -> None:
        """Keep why a file became no document."""
        for key, path in self._now.items():
            if path_text(Path(os.path.abspath(path))) == told.file:
                name, code = printable(path.name), told.code or "internal"
                self._refused[key] = refusal(key, name, code, told.message)

    async def _tell(self, problem: Problem | None) -> None:
        self._problem = problem
        await self._announce()

    def _reload(self) -> None:
        entries = self._library.status()
        self._entries = {entry.id: entry for entry in entries if entry.id not in self._removed}
        self._sources = {source for entry in self._entries.values() for source in entry.sources}

    async def _announce(self, *, wake: bool = False, listed: bool = True) -> None:
        """Tell that something has changed; unless not `listed`, the list of documents has."""
        self._version += 1
        self._list_version += listed
        if wake:
            self._wake.set()
        async with self._changed:
            self._changed.notify_all()


_NONE = Progress(0, 0, 0, "")


def _status(now: bool) -> Literal["reading", "queued"]:
    return "reading" if now else "queued"


def _problem(error: Exception) -> Problem:
    """What to tell of anything that has gone wrong; of a defect, the log tells the rest."""
    if isinstance(error, DocpipeError):
        return problem_of(error)
    _log.error("the intake has failed", exc_info=error)
    return Problem(code="internal", message="reading new files has failed", hint=_ENDED)


_ENDED = "add the file again; if it goes on, look at what docpipe serve prints"


def _item(entry: Entry) -> DocumentItem:
    return DocumentItem(
        id=entry.id,
        name=entry.name,
        status=entry.status,
        reason=entry.reason,
        message=entry.message,
        hint=hint_of(entry.reason),
        pages=entry.pages,
        routes=entry.routes,
        issues=entry.issues,
    )
