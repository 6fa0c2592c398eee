"""The server's workers: calls run in child processes, under limits of time and memory."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

from docpipe.config import Limits
from docpipe.errors import DocpipeError
from docpipe.server import inside
from docpipe.workers import Kind, Outcome, Task, WorkerPool

Work = Literal["look", "search", "think"]
_MOST_WAITING = 64
_PRELOAD = (inside.__name__, "pymupdf", "docpipe.pdf", "docpipe.export")


class Desk:
    """Workers that look up and render pages, one that searches, and one that thinks, which answers
    and extracts. A call that nobody waits for any more is not begun."""

    def __init__(self, limits: Limits, log: Path) -> None:
        self._kinds: Mapping[Work, Kind] = {
            "look": Kind(limits.parse_memory, tasks_per_worker=2_000),
            "search": Kind(limits.model_memory, tasks_per_worker=2_000),
            "think": Kind(limits.model_memory, tasks_per_worker=2_000),
        }
        self._log = log
        self._seats: Mapping[Work, ThreadPoolExecutor] = {
            "look": ThreadPoolExecutor(2, "look"),
            "search": ThreadPoolExecutor(1, "search"),
            "think": ThreadPoolExecutor(1, "think"),
        }
        self._waiting: Counter[Work] = Counter()
        self._own = threading.local()
        self._pools: list[WorkerPool] = []

    async def call(self, work: Work, name: str, *arguments: Any, timeout: float) -> Outcome:
        """The outcome of `inside.<name>(*arguments)`, killed after `timeout` seconds. Raises
        DocpipeError (`busy`) where too many wait already."""
        if self._waiting[work] >= _MOST_WAITING:
            raise DocpipeError("too many wait already", code="busy", hint="try again in a minute")
        task = Task(work, f"{inside.__name__}:{name}", arguments, timeout)
        loop = asyncio.get_running_loop()
        self._waiting[work] += 1
        try:
            return await loop.run_in_executor(self._seats[work], self._perform, task)
        finally:
            self._waiting[work] -= 1

    def close(self) -> None:
        """Kill all workers."""
        for seat in self._seats.values():
            seat.shutdown(wait=False, cancel_futures=True)
        for pool in self._pools:
            pool.close()

    def _perform(self, task: Task) -> Outcome:
        """Run a task in the worker of this thread."""
        pool: WorkerPool | None = getattr(self._own, "pool", None)
        if pool is None:
            pool = WorkerPool(
                1, {str(k): kind for k, kind in self._kinds.items()}, self._log, _PRELOAD
            )
            self._own.pool = pool
            self._pools.append(pool)
        try:
            pool.start(task)
            [(_, outcome)] = pool.wait()
        except BaseException:  # it may be left with half a task: the next call gets a fresh one
            self._own.pool = None
            self._pools.remove(pool)
            pool.close()
            raise
        return outcome
