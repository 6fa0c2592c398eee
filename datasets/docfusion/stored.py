"""Samples in a folder: `samples.jsonl`, a row each, and their images as PNG files.

The folder may hold data of private documents: it is as confidential as they are.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from docpipe.datasets.docfusion.profiles import Split
from docpipe.datasets.docfusion.samples import LayoutBox, Sample, Task
from docpipe.errors import ConfigError, SchemaError
from docpipe.records import Cell

INDEX = "samples.jsonl"
_HELD_OUT_PART = 10  # one document in so many is held out


class StoredRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sample without its image, which is the file `image` of the folder."""

    task: Task
    image: str
    name: str
    group: str
    text: str = ""
    boxes: tuple[LayoutBox, ...] = ()
    cells: tuple[Cell, ...] = ()


def write_samples(samples: Iterable[Sample], folder: Path) -> list[StoredRow]:
    """Write the images, and give the rows for `write_index`."""
    rows: list[StoredRow] = []
    for sample in samples:
        image = Path("images", sample.task, f"{sample.name.replace('/', '_')}.png")
        (folder / image).parent.mkdir(parents=True, exist_ok=True)
        sample.image.save(folder / image)
        rows.append(
            StoredRow(
                task=sample.task,
                image=image.as_posix(),
                name=sample.name,
                group=sample.group,
                text=sample.text,
                boxes=sample.boxes,
                cells=sample.cells,
            )
        )
    return rows


def write_index(rows: Iterable[StoredRow], folder: Path) -> None:
    """Replace the index in one step: a folder without it, or with the old one, is what an
    interrupted run leaves."""
    part = folder / f"{INDEX}.part"
    part.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    os.replace(part, folder / INDEX)


class StoredSamples:
    """The samples of one task in a folder, those of held-out documents or the others.

    Raises ConfigError where the folder has no index, SchemaError where a row is not one.
    """

    def __init__(self, folder: Path, task: Task, split: Split | None = None) -> None:
        self._folder = folder
        self.rows = [
            row
            for row in _read(folder)
            if row.task == task and split in (None, split_of_group(row.group))
        ]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Sample:
        from PIL import Image

        row = self.rows[number]
        with Image.open(self._folder / row.image) as image:
            return Sample(
                task=row.task,
                image=image.convert("RGB"),
                text=row.text,
                boxes=row.boxes,
                cells=row.cells,
                name=row.name,
                group=row.group,
            )


def split_of_group(group: str) -> Split:
    """By a hash of the document's name."""
    return "held_out" if zlib.crc32(group.encode()) % _HELD_OUT_PART == 0 else "train"


def _read(folder: Path) -> list[StoredRow]:
    path = folder / INDEX
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ConfigError(f"{folder} has no {INDEX}", hint="see docpipe data docfusion") from error
    try:
        decode: Callable[[bytes], StoredRow] = msgspec.json.Decoder(StoredRow).decode
        return [decode(line) for line in lines]
    except msgspec.DecodeError as error:
        raise SchemaError(f"{path}: {error}") from error
