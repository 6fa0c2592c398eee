"""The life of a worker process: confine itself, build its stage, run calls until it is let go."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import msgspec

from docpipe.errors import DocpipeError, StageError
from docpipe.records import Issue
from docpipe.workers.task import Outcome


def serve(descriptor: int, memory: int) -> None:
    """The life of a worker: build the stage, then run tasks until the pipe closes."""
    _confine(memory)
    os.set_inheritable(descriptor, False)
    connection = Connection(descriptor)
    # An optional part of PyMuPDF that it imports when installed: a second for nothing here.
    sys.modules["pymupdf.layout"] = None  # type: ignore[assignment]
    with contextlib.suppress(EOFError, OSError):  # the pool is gone
        _loop(connection)
    sys.stderr.flush()
    os._exit(0)  # without destructors, which may hang after a damaged file


def _loop(connection: Connection[Any, Any]) -> None:
    name, setup = connection.recv()
    ready = perform(setup[0], setup[1], name) if setup else Outcome()
    connection.send(msgspec.structs.replace(ready, value=None))
    while True:
        task = connection.recv()
        connection.send(perform(task.call, task.arguments, name))


def perform(call: str, arguments: tuple[Any, ...], stage: str) -> Outcome:
    """Run a call and report its value or, for any exception, an issue."""
    started = time.perf_counter()
    _reset_peak()
    value, issue = None, None
    try:
        value = _function(call)(*arguments)
    except Exception as error:
        issue = describe(error, stage)
    return Outcome(value, issue, time.perf_counter() - started, _peak_mb())


def describe(error: Exception, stage: str) -> Issue:
    """The issue for an exception; what is not an error of docpipe is logged with its traceback."""
    if isinstance(error, StageError):
        return Issue(error.stage, error.code, error.message)
    if isinstance(error, DocpipeError):
        return Issue(stage, error.code, error.message)
    if _is_memory(error):
        return Issue(stage, "memory", "ran out of the memory a worker may use")
    traceback.print_exception(error)
    return Issue(stage, "internal", f"{type(error).__name__}: {error}"[:500])


def _is_memory(error: BaseException | None) -> bool:
    """C libraries report a failed allocation as an exception of their own."""
    if error is None or isinstance(error, MemoryError):
        return error is not None
    text = str(error).lower()
    clues = ("malloc", "calloc", "realloc", "bad_alloc", "cannot allocate", "out of memory")
    return any(clue in text for clue in clues) or _is_memory(error.__cause__)


def _function(call: str) -> Callable[..., Any]:
    module, _, name = call.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def _confine(memory: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):  # a lower limit is in force already
        resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))
    _die_with_parent()


def _die_with_parent() -> None:
    """On Linux, be killed when the pool's process is; elsewhere the closed pipe ends the worker
    after its current task."""
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def _reset_peak() -> None:
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def _peak_mb() -> int:
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak >> (20 if sys.platform == "darwin" else 10)
