"""G2 and G3: what hangs is killed in time, what swells is stopped, and nothing piles up."""

from __future__ import annotations

import itertools
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from docpipe.bench.reliability import hostile
from docpipe.bench.reliability.command import ingest
from docpipe.bench.reliability.ground import Ground
from docpipe.bench.result import Measured, Row
from docpipe.config import Config, Limits, StageConfig
from docpipe.content import page_text
from docpipe.datasets.samples import NAMES, samples_folder
from docpipe.ingest import Progress
from docpipe.library import Library

PAGE_LIMIT = 1.0  # seconds, in the runs made for this
MEMORY_CAP = 512  # MiB
LOOP_SECONDS = 10.0
GROWTH_PAGES = 1000
_WARM_UP = 200  # pages, and the length of the two stretches compared
_MAX_PAGES = 60  # of the files that are read again and again


def time_limits(ground: Ground) -> Measured:
    """G2: pages that hang are killed and cost nothing but themselves.

    Figures: `overshoot_s`, the longest wait for a page beyond its limit of 1 s, starting a new
    worker included; `other_pages` that came although a page beside them hung; `loops_in_time`, the
    share of the data folder's files with a time to keep that ended in 10 s or their own limit.
    """
    texts = [hostile.HANG if number % 3 == 1 else f"page {number}" for number in range(9)]
    path = hostile.write_pages(ground.scratch / "hanging.pdf", texts)
    config = Config(
        parser=StageConfig(hostile.PARSER), limits=Limits(page_timeout=PAGE_LIMIT), ocr_mode="off"
    )
    library = Library.create(ground.scratch / "hanging", config=config)
    moments: list[float] = []

    def note(progress: Progress) -> None:
        moments.append(time.monotonic())

    library.ingest(path, jobs=1, progress=note)
    waits = [after - before for before, after in itertools.pairwise(moments[1:])]
    document = library.document(path.name)
    wanted = [text for text in texts if text != hostile.HANG]
    found = [page_text(page) for page in document.pages if page.quality.verdict == "ok"]
    killed = [issue for issue in document.issues if issue.code == "timeout"]
    figures = {
        "overshoot_s": round(max(waits) - PAGE_LIMIT, 3),
        "killed_pages": float(len(killed)),
        "other_pages": len(set(wanted) & set(found)) / len(wanted),
    }
    return Measured(list(_timed_rows(ground)), figures)


def _timed_rows(ground: Ground) -> Iterator[Row]:
    for case in ground.cases:
        if "max_seconds" in case.check or "loop" in case.kind or "nesting" in case.kind:
            limit = max(LOOP_SECONDS, float(case.check.get("max_seconds", 0)))
            line = ground.attempts[case.path.name].line
            info: dict[str, str | int | float] = {"seconds": line.seconds, "limit": limit}
            yield Row(case.path.name, {"loops_in_time": float(line.seconds <= limit)}, info)


def memory_limits(ground: Ground) -> Measured:
    """G3: caps hold, and memory does not pile up.

    A parser that takes all it can get has a cap of 512 MiB; bombs are those of the data folder.
    Figures: `eater_peak_mb`, `eater_other_pages`; `parent_peak_mb` and `worker_peak_mb` of the run
    over the data folder; `growth`, by how much the peak of a worker's last 200 of 1,000 pages is
    above that of pages 201 to 400. Row score `bombs_held`: a bomb kept to the memory a worker may
    use, and ended with a reason of its own or was read.
    """
    lines = ground.whole.lines
    cap = max(ground.options.config.limits.parse_memory, ground.options.config.limits.ocr_memory)
    rows = []
    for case in ground.cases:
        if "bomb" in case.kind:
            line = ground.attempts[case.path.name].line
            held = line.peak_mb <= cap and line.reason != "internal"
            info: dict[str, str | int | float] = {
                "status": line.status,
                "reason": line.reason or "",
                "peak_mb": line.peak_mb,
                "seconds": line.seconds,
            }
            rows.append(Row(case.path.name, {"bombs_held": float(held)}, info))
    figures = {
        "parent_peak_mb": float(ground.whole.finished.peak_mb),
        "worker_peak_mb": float(max(line.peak_mb for line in lines)),
    }
    return Measured(rows, figures | _eaten(ground) | _growth(ground))


def _eaten(ground: Ground) -> dict[str, float]:
    path = hostile.write_pages(ground.scratch / "eating.pdf", ["one", hostile.EAT, "three"])
    config = Config(
        parser=StageConfig(hostile.PARSER), limits=Limits(parse_memory=MEMORY_CAP), ocr_mode="off"
    )
    run = ingest([path], ground.scratch / "eating", config, jobs=1)
    [line] = run.lines
    document = run.document(line)
    texts = [page_text(page) for page in document.pages] if document else []
    return {
        "eater_peak_mb": float(line.peak_mb),
        "eater_stopped": float(line.reason == "memory"),
        "eater_other_pages": float(texts == ["one", "", "three"]),
    }


def _growth(ground: Ground) -> dict[str, float]:
    """Resident memory of one worker while it reads the same files over and over."""
    folder = ground.scratch / "growing"
    pages = _copies(_sound_files(ground), folder)
    limits = Limits(pages_per_worker=2 * pages + 1000)
    config = Config(parser=StageConfig(hostile.METERED), limits=limits, ocr_mode="off")
    run = ingest([folder], ground.scratch / "growing-library", config, jobs=1)
    resident = [
        int(issue.message) >> 10
        for line in run.lines
        if (document := run.document(line)) is not None
        for issue in document.issues
        if issue.code == "resident"
    ]
    early, late = resident[_WARM_UP : 2 * _WARM_UP], resident[-_WARM_UP:]
    shutil.rmtree(folder)
    return {
        "growth_pages": float(len(resident)),
        "early_mb": float(max(early)),
        "late_mb": float(max(late)),
        "growth": round(max(late) / max(early) - 1, 4),
    }


def _sound_files(ground: Ground) -> list[tuple[Path, int]]:
    """Files that were read without a flaw, and their pages: the samples, and of the data folder
    as many as fit into one stretch."""
    read = [
        (ground.data / line.path, line.pages)
        for line in ground.whole.lines
        if line.status == "ok" and line.pages <= _MAX_PAGES
    ]
    samples = [samples_folder() / name for name in NAMES if name != "letter.pdf"]  # a scan
    files = [(path, _page_count(path)) for path in samples]
    left = _WARM_UP - sum(pages for _, pages in files)
    for path, pages in read:
        if pages <= left:
            files.append((path, pages))
            left -= pages
    return files


def _page_count(path: Path) -> int:
    from docpipe.pdf import open_document

    with open_document(path) as document:
        return document.page_count


def _copies(files: Sequence[tuple[Path, int]], folder: Path) -> int:
    """Copies of the files until they have 1,000 pages, no two alike, in the order of reading."""
    folder.mkdir()
    pages = 0
    for number, (path, count) in enumerate(itertools.cycle(files)):
        if pages >= GROWTH_PAGES:
            break
        copy = folder / f"{number:05d}.pdf"
        copy.write_bytes(path.read_bytes() + f"\n% copy {number}\n".encode())
        pages += count
    return pages
