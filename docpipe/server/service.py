"""What the API's routes stand on: the intake, the workers, and a cache of pages."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import tempfile
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from fastapi import Request

from docpipe import __version__
from docpipe.errors import DocpipeError
from docpipe.library import Entry, Library
from docpipe.server.desk import Desk, Work
from docpipe.server.disk import alone, sweep
from docpipe.server.errors import DEFECT, ClientGone
from docpipe.server.inside import Place, Refused
from docpipe.server.intake import Intake
from docpipe.server.settings import Settings
from docpipe.workers import Outcome

_log = logging.getLogger(__name__)
T = TypeVar("T")
LOOK_TIMEOUT = 30.0  # seconds for a page, or a search
_REMEMBERED = 60.0  # seconds that a page which could not be rendered is not tried again
_CACHE = 96 << 20  # bytes of pages and images
_MOST_HOPELESS = 1_000
_MOST_PASSWORDS = 20
_POLL = 0.04  # seconds between looks at the trace of an answer


class Service:
    """The state of a running server. It is made and closed within an event loop."""

    def __init__(self, settings: Settings, scratch: Path) -> None:
        self.settings = settings
        self.intake = Intake(settings)
        self.cache = Cache(_CACHE)
        self._scratch = scratch
        self._desk = Desk(settings.config.limits, scratch / "workers.log")
        self._place = Place(settings.library.absolute(), settings.config, settings.passwords)
        self._hopeless: dict[tuple[object, ...], tuple[float, DocpipeError]] = {}
        self.receiving = 0  # uploads that are under way

    @classmethod
    @contextlib.asynccontextmanager
    async def running(cls, settings: Settings) -> AsyncIterator[Service]:
        """A service that reads what comes, until the block ends."""
        Library.create(settings.library, config=settings.config)
        with tempfile.TemporaryDirectory(prefix="docpipe-serve-") as scratch, alone(settings):
            sweep(settings)
            service = cls(settings, Path(scratch))
            tasks = [
                asyncio.create_task(service.intake.run()),
                asyncio.create_task(service.intake.watch()),
                asyncio.create_task(service._warm()),
            ]
            try:
                yield service
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await asyncio.to_thread(service._desk.close)

    async def _warm(self) -> None:
        """Start a worker of each kind, so that the first who asks does not wait for it."""
        with contextlib.suppress(DocpipeError):
            await self.look("ready")
            await self.think("ready")

    async def look(self, name: str, *arguments: Any) -> Any:
        """What `inside.<name>` returns. Raises DocpipeError; for a while the same one again where
        time or memory did not suffice, so that one page does not keep all workers busy."""
        key = (name, *arguments)
        until, error = self._hopeless.get(key, (0.0, None))
        if error is not None and time.monotonic() < until:
            raise error
        self._hopeless.pop(key, None)
        try:
            return await self._call("look", name, *arguments, timeout=LOOK_TIMEOUT)
        except DocpipeError as error:
            if error.code in ("timeout", "memory"):
                if len(self._hopeless) >= _MOST_HOPELESS:
                    self._hopeless.clear()
                self._hopeless[key] = (time.monotonic() + _REMEMBERED, error)
            raise

    async def search(self, query: str, limit: int) -> Any:
        """Hits, by a worker that answers do not keep waiting."""
        return await self._call("search", "search", query, limit, timeout=LOOK_TIMEOUT)

    async def think(self, name: str, *arguments: Any) -> Any:
        """As `look`, for what takes longer."""
        seconds = self.settings.config.limits.answer_timeout
        try:
            return await self._call("think", name, *arguments, timeout=seconds)
        except DocpipeError as error:
            if error.code == "timeout" and not error.hint:
                error.hint = "start docpipe serve with --set limits.answer_timeout=SECONDS"
            raise

    async def unlock(self, password: str) -> None:
        """Try a password on what could not be opened, and use it from now on."""
        passwords = tuple(dict.fromkeys((password, *self._place.passwords)))[:_MOST_PASSWORDS]
        self._place = msgspec.structs.replace(self._place, passwords=passwords)
        await self.intake.unlock(passwords)

    async def ask(
        self, question: str, documents: list[str] | None
    ) -> AsyncGenerator[tuple[Literal["step", "answer"], bytes], None]:
        """The steps of an answer as they are taken, then `models.Asked`, as JSON. Whoever stops
        listening ends the work."""
        with tempfile.NamedTemporaryFile(dir=self._scratch, suffix=".trace") as trace:
            work = asyncio.create_task(self.think("ask", question, documents, Path(trace.name)))
            rest = b""  # a line that is not yet whole
            try:
                while not work.done():
                    await asyncio.wait([work], timeout=_POLL)
                    *lines, rest = (rest + trace.read()).split(b"\n")
                    for line in lines:
                        yield "step", line
                yield "answer", await work
            finally:
                work.cancel()

    async def _call(self, work: Work, name: str, *arguments: Any, timeout: float) -> Any:
        place = self._place
        outcome = await self._desk.call(work, name, place, *arguments, timeout=timeout)
        try:
            return _value(outcome)
        except DocpipeError as error:  # where the library lies is nothing for clients
            error.message = error.message.replace(str(place.root), place.root.name)
            raise


def _value(outcome: Outcome) -> Any:
    if outcome.issue is not None:
        if outcome.issue.code == "internal":  # the text of some exception is not for clients
            _log.error("a worker has failed: %s", outcome.issue.message)
            raise DocpipeError(DEFECT, code="internal", hint="please report it")
        raise DocpipeError(outcome.issue.message, code=outcome.issue.code)
    if isinstance(outcome.value, Refused):
        refused = outcome.value
        raise DocpipeError(refused.message, code=refused.code, hint=refused.hint)
    return outcome.value


class Cache:
    """The bytes last used, up to `size` of them."""

    def __init__(self, size: int) -> None:
        self._size = self._room = size
        self._kept: OrderedDict[tuple[object, ...], bytes] = OrderedDict()

    def get(self, key: tuple[object, ...]) -> bytes | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: tuple[object, ...], value: bytes) -> None:
        if key in self._kept or len(value) > self._size:
            return
        self._kept[key] = value
        self._room -= len(value)
        while self._room < 0 and self._kept:
            self._room += len(self._kept.popitem(last=False)[1])


def tag_of(entry: Entry) -> str:
    """What a document's pages depend on: its content, the settings it was read with, docpipe."""
    return f"{entry.id}-{entry.settings}-{entry.fields}-{__version__}"


async def unless_gone(request: Request, work: Awaitable[T]) -> T:
    """What `work` gives; it is cancelled, and ClientGone raised, when the client goes before."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait([task, gone], return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        return task.result()
    finally:
        task.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
