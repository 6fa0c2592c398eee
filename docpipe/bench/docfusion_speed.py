"""How many crops and pages DocFusion reads in a second, by batch and threads.

Synthetic samples of the held-out profile, greedy decoding; the median of three rounds. `page` is
a whole page as the parser reads a scan: its layout, then all of its crops.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from docpipe.datasets.docfusion.profiles import HELD_OUT
from docpipe.datasets.docfusion.samples import TASKS, Task
from docpipe.datasets.docfusion.synthetic import synthetic

if TYPE_CHECKING:
    from pathlib import Path

    from PIL import Image

    from docpipe.parsers.docfusion.reader import Reader

BATCHES = (1, 16)
THREADS = (1, 2)
_ROUNDS = 3
_SAMPLES = 16


def throughput(weights: Path) -> dict[str, float]:
    """Samples a second, `throughput.<task>.batch<n>.threads<n>`, and `throughput.page.threads<n>`.
    Raises ModelError."""
    import torch

    before = torch.get_num_threads()
    figures: dict[str, float] = {}
    try:
        for threads in THREADS:
            torch.set_num_threads(threads)
            for name, work in _works(weights):
                figures[f"throughput.{name}.threads{threads}"] = _SAMPLES / _seconds(work)
    finally:
        torch.set_num_threads(before)
    return figures


def _works(weights: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    from docpipe.parsers.docfusion.reader import Reader
    from docpipe.parsers.docfusion.weights import load
    from docpipe.training.docfusion.prediction import Predictor

    for task in TASKS:
        samples = [synthetic(task, HELD_OUT, number) for number in range(_SAMPLES)]
        for batch in BATCHES:
            predictor = Predictor(*load(weights), batch=batch)
            yield f"{task}.batch{batch}", partial(predictor.predict, samples)
    pages = [synthetic("layout", HELD_OUT, number).image for number in range(_SAMPLES)]
    yield "page", partial(read_pages, Reader(weights, beams=1), pages)


def read_pages(reader: Reader, pages: Sequence[Image.Image]) -> None:
    """Layout and contents of images of pages, one after the other, as the parser reads scans."""
    for page in pages:
        _read_page(reader, page)


def _read_page(reader: Reader, page: Image.Image) -> None:
    from docpipe.parsers.docfusion.blocks import kind_of

    crops: defaultdict[Task, list[Image.Image]] = defaultdict(list)
    for block in reader.layout(page, *map(float, page.size)):
        kind = kind_of(block.label)
        if kind != "figure":
            box = block.bbox
            crops[kind].append(page.crop((box.x0, box.y0, box.x1 + 1, box.y1 + 1)))
    for task, images in crops.items():
        reader.read(images, task)


def _seconds(work: Callable[[], object]) -> float:
    """Of wall-clock time, after a round that is not counted."""
    work()
    times = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)
