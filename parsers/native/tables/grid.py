"""From a grid of tokens to a Table record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from docpipe.geometry import BBox, union_all
from docpipe.parsers.native.tables.layout import Token, text_of
from docpipe.records import Cell, Region, Source, Table

STAGE = "native"


class Slot(NamedTuple):
    """A cell before it is a record: position, spans, words and the box it takes up."""

    row: int
    column: int
    row_span: int
    column_span: int
    tokens: tuple[Token, ...]
    box: tuple[float, float, float, float]


class Grid(NamedTuple):
    """All slots of a table, and how many of its top rows are header."""

    slots: list[Slot]
    header_rows: int
    confidence: float

    @property
    def box(self) -> BBox:
        return union_all(BBox.of(*slot.box) for slot in self.slots)

    @property
    def rows(self) -> int:
        return max(slot.row + slot.row_span for slot in self.slots)

    @property
    def columns(self) -> int:
        return max(slot.column + slot.column_span for slot in self.slots)

    def tokens(self) -> Iterable[Token]:
        return (token for slot in self.slots for token in slot.tokens)


def to_table(grid: Grid, page: int, number: int) -> Table:
    """The record of a grid, with the provisional id `p{page}/table{number}`."""
    cells = tuple(
        Cell(
            row=slot.row,
            column=slot.column,
            text=text_of(slot.tokens),
            row_span=slot.row_span,
            column_span=slot.column_span,
            is_header=slot.row < grid.header_rows,
            region=Region(page, BBox.of(*slot.box)),
        )
        for slot in sorted(grid.slots)
    )
    source = Source((Region(page, grid.box),), STAGE, grid.confidence)
    return Table(id=f"p{page}/table{number}", source=source, cells=cells)
