"""What the parts of the bench share: data, options, a scratch folder, one ingest of all files."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

import msgspec

from docpipe.bench.reliability.command import Ingested, ingest
from docpipe.bench.reliability.kept import Kept
from docpipe.bench.reliability.seal import Seal
from docpipe.bench.result import Measured
from docpipe.bench.robust import Attempt, Case, Judge, load_cases, load_judge
from docpipe.bench.task import Options
from docpipe.pdf import open_document
from docpipe.pipeline import Pipeline
from docpipe.records import Page

# Folders of sound documents, beside the data folder.
CLEAN = ("parsebench/opendataloader/pdfs", "mmlongbench/documents")
CLEAN_PAGES = 300  # of each folder
_PAGES_OF_ONE = 10
SECONDS_PER_FILE = 60.0  # on average; a run that takes longer counts as hanging


class Ground:
    """`data` is a folder as for the bench `robust`; files made on the way go to `scratch`."""

    def __init__(self, data: Path, options: Options, scratch: Path) -> None:
        self.data = data
        self.options = options
        self.scratch = scratch
        self.kept = Kept(options.work, data, options)

    @cached_property
    def cases(self) -> list[Case]:
        return load_cases(self.data)

    @cached_property
    def judge(self) -> Judge:
        return load_judge(self.data)

    @cached_property
    def seal(self) -> Seal:
        return Seal(self.scratch / "seal", allowed=[self.scratch / "whole"])

    @cached_property
    def whole(self) -> Ingested:
        """The data folder as the command reads it, sealed: see isolation."""
        return ingest(
            [self.data],
            self.scratch / "whole",
            self.options.config,
            environment=self.seal.environment,
            timeout=120 + SECONDS_PER_FILE * len(self.cases),
        )

    @cached_property
    def attempts(self) -> dict[str, Attempt]:
        """What became of each file of the data folder, by name."""
        return {line.name: Attempt(line, self.whole.document(line)) for line in self.whole.lines}

    @cached_property
    def clean_pages(self) -> list[tuple[Path, Page]]:
        """Pages of sound documents as the parser reads them, without OCR, with their files."""
        return [found for folder in CLEAN for found in self._beginnings(self.data.parent / folder)]

    def _beginnings(self, folder: Path) -> Iterator[tuple[Path, Page]]:
        pipeline = Pipeline(self.options.config)
        files = sorted(folder.glob("*.pdf"))
        random.Random(self.options.seed).shuffle(files)
        left = CLEAN_PAGES
        for path in files:
            if left > 0:
                with open_document(path) as opened:
                    count = min(left, _PAGES_OF_ONE, opened.page_count)
                document = pipeline.parse(path, pages=f"1-{count}", ocr="off")
                left -= count
                yield from ((path, page) for page in document.pages)


def share(hits: Iterable[bool]) -> float:
    """How many of them are true, of all; 1.0 of none."""
    found = list(hits)
    return sum(found) / len(found) if found else 1.0


def join(measured: Iterable[tuple[str, Measured]]) -> Measured:
    """All parts in one: figures and scores with the part's name in front."""
    joined = Measured([])
    for name, part in measured:
        rows = [msgspec.structs.replace(row, scores=_named(name, row.scores)) for row in part.rows]
        joined = Measured(
            joined.rows + rows,
            joined.figures | _named(name, part.figures),
            (*joined.notes, *(f"{name}: {note}" for note in part.notes)),
        )
    return joined


def _named(part: str, figures: dict[str, float]) -> dict[str, float]:
    return {f"{part}.{figure}": value for figure, value in figures.items()}
