"""What a process does to the network and to files, written down from inside it.

A copy of this file called `sitecustomize.py` on PYTHONPATH is run by every Python process at its
start, workers included; it imports nothing of docpipe. Where the system can (Linux on x86-64 and
arm64), opening any socket that is not local also ends the process, whatever language asked for it
and in programs it starts, too.
"""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

LOG = "DOCPIPE_AUDIT_LOG"  # where events are written to, one a line
ALLOWED = "DOCPIPE_AUDIT_ALLOWED"  # folders that may be written to, with os.pathsep between

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_CHANGES = {"os.rename": 1, "os.mkdir": 0, "os.link": 1, "os.symlink": 1, "os.truncate": 0}
_SOCKET_CALLS = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}


def install() -> None:
    """Note events of this process from now on."""
    log = os.open(os.environ[LOG], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    allowed = [os.path.realpath(folder) for folder in os.environ[ALLOWED].split(os.pathsep)]
    sealed = _forbid_sockets()
    os.write(log, b"start sealed\n" if sealed else b"start open\n")

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        found = _network(event, arguments) or _file(event, arguments, allowed)
        if found:
            os.write(log, found.encode("utf-8", "backslashreplace") + b"\n")

    sys.addaudithook(hook)


def _network(event: str, arguments: tuple[Any, ...]) -> str:
    if event == "socket.__new__" and arguments[1] not in (1, -1):  # AF_UNIX, a descriptor's own
        return f"network socket of family {arguments[1]}"
    if event == "socket.getaddrinfo":
        return f"network look-up of {arguments[0]!r}"
    return ""


def _file(event: str, arguments: tuple[Any, ...], allowed: list[str]) -> str:
    if event == "open":
        path = arguments[0] if arguments[2] & _WRITING else None
    else:
        path = arguments[_CHANGES[event]] if event in _CHANGES else None
    if not isinstance(path, (str, bytes, os.PathLike)):
        return ""
    place = os.path.realpath(os.fsdecode(path))
    if event == "os.mkdir" and os.path.isdir(place):  # nothing will come of it
        return ""
    inside = any(f"{place}/".startswith(f"{top}/") for top in (os.devnull, "/proc", *allowed))
    return "" if inside else f"file {event} {place!r}"


def _forbid_sockets() -> bool:
    """Let the kernel kill whoever opens a socket that is not local; whether it will."""
    call = _SOCKET_CALLS.get(platform.machine())
    if sys.platform != "linux" or call is None:
        return False
    import ctypes

    class Filter(ctypes.Structure):
        _fields_ = [
            ("code", ctypes.c_ushort),
            ("yes", ctypes.c_ubyte),
            ("no", ctypes.c_ubyte),
            ("value", ctypes.c_uint),
        ]

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filters", ctypes.POINTER(Filter))]

    load, equal, leave = 0x20, 0x15, 0x06
    architecture, number, family = 4, 0, 16  # offsets in what the kernel shows of a call
    kill, allow = 0x80000000, 0x7FFF0000
    steps = [
        (load, 0, 0, architecture),
        (equal, 0, 5, call[0]),
        (load, 0, 0, number),
        (equal, 0, 3, call[1]),
        (load, 0, 0, family),
        (equal, 1, 0, 1),
        (leave, 0, 0, kill),
        (leave, 0, 0, allow),
    ]
    filters = (Filter * len(steps))(*(Filter(*step) for step in steps))
    program = Program(len(steps), filters)
    libc = ctypes.CDLL(None)
    no_new_privileges, seccomp, filtering = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(seccomp, filtering, ctypes.byref(program)) == 0)


if __name__ == "sitecustomize":
    install()
