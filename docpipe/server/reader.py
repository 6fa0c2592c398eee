"""The child process that reads new files into the library.

It takes one order from stdin as JSON and tells how it goes on stdout, a message a line. It may be
killed at any moment: the same order goes on from there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from docpipe import codec
from docpipe.config import Config
from docpipe.errors import DocpipeError
from docpipe.ingest import IngestReport, Progress
from docpipe.ingest.inputs import find_inputs
from docpipe.library import Library
from docpipe.library.store import path_from, path_text
from docpipe.workers.process import die_with_parent

_NICENESS = 5  # people who look at a page go first


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """Documents to remove, by id, then files to read, as `store.path_text` gives their paths."""

    library: str
    config: Config
    passwords: tuple[str, ...] = ()
    jobs: int | None = None
    remove: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A message: progress, a file that became no document and why, or (without `file`) the error
    of docpipe that ended the work."""

    progress: Progress | None = None
    file: str | None = None
    code: str | None = None
    message: str = ""
    hint: str = ""


def main() -> None:
    """Carry out the order on stdin."""
    die_with_parent()
    os.nice(_NICENESS)
    out = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what else is printed must not mix in
    order = codec.decode(sys.stdin.buffer.read(), Order)
    try:
        _carry_out(order, lambda told: _tell(out, told))
    except DocpipeError as error:
        _tell(out, Told(code=error.code, message=error.message, hint=error.hint))


def _carry_out(order: Order, tell: Callable[[Told], None]) -> None:
    library = Library.create(order.library, config=order.config, passwords=order.passwords)
    known = {entry.id for entry in library.status()}
    problem: DocpipeError | None = None
    for id in order.remove:
        if id in known:
            try:
                library.remove(id)
            except DocpipeError as error:  # files must not wait for it
                problem = error
    files = [path for path in map(path_from, order.files) if path.exists()]
    if files:
        report = library.ingest(
            files, jobs=order.jobs, progress=lambda now: tell(Told(progress=now))
        )
        _tell_refused(files, report, tell)
    if problem is not None:
        raise problem


def _tell_refused(
    files: Sequence[Path], report: IngestReport, tell: Callable[[Told], None]
) -> None:
    """Tell of the files that the library has no entry of: too large, or not to be opened."""
    sources = {item.path: item.source for item in find_inputs(files, leave_out=())}
    for line in report.lines:
        if line.document is None and line.path in sources:
            code = line.reason or "internal"
            tell(Told(file=path_text(sources[line.path]), code=code, message=line.message or ""))


def _tell(out: int, told: Told) -> None:
    os.write(out, codec.encode(told) + b"\n")
