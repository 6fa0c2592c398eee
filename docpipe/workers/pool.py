"""Worker processes that can be killed: a bad page costs that page and nothing else.

A pool runs calls in child processes, one at a time each. Every worker has a pipe of its own, so
that one that dies, hangs or runs out of memory cannot hold up or garble the others. Limits: a
wall clock per call, enforced by SIGKILL on the worker's process group (helpers it started die
with it), and a cap on the address space per kind of work (RLIMIT_AS, so that a decompression bomb
is stopped by the operating system and not by sampling).

Workers are forked from a template: a child process that has imported the heavy packages and does
nothing else, so that a new worker costs milliseconds. The template is a plain `python -c`: no
`if __name__ == "__main__"` is asked of the caller's script, and threads or models in the caller are
not copied.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from types import TracebackType

import msgspec

from docpipe.errors import ConfigError
from docpipe.records import Issue
from docpipe.workers.handle import Template, Worker
from docpipe.workers.task import Kind, Outcome, Refusal, Task

_FAILED_STARTS = 3  # in a row, after which a kind of work is given up


class WorkerPool:
    """At most `jobs` tasks at a time, whatever their kind. One thread uses it: `start` tasks while
    there is room, then `wait` for outcomes."""

    def __init__(
        self, jobs: int, kinds: Mapping[str, Kind], log: Path, preload: Sequence[str] = ()
    ) -> None:
        self._jobs = jobs
        self._kinds = kinds
        self._template = Template(log, preload)
        self._workers: list[Worker] = []
        self._settled: list[tuple[Task, Outcome]] = []
        self._failed_starts = dict.fromkeys(kinds, 0)
        self._broken: dict[str, Issue] = {}

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def running(self) -> int:
        return len(self._settled) + sum(worker.task is not None for worker in self._workers)

    @property
    def room(self) -> int:
        """How many more tasks may be started now."""
        return self._jobs - self.running

    def start(self, task: Task) -> None:
        """Give a task to a worker; call only while there is `room`."""
        if task.kind in self._broken:
            issue = msgspec.structs.replace(self._broken[task.kind], page=task.page)
            self._settled.append((task, Outcome(issue=issue)))
            return
        idle = [w for w in self._workers if w.task is None and w.kind == task.kind]
        idle.sort(key=lambda worker: worker.topic != task.topic)
        if idle and idle[0].give(task):
            return
        fresh = Worker(task.kind, self._kinds[task.kind], self._template)
        self._workers.append(fresh)
        fresh.give(task)

    def wait(self) -> list[tuple[Task, Outcome]]:
        """The tasks that ended, at least one if any is running."""
        while not self._settled and self.running:
            connections = {worker.connection: worker for worker in self._workers}
            for connection in wait(list(connections), self._patience()):
                self._hear(connections[connection])  # type: ignore[index]
            for worker in [w for w in self._workers if w.overdue()]:
                self._settle(worker, worker.timed_out())
                self._discard(worker)
        settled, self._settled = self._settled, []
        return settled

    def close(self) -> None:
        """Kill all workers."""
        for worker in self._workers:
            worker.stop()
        self._workers = []
        self._template.close()

    def _patience(self) -> float | None:
        """Seconds until the next task is overdue."""
        deadlines = [w.deadline for w in self._workers if w.task and w.deadline is not None]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _hear(self, worker: Worker) -> None:
        try:
            message = worker.connection.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        if worker.ready:
            self._settle(worker, message)
            if _is_used_up(message, worker.served, self._kinds[worker.kind]):
                self._discard(worker)
        elif message is None:
            self._failed_starts[worker.kind] = 0
            worker.begin()
        else:
            self._break(worker, message)

    def _bury(self, worker: Worker) -> None:
        """Take note of a worker that ended by itself, between tasks or in the middle of one."""
        self._discard(worker)
        if worker.task is None:
            return
        if worker.ready:
            self._settle(worker, worker.died())
            return
        self._failed_starts[worker.kind] += 1
        issue = worker.died().issue
        if issue and self._failed_starts[worker.kind] >= _FAILED_STARTS:
            self._break(worker, Refusal(issue))
        else:
            self.start(worker.finish())

    def _break(self, worker: Worker, refusal: Refusal) -> None:
        issue = refusal.issue
        if refusal.misconfigured:
            raise ConfigError(issue.message, code=issue.code, hint=refusal.hint)
        if self._kinds[worker.kind].required:
            message = f"{worker.kind} workers cannot start: {issue.message}"
            raise ConfigError(message, hint=refusal.hint)
        self._broken[worker.kind] = issue
        self._settle(worker, Outcome(issue=issue))
        self._discard(worker)

    def _settle(self, worker: Worker, outcome: Outcome) -> None:
        task = worker.finish()
        if outcome.issue:
            issue = msgspec.structs.replace(outcome.issue, page=task.page)
            outcome = msgspec.structs.replace(outcome, issue=issue)
        self._settled.append((task, outcome))

    def _discard(self, worker: Worker) -> None:
        worker.stop()
        if worker in self._workers:
            self._workers.remove(worker)


def _is_used_up(outcome: Outcome, served: int, kind: Kind) -> bool:
    """Whether to let a worker go: memory that it could not free would fail the next page too."""
    out_of_memory = outcome.issue is not None and outcome.issue.code == "memory"
    return out_of_memory or served >= kind.tasks_per_worker
