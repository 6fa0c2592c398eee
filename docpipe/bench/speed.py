"""The bench `speed`: what an ingest costs, from the command line to the index.

Data: every PDF in a folder called `pdfs` or `documents` below `data`; `limit` documents of at most
60 pages are drawn with the seed (12 if not told). Parts:

    ingest   the documents, through `docpipe ingest` into a new library without OCR, with one and
             with two workers, three runs each: pages per second of the clock, CPU seconds and
             milliseconds a page, peak of the parent process; all processes and the index included
    length   made-up documents of 10 to 5,000 pages through the same command with one worker:
             milliseconds that the workers took a page (`work_ms`), and CPU milliseconds of every
             page beyond the first ten (`cpu_ms`)
    boxes    reading and composing a page of 3,000 drawn boxes with a word in each
    start    `docpipe --help`, and an ingest of one page

`median` figures are of the runs. Nothing else should run beside it.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from docpipe.bench.corpus import pdf_files
from docpipe.bench.reliability.command import Ingested, ingest
from docpipe.bench.reliability.command import run as run_command
from docpipe.bench.result import Measured, Row
from docpipe.bench.task import Options, chosen
from docpipe.errors import ConfigError, DocpipeError

LIMIT = 12
LENGTHS = (10, 100, 1_000, 5_000)
BOXES = 3_000
_RUNS = 3
_MOST_PAGES = 60
_WORDS = (
    "river harbour gauge level measured every morning written book kept master water rises in "
    "spring falls summer ships wait until tide turns pilot reads boards both banks"
)


def run(data: Path, options: Options) -> Measured:
    """All parts, or those named. Raises ConfigError for an unknown part and for a folder without
    PDFs."""
    names = options.parts or tuple(PARTS)
    if unknown := sorted(set(names) - PARTS.keys()):
        raise ConfigError(f"unknown part {unknown[0]!r}", hint=f"known: {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory(prefix="docpipe-speed-") as scratch:
        rows = [row for name in options.track(names) for row in PARTS[name](data, options, scratch)]
    return Measured(rows, _medians(rows))


class Cost(msgspec.Struct, frozen=True):
    """An ingest: what it left, its seconds by the clock, and CPU seconds of all its processes."""

    run: Ingested
    seconds: float
    cpu: float

    @property
    def pages(self) -> int:
        return sum(line.pages for line in self.run.lines)


def _ingest(data: Path, options: Options, scratch: str) -> Iterator[Row]:
    files = _documents(data, options)
    for number in range(1, _RUNS + 1):
        for jobs in (1, 2):
            cost = _cost(files, Path(scratch) / "library", options, jobs)
            figures = {
                "pages_per_s": cost.pages / cost.seconds,
                "cpu_s": cost.cpu,
                "cpu_ms_per_page": 1000 * cost.cpu / max(cost.pages, 1),
                "parent_mb": float(cost.run.finished.peak_mb),
                "worker_mb": float(max(line.peak_mb for line in cost.run.lines)),
            }
            scores = {f"jobs{jobs}.{name}": round(value, 3) for name, value in figures.items()}
            info: dict[str, Any] = {"documents": len(files), "pages": cost.pages}
            yield Row(f"{jobs} workers, run {number}", scores, info)


def _length(data: Path, options: Options, scratch: str) -> Iterator[Row]:
    first: Cost | None = None
    for count in LENGTHS:
        path = Path(scratch) / f"{count}.pdf"
        write_pages(path, count, options.seed)
        cost = _cost([path], Path(scratch) / "library", options, 1)
        first = first or cost
        [line] = cost.run.lines
        scores = {f"pages{count}.work_ms": round(1000 * line.seconds / count, 3)}
        if cost is not first:
            more = (cost.cpu - first.cpu) / (count - first.pages)
            scores[f"pages{count}.cpu_ms"] = round(1000 * more, 3)
        scores[f"pages{count}.parent_mb"] = float(cost.run.finished.peak_mb)
        yield Row(f"{count} pages", scores, {"seconds": round(cost.seconds, 2)})


def _boxes(data: Path, options: Options, scratch: str) -> Iterator[Row]:
    from docpipe.parsers.native import NativeParser
    from docpipe.pdf import open_document

    path = Path(scratch) / "boxes.pdf"
    write_boxes(path, BOXES)
    parser = NativeParser()
    for number in range(1, _RUNS + 1):
        with open_document(path) as document:
            before = time.process_time()
            facts = parser.read_page(document.page(1))
            parser.compose([facts], ())
            spent = time.process_time() - before
        yield Row(f"{BOXES} boxes, run {number}", {"boxes.cpu_s": round(spent, 3)})


def _start(data: Path, options: Options, scratch: str) -> Iterator[Row]:
    path = Path(scratch) / "one.pdf"
    write_pages(path, 1, options.seed)
    for number in range(1, _RUNS + 1):
        _, _, asked = _spent(lambda: run_command(["--help"]))
        cost = _cost([path], Path(scratch) / "library", options, 1)
        scores = {"help.cpu_s": round(asked, 3), "one_page.cpu_s": round(cost.cpu, 3)}
        yield Row(f"start, run {number}", scores)


PARTS: dict[str, Callable[[Path, Options, str], Iterator[Row]]] = {
    "ingest": _ingest,
    "length": _length,
    "boxes": _boxes,
    "start": _start,
}


def _cost(files: Sequence[Path], root: Path, options: Options, jobs: int) -> Cost:
    config = msgspec.structs.replace(options.config, ocr_mode="off")
    found, seconds, cpu = _spent(lambda: ingest(files, root, config, jobs=jobs))
    shutil.rmtree(root)
    return Cost(found, seconds, cpu)


def _spent(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What a command gives, and its seconds by the clock and of CPU, its processes included."""
    before, started = os.times(), time.perf_counter()
    made = work()
    seconds, after = time.perf_counter() - started, os.times()
    user = after.children_user - before.children_user
    return made, seconds, user + after.children_system - before.children_system


def _documents(data: Path, options: Options) -> list[Path]:
    from docpipe.pdf import open_document

    def is_short(path: Path) -> bool:
        try:
            with open_document(path) as document:
                return document.page_count <= _MOST_PAGES
        except DocpipeError:
            return False

    files = list(filter(is_short, pdf_files(data)))
    if not files:
        raise ConfigError(f"{data} has no PDFs", hint="see docs/data.md")
    limit = options.limit or LIMIT
    return chosen(files, msgspec.structs.replace(options, limit=limit))


def write_pages(path: Path, count: int, seed: int) -> None:
    """A made-up report: a heading on every fifth page, paragraphs, running head, page number."""
    import pymupdf

    chance, words = random.Random(seed), _WORDS.split()
    with pymupdf.open() as document:
        for number in range(1, count + 1):
            page = document.new_page()
            page.insert_text((72, 40), "Report on the river", fontsize=8)
            page.insert_text((300, 810), str(number), fontsize=8)
            if number % 5 == 1:
                page.insert_text((72, 80), f"{number} Readings at the gauge", fontsize=16)
            for line in range(36):
                text = " ".join(chance.choices(words, k=12))
                page.insert_text((72, 110 + 18 * line + 8 * (line // 6)), text, fontsize=10)
        document.save(path)


def write_boxes(path: Path, count: int) -> None:
    """One page of drawn boxes, 50 a row, with a word in each."""
    import pymupdf

    with pymupdf.open() as document:
        rows = -(-count // 50)
        page = document.new_page(width=1_600, height=20 + 15 * rows)
        shape = page.new_shape()
        for number in range(count):
            x, y = 10 + 31 * (number % 50), 10 + 15 * (number // 50)
            shape.draw_rect((x, y, x + 29, y + 13))
            shape.insert_text((x + 2, y + 10), f"b{number}", fontsize=7)
        shape.finish()
        shape.commit()
        document.save(path)


def _medians(rows: Sequence[Row]) -> dict[str, float]:
    """Of the figures that were measured more than once."""
    values: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.scores.items():
            values.setdefault(name, []).append(value)
    return {
        f"{name}.median": statistics.median(found)
        for name, found in values.items()
        if len(found) > 1
    }
