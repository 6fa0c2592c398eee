"""What an ingest tells of its inputs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Literal

from docpipe import codec
from docpipe.library.store import Entry, write_atomically
from docpipe.records import Record

Status = Literal["ok", "partial", "failed", "skipped", "duplicate"]


class ReportLine(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What became of one input.

    `path` is relative to what was ingested. `reason` is a code of errors.INPUT_CODES or of an
    issue; for a skipped input `symlink` or `not_a_pdf`. A `duplicate` has the content of an input
    that comes before it. `routes` counts pages by where their text came from. `seconds` is the
    working time of all workers and `peak_mb` the most memory one had; both are 0 for an input that
    was in the library already.
    """

    path: str
    name: str
    document: str | None = None
    status: Status
    reason: str | None = None
    message: str | None = None
    pages: int = 0
    routes: dict[str, int]
    issues: int = 0
    seconds: float = 0.0
    peak_mb: int = 0


class Done(Record, frozen=True):
    """A line of the journal: a document that this ingest has made, and what it took."""

    entry: Entry
    seconds: float
    peak_mb: int


class IngestReport(Record, frozen=True):
    """All inputs by path. `made` is the number of documents read in this run, `unchanged` of those
    that were in the library already, `removed` of those that are no longer."""

    lines: tuple[ReportLine, ...]
    made: int
    unchanged: int
    removed: int

    @property
    def counts(self) -> dict[Status, int]:
        """How many inputs have each status."""
        return dict(Counter(line.status for line in self.lines))

    @property
    def all_good(self) -> bool:
        """Whether nothing failed, neither a file nor a page."""
        return not {"failed", "partial"} & set(self.counts)


def write_report(path: Path, report: IngestReport) -> None:
    """One JSON object a line."""
    write_atomically(path, b"".join(codec.encode(line) + b"\n" for line in report.lines))
