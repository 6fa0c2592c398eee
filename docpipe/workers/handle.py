"""The pool's end of its child processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cached_property
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import send_handle
from pathlib import Path
from typing import Any

from docpipe.errors import ConfigError
from docpipe.records import Issue
from docpipe.workers.task import Kind, Outcome, Task

STARTUP_LIMIT = 120.0  # seconds until a fresh worker must have built its stage

_BOOT = "import sys; from docpipe.workers.process import template; template(*sys.argv[1:])"
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


class Template:
    """The process that workers are forked from. It is started with the first worker."""

    def __init__(self, log: Path, preload: Sequence[str]) -> None:
        self._log = log
        self._preload = preload
        self._process: subprocess.Popen[bytes] | None = None

    @cached_property
    def _connection(self) -> Connection[Any, Any]:
        ours, theirs = Pipe()
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _BOOT, str(theirs.fileno()), *self._preload],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=os.environ | _ENVIRONMENT | {"PYTHONPATH": python_path()},
                start_new_session=True,
            )
        theirs.close()
        return ours

    def fork(self, pipe: Connection[Any, Any], memory: int) -> int:
        """The process id of a new worker at the other end of `pipe`, which is closed here."""
        connection = self._connection
        assert self._process is not None
        try:
            connection.send(("fork", memory))
            send_handle(connection, pipe.fileno(), self._process.pid)
            pid: int = connection.recv()
        except (EOFError, OSError) as error:
            raise ConfigError(f"worker processes cannot start: see {self._log}") from error
        pipe.close()
        return pid

    def reap(self, pid: int) -> int:
        """Wait for a worker to end, and its exit status."""
        try:
            self._connection.send(("reap", pid))
            status: int = self._connection.recv()
        except (EOFError, OSError):  # killed from outside, and its workers with it
            return -signal.SIGKILL
        return status

    def close(self) -> None:
        if self._process is not None:
            self._connection.close()
            self._process.kill()
            self._process.wait()


class Worker:
    """The pool's end of one child process."""

    def __init__(self, name: str, kind: Kind, template: Template) -> None:
        self.kind = name
        self.task: Task | None = None
        self.topic = ""
        self.served = 0
        self.ready = False
        self.deadline: float | None = None
        self.connection, child = Pipe()
        self._started = time.monotonic()
        self._template = template
        self._pid = template.fork(child, kind.memory)
        self._status: int | None = None
        with contextlib.suppress(OSError):  # it died at once: seen as end of file later
            self.connection.send((name, kind.setup))

    def give(self, task: Task) -> bool:
        """Send a task; False when the worker turns out to be dead."""
        if self.ready and self.connection.poll():  # only the end of the pipe comes unasked
            return False
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
        """The outcome of an overdue task; its message is the same whatever was measured."""
        what = "took longer than the time limit" if self.ready else "the worker did not start"
        issue = Issue(self.kind, "timeout", what)
        return Outcome(issue=issue, seconds=time.monotonic() - self._started)

    def died(self) -> Outcome:
        """The outcome of a task whose worker ended: killed from outside is want of memory."""
        code = self._reap()
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
        if self._status is None:
            for kill in (os.kill, os.killpg):  # it may not have a group of its own yet
                with contextlib.suppress(ProcessLookupError):
                    kill(self._pid, signal.SIGKILL)
            self._reap()

    def _reap(self) -> int:
        """The exit status, negative for a signal."""
        if self._status is None:
            self._status = self._template.reap(self._pid)
        return self._status


def python_path() -> str:
    """The PYTHONPATH with which a child imports what this process can import."""
    return os.pathsep.join(entry or os.getcwd() for entry in sys.path)
