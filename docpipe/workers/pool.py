"""Worker processes that can be killed: a bad page costs that page and nothing else.

A pool runs calls in child processes, one at a time each. Every worker has a pipe of its own, so
that one that dies, hangs or runs out of memory cannot hold up or garble the others. Limits: a
wall clock per call, enforced by SIGKILL on the worker's process group (helpers it started die
with it), and a cap on the address space per kind of work (RLIMIT_AS, so that a decompression bomb
is stopped by the operating system and not by sampling).

Workers are plain `python -c` children and not forks: no `if __name__ == "__main__"` is asked of
the caller's script, and threads or models in the caller are not copied.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from multiprocessing.connection import Pipe, wait
from pathlib import Path
from types import TracebackType

import msgspec

from docpipe.errors import ConfigError
from docpipe.records import Issue
from docpipe.workers.task import Kind, Outcome, Task

STARTUP_LIMIT = 120.0  # seconds until a fresh worker must have built its stage
_FAILED_STARTS = 3  # in a row, after which a kind of work is given up

_BOOT = "import sys; from docpipe.workers.process import serve; serve(*map(int, sys.argv[1:]))"
# Parallelism is by processes: threads inside a worker would fight over the same cores, and each
# reserves address space.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "MALLOC_ARENA_MAX": "2",
}


class WorkerPool:
    """At most `jobs` tasks at a time, whatever their kind. One thread uses it: `start` tasks while
    there is room, then `wait` for outcomes."""

    def __init__(self, jobs: int, kinds: Mapping[str, Kind], log: Path) -> None:
        self._jobs = jobs
        self._kinds = kinds
        self._log = log
        self._workers: list[_Worker] = []
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
        fresh = _Worker(task.kind, self._kinds[task.kind], self._log)
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

    def _patience(self) -> float | None:
        """Seconds until the next task is overdue."""
        deadlines = [w.deadline for w in self._workers if w.task and w.deadline is not None]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _hear(self, worker: _Worker) -> None:
        try:
            message = worker.connection.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        if worker.ready:
            self._settle(worker, message)
            if _is_used_up(message, worker.served, self._kinds[worker.kind]):
                self._discard(worker)
        elif message.issue is None:
            self._failed_starts[worker.kind] = 0
            worker.begin()
        else:
            self._break(worker, message.issue)

    def _bury(self, worker: _Worker) -> None:
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
            self._break(worker, issue)
        else:
            self._settle(worker, worker.died())

    def _break(self, worker: _Worker, issue: Issue) -> None:
        if self._kinds[worker.kind].required:
            raise ConfigError(f"{worker.kind} workers cannot start: {issue.message}")
        self._broken[worker.kind] = issue
        self._settle(worker, Outcome(issue=issue))
        self._discard(worker)

    def _settle(self, worker: _Worker, outcome: Outcome) -> None:
        task = worker.finish()
        if outcome.issue:
            issue = msgspec.structs.replace(outcome.issue, page=task.page)
            outcome = msgspec.structs.replace(outcome, issue=issue)
        self._settled.append((task, outcome))

    def _discard(self, worker: _Worker) -> None:
        worker.stop()
        if worker in self._workers:
            self._workers.remove(worker)


def _is_used_up(outcome: Outcome, served: int, kind: Kind) -> bool:
    """Whether to let a worker go: memory that it could not free would fail the next page too."""
    out_of_memory = outcome.issue is not None and outcome.issue.code == "memory"
    return out_of_memory or served >= kind.tasks_per_worker


class _Worker:
    """The pool's end of one child process."""

    def __init__(self, name: str, kind: Kind, log: Path) -> None:
        self.kind = name
        self.task: Task | None = None
        self.topic = ""
        self.served = 0
        self.ready = False
        self.deadline: float | None = None
        self.connection, child = Pipe()
        self._started = time.monotonic()
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _BOOT, str(child.fileno()), str(kind.memory)],
                pass_fds=[child.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=os.environ | _ENVIRONMENT | {"PYTHONPATH": _python_path()},
                start_new_session=True,
            )
        child.close()
        with contextlib.suppress(OSError):  # it died at once: seen as end of file later
            self.connection.send((name, kind.setup))

    def give(self, task: Task) -> bool:
        """Send a task; False when the worker turns out to be dead."""
        try:
            self.connection.send(task)
        except OSError:
            if self.ready:
                return False
        self.task, self.topic = task, task.topic
        if self.ready:
            self.begin()
        else:
            self.deadline = time.monotonic() + STARTUP_LIMIT
        return True

    def begin(self) -> None:
        """The clock of the task starts when the worker is ready for it."""
        self.ready = True
        self._started = time.monotonic()
        timeout = self.task.timeout if self.task else None
        self.deadline = None if timeout is None else self._started + timeout

    def finish(self) -> Task:
        assert self.task is not None
        task, self.task, self.deadline = self.task, None, None
        self.served += 1
        return task

    def overdue(self) -> bool:
        return bool(self.task and self.deadline and time.monotonic() >= self.deadline)

    def timed_out(self) -> Outcome:
        seconds = time.monotonic() - self._started
        what = "stopped after" if self.ready else "the worker did not start within"
        issue = Issue(self.kind, "timeout", f"{what} {seconds:.0f} s of wall clock")
        return Outcome(issue=issue, seconds=seconds)

    def died(self) -> Outcome:
        """The outcome of a task whose worker ended: killed from outside is want of memory."""
        code = self._process.wait()
        seconds = time.monotonic() - self._started
        if code == -signal.SIGKILL:
            issue = Issue(self.kind, "memory", "the worker was killed by the operating system")
        else:
            how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
            issue = Issue(self.kind, "internal", f"the worker ended by itself ({how})")
        return Outcome(issue=issue, seconds=seconds)

    def stop(self) -> None:
        """Kill the process and the helpers it started; safe to call twice."""
        self.connection.close()
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _python_path() -> str:
    return os.pathsep.join(entry or os.getcwd() for entry in sys.path)
