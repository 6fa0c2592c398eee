"""Calls for tests of worker processes; a module of its own, so that workers start fast."""

from __future__ import annotations

import os
import time


def double(number: int) -> int:
    return 2 * number


def process_id() -> int:
    return os.getpid()


def eat(megabytes: int) -> int:
    return len(bytearray(megabytes << 20))


def hang() -> None:
    time.sleep(60)


def hang_in_a_helper() -> None:
    import subprocess

    subprocess.run(["sleep", "60"], check=True)


def leave(status: int) -> None:
    os._exit(status)


def kill(signal: int) -> None:
    os.kill(os.getpid(), signal)


def fail() -> None:
    raise ValueError("no such luck")


def fail_with_address() -> None:
    raise ValueError(object())


def broken_setup() -> None:
    raise ValueError("cannot be built")


def threads() -> str:
    return os.environ["OMP_NUM_THREADS"]
