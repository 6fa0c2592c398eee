"""What goes to a worker and what comes back."""

from __future__ import annotations

from typing import Any

import msgspec

from docpipe.records import Issue


class Kind(msgspec.Struct, frozen=True):
    """A kind of work: its memory cap in MiB, what a worker does first, and how long it serves.

    `setup` is a call ("module:function", arguments). When it raises, tasks of this kind fail with
    its error; if the kind is `required`, or the configuration is wrong, the pool raises it.
    """

    memory: int
    setup: tuple[str, tuple[Any, ...]] | None = None
    tasks_per_worker: int = 200
    required: bool = True


class Task(msgspec.Struct, frozen=True):
    """A call of "module:function" in a worker. Workers that had the same `topic` last are
    preferred: they may still have its file open. `timeout` is in seconds, None for none."""

    kind: str
    call: str
    arguments: tuple[Any, ...]
    timeout: float | None = None
    topic: str = ""
    page: int | None = None


class Refusal(msgspec.Struct, frozen=True):
    """Why a worker cannot start: the error of its setup with its hint, and whether what the user
    configured is to blame."""

    issue: Issue
    hint: str = ""
    misconfigured: bool = False


class Outcome(msgspec.Struct, frozen=True):
    """What came of a task: its value, or an issue. `peak_mb` is the worker's resident peak."""

    value: Any = None
    issue: Issue | None = None
    seconds: float = 0.0
    peak_mb: int = 0
