"""Readers of public sets, in the formats that they are given out in; docs/data.md has the sources.

DocLayNet (layout, CDLA-Permissive-1.0), PubTabNet (tables), UniMER (formulas), DocLatex (tables and
formulas). Each is a SampleSource and raises ConfigError where its files are not.
"""

from __future__ import annotations

import html
import io
import json
import re
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path
from typing import Any, Literal

from docpipe.datasets.docfusion.latex import normalise, tabular
from docpipe.datasets.docfusion.samples import LayoutBox, Sample, Task, top_down
from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.records import Cell

_DOCLAYNET = {
    "Caption": "Cap",
    "Footnote": "Footnote",
    "Formula": "Math",
    "List-item": "List",
    "Page-footer": "Footer",
    "Page-header": "Header",
    "Picture": "Picture",
    "Section-header": "Section",
    "Table": "Table",
    "Text": "Text",
    "Title": "Title",
}
_TAG = re.compile(r"<[^>]*>")
_SPAN = re.compile(r'(colspan|rowspan)="(\d+)"')


class DocLayNet:
    """Pages with boxes: `COCO/<split>.json` and `PNG/` below `folder` [split: train, val, test]."""

    def __init__(self, folder: Path, split: str = "train") -> None:
        data = json.loads(_read(folder / "COCO" / f"{split}.json"))
        self._folder = folder / "PNG"
        self._images: list[dict[str, Any]] = data["images"]
        names = {item["id"]: _DOCLAYNET[item["name"]] for item in data["categories"]}
        self._boxes: defaultdict[int, list[LayoutBox]] = defaultdict(list)
        for item in data["annotations"]:
            x, y, width, height = item["bbox"]
            box = LayoutBox(names[item["category_id"]], BBox.of(x, y, x + width, y + height))
            self._boxes[item["image_id"]].append(box)

    def __len__(self) -> int:
        return len(self._images)

    def __getitem__(self, number: int) -> Sample:
        about = self._images[number]
        name = about["file_name"]
        return Sample(
            task="layout",
            image=_image(self._folder / name),
            boxes=top_down(self._boxes[about["id"]]),
            name=name,
            group=about.get("doc_name", name),
        )


class PubTabNet:
    """Tables with cells: `PubTabNet_2.0.0.jsonl` and a folder of images for each split."""

    def __init__(self, folder: Path, split: str = "train") -> None:
        lines = _read(folder / "PubTabNet_2.0.0.jsonl").splitlines()
        self._rows = [row for row in map(json.loads, lines) if row["split"] == split]
        self._folder = folder / split

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> Sample:
        row = self._rows[number]
        cells = pubtabnet_cells(row["html"])
        columns = max((cell.column + cell.column_span for cell in cells), default=0)
        return Sample(
            task="table",
            image=_image(self._folder / row["filename"]),
            text=tabular(cells, "l" * columns),
            cells=cells,
            name=row["filename"],
            group=row["filename"].partition("_")[0],
        )


def pubtabnet_cells(table: dict[str, Any]) -> tuple[Cell, ...]:
    """The grid of the `html` of a row: tags of the structure, and the characters of each cell."""
    contents = iter(table["cells"])
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    row, column, in_head = -1, 0, False
    spans: dict[str, int] = {}
    for token in table["structure"]["tokens"]:
        if token in ("<thead>", "</thead>"):
            in_head = token == "<thead>"
        elif token == "<tr>":
            row, column = row + 1, 0
        elif token == "<td" or found_spans(token):
            spans |= found_spans(token)
        elif token in ("<td>", ">"):
            while (row, column) in taken:
                column += 1
            height, width = spans.get("rowspan", 1), spans.get("colspan", 1)
            characters = "".join(next(contents)["tokens"])
            text = " ".join(html.unescape(_TAG.sub("", characters)).split())
            cells.append(Cell(row, column, text, height, width, is_header=in_head))
            taken |= {
                (row + down, column + right) for down in range(height) for right in range(width)
            }
            column, spans = column + width, {}
    return tuple(cells)


def found_spans(token: str) -> dict[str, int]:
    """`rowspan` and `colspan` in a token of an opening tag."""
    return {name: int(value) for name, value in _SPAN.findall(token)}


class UniMer:
    """Formulas: a text file with a formula a line, and images numbered alike in a folder.

    `UniMer(folder / "train.txt", folder / "images")` for UniMER-1M; its test has `spe.txt`, `spe`.
    """

    def __init__(self, labels: Path, images: Path) -> None:
        self._formulas = _read(labels).decode("utf-8").splitlines()
        self._images = images

    def __len__(self) -> int:
        return len(self._formulas)

    def __getitem__(self, number: int) -> Sample:
        name = f"{number:07}.png"
        return Sample(
            task="formula",
            image=_image(self._images / name),
            text=normalise(self._formulas[number]),
            name=name,
            group=name,
        )


class DocLatex:
    """Formulas or tables: Parquet files `<split>-*.parquet`, of `equation_1` or `table`."""

    def __init__(self, folder: Path, split: Literal["equation_1", "table"]) -> None:
        from pyarrow.parquet import ParquetFile  # type: ignore[import-untyped]

        paths = sorted(folder.rglob(f"{split}-*.parquet"))
        if not paths:
            raise ConfigError(f"no {split}-*.parquet in {folder}", hint="see docs/data.md")
        self._task: Task = "table" if split == "table" else "formula"
        self._groups = [
            (file, group, file.metadata.row_group(group).num_rows)
            for file in map(ParquetFile, paths)
            for group in range(file.num_row_groups)
        ]
        self._starts = [0]
        for _, _, rows in self._groups:
            self._starts.append(self._starts[-1] + rows)
        self._held: tuple[int, list[dict[str, Any]]] = (-1, [])

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, number: int) -> Sample:
        from PIL import Image

        group = bisect_right(self._starts, number) - 1
        row = self._rows(group)[number - self._starts[group]]
        answers = row["answers"]
        latex = answers if isinstance(answers, str) else answers[0]
        with Image.open(io.BytesIO(row["image"]["bytes"])) as image:
            return Sample(
                task=self._task,
                image=image.convert("RGB"),
                text=" ".join(latex.split()) if self._task == "table" else normalise(latex),
                name=f"{number}",
                group=f"{number}",
            )

    def _rows(self, group: int) -> list[dict[str, Any]]:
        """A row group, the last one kept: reading in order reads each once."""
        if self._held[0] != group:
            file, at, _ = self._groups[group]
            self._held = (group, file.read_row_group(at).to_pylist())
        return self._held[1]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} is missing", hint="see docs/data.md") from error


def _image(path: Path) -> Any:
    from PIL import Image

    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except OSError as error:
        raise ConfigError(f"image {path} cannot be read", hint="see docs/data.md") from error
