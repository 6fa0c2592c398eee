"""The life of the processes: the template forks, a worker builds its stage and runs calls."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from typing import Any, NoReturn

from docpipe.errors import ConfigError, DocpipeError, StageError
from docpipe.records import Issue
from docpipe.workers.task import Outcome, Refusal

_log = logging.getLogger("docpipe")


def template(descriptor: str, *modules: str) -> None:
    """The life of the template: import, then fork workers and tell how they ended, on request."""
    die_with_parent()
    os.set_inheritable(int(descriptor), False)
    connection: Connection[Any, Any] = Connection(int(descriptor))
    # Add-ons that PyMuPDF imports when they are installed: a second for nothing here.
    sys.modules |= dict.fromkeys(("pymupdf.layout", "pymupdf4llm"))  # type: ignore[arg-type]
    socket.has_ipv6 = False  # or urllib3, when a stage imports it, opens a socket to find out
    for module in modules:
        importlib.import_module(module)
    while True:
        try:
            request, argument = connection.recv()
        except (EOFError, OSError):
            return
        if request == "fork":
            connection.send(_fork(connection, memory=argument))
        else:
            connection.send(os.waitstatus_to_exitcode(os.waitpid(argument, 0)[1]))


def _fork(connection: Connection[Any, Any], memory: int) -> int:
    descriptor = recv_handle(connection)
    pid = os.fork()
    if pid == 0:
        connection.close()
        _serve(descriptor, memory)
    os.close(descriptor)
    return pid


def _serve(descriptor: int, memory: int) -> NoReturn:
    """The life of a worker: build the stage, then run tasks until the pipe closes."""
    status = 0
    try:
        os.setsid()
        _confine(memory)
        _log.addHandler(logging.StreamHandler())  # to the pool's log
        _log.setLevel(logging.DEBUG)
        _loop(Connection(descriptor))
    except (EOFError, OSError):
        pass  # the pool is gone
    except BaseException:
        status = 1
        _log.exception("worker failed")
    sys.stderr.flush()
    os._exit(status)  # without destructors, which may hang after a damaged file


def _loop(connection: Connection[Any, Any]) -> None:
    name, setup = connection.recv()
    connection.send(_set_up(setup, name))
    while True:
        task = connection.recv()
        connection.send(perform(task.call, task.arguments, name))


def _set_up(setup: tuple[str, tuple[Any, ...]] | None, stage: str) -> Refusal | None:
    """Run the setup; what kept it from succeeding. A package that is not installed is no mistake
    in the configuration."""
    try:
        if setup is not None:
            _function(setup[0])(*setup[1])
    except Exception as error:
        hint = error.hint if isinstance(error, DocpipeError) else ""
        wrong = isinstance(error, ConfigError) and not isinstance(error.__cause__, ImportError)
        return Refusal(describe(error, stage), hint, wrong)
    return None


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
    stage = error.stage if isinstance(error, StageError) else stage
    if _is_memory(error.__cause__ if isinstance(error, DocpipeError) else error):
        return Issue(stage, "memory", "ran out of the memory a worker may use")
    if isinstance(error, DocpipeError):
        return Issue(stage, error.code, _storable(error.message))
    _log.debug("%s failed", stage, exc_info=error)
    return Issue(stage, "internal", _storable(f"{type(error).__name__}: {error}"))


def _storable(message: str) -> str:
    """A message that JSON can hold (lone surrogates come from file names that are not UTF-8) and
    that is the same in every run (addresses are not)."""
    message = re.sub(r"\b0x[0-9a-fA-F]{6,}\b", "0x…", message)
    return message[:500].encode("utf-8", "backslashreplace").decode("utf-8")


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
    die_with_parent()


def die_with_parent() -> None:
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
