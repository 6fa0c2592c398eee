"""The clock of a document: how much work its pages may take together."""

from __future__ import annotations

from pathlib import Path

from docpipe.config import Limits
from docpipe.ingest import jobs
from docpipe.ingest.journey import Journey
from docpipe.workers import Outcome

PAGES = tuple(range(1, 101))
LIMITS = Limits(page_timeout=30.0, document_timeout=60.0)


def pages_read(tmp_path: Path, *, ocr: bool, seconds: float) -> int:
    """How many of 100 pages are read that take so long each, in OCR or else in the parser."""
    journey = Journey(jobs.Job(tmp_path / "a.pdf", "id", tmp_path), "a.pdf", tmp_path, LIMITS)
    count = 0
    while (task := journey.next_task()) is not None and task.call != jobs.COMPOSE:
        match task.call:
            case jobs.OPEN:
                journey.take(task, Outcome(jobs.Opened(len(PAGES), PAGES, (), ())))
            case jobs.READ:
                count += not ocr
                journey.take(task, Outcome(ocr, seconds=0.0 if ocr else seconds))
            case _:
                count += 1
                journey.take(task, Outcome(seconds=seconds))
    return count


def test_a_long_scan_is_read_whole(tmp_path: Path) -> None:
    assert pages_read(tmp_path, ocr=True, seconds=4.0) == 100


def test_slow_pages_come_to_an_end(tmp_path: Path) -> None:
    assert pages_read(tmp_path, ocr=False, seconds=4.0) == 15
    assert 1 <= pages_read(tmp_path, ocr=True, seconds=29.0) < 20
