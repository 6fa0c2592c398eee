"""G9: the same input gives the same bytes, with any number of workers and after any crash."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docpipe import codec
from docpipe.bench.reliability import command
from docpipe.bench.reliability.ground import Ground
from docpipe.bench.result import Measured, Row
from docpipe.datasets.samples import NAMES, samples_folder

TRIALS = 10
DOCUMENTS = 10  # of the data folder, beside the samples
_TIMINGS = ("seconds", "peak_mb")


def repeatability(ground: Ground) -> Measured:
    """Libraries of the samples and ten files of the data folder, compared byte by byte but for the
    timings in the report.

    Row score `same`: a second run, one with two workers, and ten that were killed at a random
    moment (SIGKILL) and resumed, each give the library of the first run.
    """
    inputs = _inputs(ground)
    first, seconds = _library(ground, inputs, "first", jobs=1)
    rows = []
    for name, jobs in (("again", 1), ("two workers", 2)):
        found, _ = _library(ground, inputs, name, jobs=jobs)
        rows.append(_row(name, first, found))
    chance = random.Random(ground.options.seed)
    ends = seconds  # after which a run is over
    while len(rows) < 2 + TRIALS:
        delay = round(chance.uniform(0.2, ends), 2)
        if not _start_and_kill(ground, inputs, ground.scratch / "killed", delay):
            ends = delay
        found, _ = _library(ground, inputs, "killed", jobs=2)
        if delay < ends:
            rows.append(_row(f"killed after {delay} s", first, found))
    return Measured(rows, {"unbroken_s": round(seconds, 2)})


def contents(root: Path) -> dict[str, bytes]:
    """The files of a library that have to be repeatable, the report without timings."""
    found = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and "work" not in path.relative_to(root).parts
    }
    lines = [
        codec.decode(line, dict[str, Any]) for line in found.get("report.jsonl", b"").splitlines()
    ]
    bare = [{key: line[key] for key in line if key not in _TIMINGS} for line in lines]
    return found | {"report.jsonl": codec.encode(bare)}


def _inputs(ground: Ground) -> list[Path]:
    """Files that are not made to take long: those with a limit of their own are left out."""
    usual = [
        case.path
        for case in ground.cases
        if "max_seconds" not in case.check and "password" not in case.check
    ]
    small = sorted(path for path in usual if 0 < path.stat().st_size < 300_000)
    chosen = random.Random(ground.options.seed).sample(small, min(DOCUMENTS, len(small)))
    return [*(samples_folder() / name for name in NAMES), *sorted(chosen)]


def _library(
    ground: Ground, inputs: Sequence[Path], name: str, *, jobs: int
) -> tuple[dict[str, bytes], float]:
    """What a library holds after a run, resumed where there is one, and the seconds it took."""
    root = ground.scratch / name.replace(" ", "-")
    run = command.ingest(inputs, root, ground.options.config, jobs=jobs)
    found = contents(root)
    shutil.rmtree(root)
    return found, run.finished.seconds


def _start_and_kill(ground: Ground, inputs: Sequence[Path], root: Path, delay: float) -> bool:
    """Begin an ingest and kill it after `delay` seconds; whether it was still running."""
    arguments = command.ingest_arguments(inputs, root, ground.options.config, jobs=2)
    with tempfile.TemporaryFile() as output:
        process = command.start(arguments, output)
        time.sleep(delay)
        running = process.poll() is None
        command.kill(process)
    return running


def _row(name: str, wanted: dict[str, bytes], found: dict[str, bytes]) -> Row:
    names = sorted(wanted.keys() | found.keys())
    differ = [file for file in names if wanted.get(file) != found.get(file)]
    info: dict[str, str | int | float] = {"differ": ", ".join(differ[:5])} if differ else {}
    return Row(name, {"same": float(not differ)}, info)
