"""Synthetic tables: a grid with spans, drawn and written as LaTeX from one source."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from docpipe.datasets.docfusion.crops import draw_style
from docpipe.datasets.docfusion.ink import Gray, LineStyle, line_width, set_line
from docpipe.datasets.docfusion.latex import tabular
from docpipe.datasets.docfusion.profiles import Profile
from docpipe.datasets.docfusion.text import numbers, running
from docpipe.datasets.docfusion.wear import draw_skew, draw_wear, turned, turned_box, worn
from docpipe.geometry import BBox
from docpipe.records import Cell, Region

Ruling = Literal["booktabs", "rows", "grid", "none"]
_RULINGS: tuple[Ruling, ...] = ("booktabs", "booktabs", "rows", "grid", "none")
_MARGIN = 6  # pixels around a table


class Grid(NamedTuple):
    """A table before it is drawn; `alignment` has l, c or r for each column."""

    cells: tuple[Cell, ...]
    alignment: str
    header_rows: int

    @property
    def rows(self) -> int:
        return max(cell.row + cell.row_span for cell in self.cells)


class TableStyle(NamedTuple):
    """`pad_x` and `pad_y` in pixels on each side of a cell's text, `rule` the width of lines."""

    line: LineStyle
    ruling: Ruling
    pad_x: float
    pad_y: float
    rule: int
    bold: str | None
    banded: bool


class Drawn(NamedTuple):
    """A table's ink, and where its columns and rows begin and end, in pixels."""

    ink: Gray
    xs: list[float]
    ys: list[float]

    def box(self, cell: Cell) -> BBox:
        last_column, last_row = cell.column + cell.column_span, cell.row + cell.row_span
        return BBox(
            self.xs[cell.column], self.ys[cell.row], self.xs[last_column], self.ys[last_row]
        )


def table_crop(
    chance: random.Random, profile: Profile, most: int
) -> tuple[Gray, str, tuple[Cell, ...]]:
    """An image of a table, its LaTeX of at most `most` characters, and its cells, with their
    places in the image as regions."""
    grid = fitting_grid(chance, profile, most)
    drawn = draw_table(grid, draw_table_style(chance, profile, grid))
    ink = drawn.ink
    boxes = [drawn.box(cell) for cell in grid.cells]
    if skew := draw_skew(chance, profile):
        boxes = [turned_box(box, ink, skew) for box in boxes]
        ink = turned(ink, skew)
    cells = tuple(
        msgspec.structs.replace(cell, region=Region(1, box))
        for cell, box in zip(grid.cells, boxes, strict=True)
    )
    return worn(ink, draw_wear(chance, profile)), tabular(grid.cells, grid.alignment), cells


def fitting_grid(chance: random.Random, profile: Profile, most: int) -> Grid:
    """A grid whose LaTeX has at most `most` characters; rows and columns shrink until it has."""
    rows, columns = chance.randint(*profile.table_rows), chance.randint(*profile.table_columns)
    while True:
        grid = draw_grid(chance, profile, rows, columns)
        if len(tabular(grid.cells, grid.alignment)) <= most or (rows, columns) == (2, 2):
            return grid
        if rows >= columns:
            rows -= 1
        else:
            columns -= 1


def draw_grid(chance: random.Random, profile: Profile, rows: int, columns: int) -> Grid:
    """A grid of this size; `span_share` of grids have cells over several rows or columns."""
    spanned = chance.random() < profile.span_share and rows > 2
    two_heads = spanned and columns > 2 and rows > 3 and chance.random() < 0.6
    heads = 2 if two_heads else int(chance.random() < 0.9)
    spans = _head_spans(chance, columns) if two_heads else {}
    if spanned and (not two_heads or chance.random() < 0.5):
        spans |= _side_spans(chance, heads, rows)
    numeric = [column > 0 and chance.random() < 0.7 for column in range(columns)]
    covered = {
        (row + down, column + across)
        for (row, column), (height, width) in spans.items()
        for down in range(height)
        for across in range(width)
        if (down, across) != (0, 0)
    }
    cells = tuple(
        Cell(
            row,
            column,
            _content(chance, profile, numeric[column] and row >= heads),
            *spans.get((row, column), (1, 1)),
            is_header=row < heads,
        )
        for row in range(rows)
        for column in range(columns)
        if (row, column) not in covered
    )
    alignment = "".join(chance.choice("rrc") if n else chance.choice("llc") for n in numeric)
    return Grid(cells, alignment, heads)


def _head_spans(chance: random.Random, columns: int) -> dict[tuple[int, int], tuple[int, int]]:
    """(row, column) -> (rows, columns): groups of columns under a common head; the others have a
    head of both rows."""
    spans: dict[tuple[int, int], tuple[int, int]] = {(0, 0): (2, 1)}
    column = 1
    while column < columns:
        width = min(chance.randint(1, 3), columns - column)
        spans[0, column] = (1, width) if width > 1 else (2, 1)
        column += width
    return spans


def _side_spans(
    chance: random.Random, heads: int, rows: int
) -> dict[tuple[int, int], tuple[int, int]]:
    """Cells of the first column over two or three rows."""
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    row = heads
    while row + 1 < rows:
        height = min(chance.randint(1, 3), rows - row)
        if height > 1:
            spans[row, 0] = (height, 1)
        row += height
    return spans


def _content(chance: random.Random, profile: Profile, numeric: bool) -> str:
    if chance.random() < 0.05:
        return ""
    if numeric or chance.random() < profile.random_share / 2:
        return numbers(chance, 14).split()[0]
    words = running(chance, profile.split, 24).split()
    return " ".join(words[: chance.randint(1, 2)]).strip(" .,;:")


def draw_table_style(chance: random.Random, profile: Profile, grid: Grid) -> TableStyle:
    line = draw_style(chance, profile, "".join(cell.text for cell in grid.cells))
    size = line.size
    able = [font for font in profile.fonts if font[-2:] in ("bo", "bi") or font.endswith("Bold")]
    return TableStyle(
        line=line,
        ruling=chance.choice(_RULINGS),
        pad_x=chance.uniform(0.3, 1.0) * size,
        pad_y=chance.uniform(-0.1, 0.35) * size,
        rule=max(1, round(size / 16)),
        bold=chance.choice(able) if able and chance.random() < 0.4 else None,
        banded=chance.random() < 0.15,
    )


def draw_table(grid: Grid, style: TableStyle) -> Drawn:
    """The table drawn, with a margin; rows are one line high."""
    texts = {cell: set_line(cell.text, _cell_style(cell, style)) for cell in grid.cells}
    height = max(ink.shape[0] for ink in texts.values()) + 2 * style.pad_y
    xs = [_MARGIN + x for x in _edges(_widths(grid, style))]
    ys = [_MARGIN + x for x in _edges([height] * grid.rows)]
    page = np.zeros((round(ys[-1]) + _MARGIN, round(xs[-1]) + _MARGIN), np.uint8)
    if style.banded:
        for row in range(grid.header_rows, grid.rows, 2):
            page[round(ys[row]) : round(ys[row + 1]), round(xs[0]) : round(xs[-1])] = 36
    for cell, ink in texts.items():
        box = (xs[cell.column], ys[cell.row], xs[cell.column + cell.column_span])
        bottom = ys[cell.row + cell.row_span]
        aligned = grid.alignment[cell.column] if cell.column_span == 1 else "c"
        _place(page, ink, (*box, bottom), aligned, style)
    _rule(page, grid, xs, ys, style)
    return Drawn(page, xs, ys)


def _cell_style(cell: Cell, style: TableStyle) -> LineStyle:
    bold = style.bold if cell.is_header else None
    return style.line._replace(font=bold) if bold else style.line


def _widths(grid: Grid, style: TableStyle) -> list[float]:
    """Of columns; where a wide cell needs more, its last column grows."""
    widths = [2 * style.pad_x + 4.0] * len(grid.alignment)
    for cell in sorted(grid.cells, key=lambda cell: cell.column_span):
        last = cell.column + cell.column_span
        needed = line_width(cell.text, _cell_style(cell, style)) + 2 * style.pad_x
        widths[last - 1] += max(0.0, needed - sum(widths[cell.column : last]))
    return widths


def _edges(sizes: Sequence[float]) -> list[float]:
    edges = [0.0]
    for size in sizes:
        edges.append(edges[-1] + size)
    return edges


def _place(
    page: Gray, ink: Gray, box: tuple[float, float, float, float], aligned: str, style: TableStyle
) -> None:
    x0, y0, x1, y1 = box
    height, width = ink.shape
    x = {"l": x0 + style.pad_x, "c": (x0 + x1 - width) / 2, "r": x1 - style.pad_x - width}[aligned]
    left, top = max(round(x), 0), max(round((y0 + y1 - height) / 2), 0)
    place = page[top : top + height, left : left + width]
    np.maximum(place, ink[: place.shape[0], : place.shape[1]], out=place)


def _rule(
    page: Gray, grid: Grid, xs: Sequence[float], ys: Sequence[float], style: TableStyle
) -> None:
    """Draw the lines of the ruling; none runs through a cell of several rows or columns."""
    if style.ruling == "none":
        return
    for cell in grid.cells:
        x0, x1 = xs[cell.column], xs[cell.column + cell.column_span]
        y0, y1 = ys[cell.row], ys[cell.row + cell.row_span]
        last = cell.row + cell.row_span
        everywhere = style.ruling in ("rows", "grid")
        below_group = cell.is_header and cell.column_span > 1
        if everywhere or last in (grid.header_rows, grid.rows) or below_group:
            inset = style.pad_x / 2 if below_group and not everywhere else 0
            _line(page, x0 + inset, y1, x1 - inset, y1, style.rule)
        if cell.row == 0:
            _line(page, x0, y0, x1, y0, style.rule)
        if style.ruling == "grid":
            _line(page, x0, y0, x0, y1, style.rule)
            _line(page, x1, y0, x1, y1, style.rule)


def _line(page: Gray, x0: float, y0: float, x1: float, y1: float, width: int) -> None:
    page[round(y0) : round(y1) + width, round(x0) : round(x1) + width] = 255
