"""Benches: measured figures on real documents, with intervals, that anyone can run again.

A bench is a function from a data folder and Options to Measured. To add one, write it and give it
an entry in BENCHES.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from pathlib import Path

from docpipe.bench.compare import Comparison, compare
from docpipe.bench.report import Sheet, comparison_sheets, result_sheets
from docpipe.bench.result import BenchResult, Measured, Row, build_result, load_result
from docpipe.bench.task import Options
from docpipe.errors import ConfigError

__all__ = [
    "BENCHES",
    "WITHOUT_DATA",
    "BenchResult",
    "Comparison",
    "Measured",
    "Options",
    "Row",
    "Sheet",
    "compare",
    "comparison_sheets",
    "load_result",
    "result_sheets",
    "run_bench",
]

BENCHES: dict[str, str] = {
    "parse": "docpipe.bench.parse:run",
    "ablation": "docpipe.bench.ablation:run",
    "retrieval": "docpipe.bench.retrieval:run",
    "answer": "docpipe.bench.answers:run",
    "agent": "docpipe.bench.agent:run",
    "headings": "docpipe.bench.headings:run",
    "robust": "docpipe.bench.robust:run",
    "ocr": "docpipe.bench.ocr:run",
    "knnformer": "docpipe.bench.knnformer:run",
    "extract": "docpipe.bench.extract:run",
    "reliability": "docpipe.bench.reliability:run",
    "speed": "docpipe.bench.speed:run",
    "docfusion": "docpipe.bench.docfusion:run",
    "pabdm": "docpipe.bench.pabdm:run",
    "advantages": "docpipe.bench.advantages:run",
}
WITHOUT_DATA = {"advantages"}


def run_bench(name: str, data: Path | None, options: Options, *, command: str = "") -> BenchResult:
    """Run the bench called `name` on the folder `data`; `command` is kept to repeat it.

    Raises ConfigError for an unknown name and for a folder without the data it needs.
    """
    function = _function(name)
    if name in WITHOUT_DATA:
        data = Path()
    elif data is None:
        raise ConfigError(f"{name} needs --data", hint="see docs/data.md")
    elif not data.is_dir():
        raise ConfigError(f"no such data folder: {data}", hint="see docs/data.md")
    start = time.perf_counter()
    measured = function(data, options)
    seconds = time.perf_counter() - start
    return build_result(name, measured, command=command, seconds=seconds, seed=options.seed)


def _function(name: str) -> Callable[[Path, Options], Measured]:
    if name not in BENCHES:
        raise ConfigError(f"unknown bench {name!r}", hint=f"known: {', '.join(BENCHES)}")
    module, _, attribute = BENCHES[name].partition(":")
    function: Callable[[Path, Options], Measured] = getattr(
        importlib.import_module(module), attribute
    )
    return function
