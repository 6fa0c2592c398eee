"""What a bench gives: figures with intervals, a row for each document, and how it was measured."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from docpipe.bench.stats import Interval, bootstrap
from docpipe.errors import ConfigError, SchemaError

Info = str | int | float

_PACKAGES = ("docpipe", "pymupdf", "rapidocr", "onnxruntime", "torch")


class Row(msgspec.Struct, frozen=True):
    """One measured item: a document, a file or a question.

    `scores` are the figures that the summary averages, absent where they do not apply; `info` is
    whatever helps to read them. Rows of one `group` (empty: the name) are resampled together.
    """

    name: str
    scores: dict[str, float]
    info: dict[str, Info] = {}
    group: str = ""


class Measured(msgspec.Struct, frozen=True):
    """What a bench function returns: rows, figures that are no means, and remarks."""

    rows: list[Row]
    figures: dict[str, float] = {}
    notes: tuple[str, ...] = ()


class BenchResult(msgspec.Struct, frozen=True, kw_only=True):
    """A finished bench. `summary` are the means of the rows' scores, then the other figures;
    `intervals` (low, high) are 95 % bootstrap bounds of the means, where there are two or more
    groups of rows."""

    name: str
    summary: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    documents: list[Row]
    notes: tuple[str, ...] = ()
    command: str = ""
    versions: dict[str, str] = {}
    machine: str = ""
    seconds: float = 0.0
    seed: int = 0


def build_result(
    name: str, measured: Measured, *, command: str, seconds: float, seed: int
) -> BenchResult:
    """The result of a bench with means, intervals and the description of this machine."""
    intervals = mean_intervals(measured.rows, seed=seed)
    means = {figure: interval.mean for figure, interval in intervals.items()}
    summary = means | measured.figures
    return BenchResult(
        name=name,
        summary={figure: round(value, 5) for figure, value in summary.items()},
        intervals={
            figure: (round(interval.low, 5), round(interval.high, 5))
            for figure, interval in intervals.items()
            if interval.low is not None and interval.high is not None
        },
        documents=measured.rows,
        notes=measured.notes,
        command=command,
        versions=versions(),
        machine=machine(),
        seconds=round(seconds, 2),
        seed=seed,
    )


def mean_intervals(rows: Iterable[Row], *, seed: int = 0) -> dict[str, Interval]:
    """The mean of every score over the rows that have it, in order of first appearance."""
    values: dict[str, list[tuple[float, str]]] = {}
    for row in rows:
        for figure, score in row.scores.items():
            values.setdefault(figure, []).append((score, row.group or row.name))
    return {
        figure: bootstrap([score for score, _ in pairs], [group for _, group in pairs], seed=seed)
        for figure, pairs in values.items()
    }


def score_names(rows: Iterable[Row]) -> list[str]:
    """The figures that are means over these rows, in order of first appearance."""
    return list(dict.fromkeys(figure for row in rows for figure in row.scores))


def load_result(path: Path) -> BenchResult:
    """A result from the JSON file that `docpipe bench --json` wrote. Raises ConfigError,
    SchemaError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=BenchResult)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise SchemaError(f"{path} is no bench result: {error}") from error


def versions() -> dict[str, str]:
    """Versions of what decides the figures, and the commit when docpipe runs from a checkout."""
    found = {"python": platform.python_version()} | _package_versions(_PACKAGES)
    commit = _commit(Path(__file__).parent)
    return found | ({"commit": commit} if commit else {})


def machine() -> str:
    """This machine in words: system, processor, cores."""
    name = _processor() or platform.machine()
    return f"{platform.system()}, {name}, {os.cpu_count()} cores"


def _package_versions(packages: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _commit(folder: Path) -> str:
    """The commit of the checkout around `folder`, with `+` where files differ from it."""
    try:
        run = subprocess.run(
            ["git", "-C", str(folder), "describe", "--always", "--dirty=+", "--exclude=*"],
            capture_output=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stdout.strip() if run.returncode == 0 else ""


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2] for line in text.splitlines() if line.startswith("model name"))
    return next(names, "").strip()
