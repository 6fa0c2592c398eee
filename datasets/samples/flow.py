"""Tables, and text that flows through columns and pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pymupdf

from docpipe.datasets.samples.typeset import (
    BLACK,
    Align,
    Color,
    FontName,
    Line,
    Sheet,
    Style,
    break_lines,
)


class TableCell(NamedTuple):
    text: str
    columns: int = 1
    align: Align = "left"
    bold: bool = False


@dataclass(frozen=True)
class TableDesign:
    """How a table is set. `grid` rules every cell, else only head and foot; `head` counts rows."""

    widths: Sequence[float]
    style: Style
    head: int = 1
    grid: bool = False
    shade: Color | None = None
    pad: float = 3


Rows = Sequence[Sequence[TableCell | str]]


def table_height(rows: Rows, design: TableDesign) -> float:
    return sum(_row_height(row, design) for row in rows)


def _cells(row: Sequence[TableCell | str]) -> list[TableCell]:
    return [cell if isinstance(cell, TableCell) else TableCell(cell) for cell in row]


def _row_height(row: Sequence[TableCell | str], design: TableDesign) -> float:
    column, most = 0, 1
    for cell in _cells(row):
        width = sum(design.widths[column : column + cell.columns]) - 2 * design.pad
        most = max(most, len(break_lines(cell.text, design.style, width)))
        column += cell.columns
    return most * design.style.line_height + 2 * design.pad


def draw_table(sheet: Sheet, x: float, y: float, rows: Rows, design: TableDesign) -> float:
    """Draw a table with its top left at (x, y); returns the bottom."""
    right, top = x + sum(design.widths), y
    heavy = 0.6 if design.grid else 1.0
    for number, row in enumerate(rows):
        height = _row_height(row, design)
        in_head = number < design.head
        if design.shade and in_head:
            sheet.rect((x, y, right, y + height), fill=design.shade)
        column = 0
        for cell in _cells(row):
            left = x + sum(design.widths[:column])
            width = sum(design.widths[column : column + cell.columns])
            column += cell.columns
            _draw_cell(sheet, (left, y, left + width, y + height), cell, design, in_head)
        y += height
        if number == design.head - 1 and not design.grid:
            sheet.rule(x, y, right, 0.6)
    if not design.grid:
        sheet.rule(x, top, right, heavy)
        sheet.rule(x, y, right, heavy)
    return y


def _draw_cell(
    sheet: Sheet,
    box: tuple[float, float, float, float],
    cell: TableCell,
    design: TableDesign,
    in_head: bool,
) -> None:
    style = design.style._replace(align=cell.align)
    if cell.bold or in_head:
        bold: FontName = "serif-bold" if style.font.startswith("serif") else "sans-bold"
        style = style._replace(font=bold)
    width = box[2] - box[0] - 2 * design.pad
    if design.grid:
        sheet.rect(box, color=BLACK, width=0.5)
    elif in_head and cell.columns > 1:
        sheet.rule(box[0] + design.pad, box[3], box[2] - design.pad, 0.4)
    sheet.paragraph(box[0] + design.pad, box[1] + design.pad, cell.text, style, width)


@dataclass
class Frame:
    """A column: text fills it from `y` down to `bottom`."""

    sheet: Sheet
    x: float
    y: float
    width: float
    bottom: float


@dataclass
class Flow:
    """Sets blocks one below the other; `frames` gives the columns of each new page."""

    frames: Callable[[], list[Frame]]
    waiting: list[Frame] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.next_frame()

    @property
    def room(self) -> float:
        return self.frame.bottom - self.frame.y

    def next_frame(self) -> None:
        if not self.waiting:
            self.waiting = self.frames()
        self.frame = self.waiting.pop(0)
        self.top = self.frame.y

    def skip(self, space: float) -> None:
        """Vertical space, none at the top of a column."""
        if self.frame.y > self.top:
            self.frame.y += space

    def need(self, height: float) -> None:
        """Go on to the next column unless `height` fits into this one."""
        if self.room < height:
            self.next_frame()

    def paragraph(self, text: str, style: Style, *, indent: float = 0, after: float = 0) -> None:
        """Text that may run on in the next column; never one line of it alone."""
        width = self.frame.width - indent
        lines = break_lines(text, style, width)
        while lines:
            fit = int((self.room + 0.01) / style.line_height)
            if len(lines) - fit == 1 and len(lines) > 3:
                fit -= 1
            if fit < min(2, len(lines)):
                self.next_frame()
                continue
            frame = self.frame
            frame.y = frame.sheet.lines(frame.x + indent, frame.y, lines[:fit], style, width)
            lines = lines[fit:]
        self.skip(after)

    def item(self, marker: str, text: str, style: Style, *, indent: float, hang: float) -> None:
        """A list item with its marker at `indent` and its text at `indent + hang`."""
        self.need(
            style.line_height
            * min(2, len(break_lines(text, style, self.frame.width - indent - hang)))
        )
        frame = self.frame
        frame.sheet.lines(
            frame.x + indent, frame.y, [Line([marker], True)], style._replace(align="left"), hang
        )
        self.paragraph(text, style, indent=indent + hang, after=0.25 * style.size)

    def table(self, rows: Rows, design: TableDesign, after: float = 8) -> None:
        """A table that stays in one column."""
        self.need(table_height(rows, design))
        self.frame.y = draw_table(self.frame.sheet, self.frame.x, self.frame.y, rows, design)
        self.skip(after)

    def drawing(self, height: float, draw: Callable[[Sheet, float, float, float], None]) -> None:
        """`draw(sheet, x, y, width)` draws into the next `height` points."""
        self.need(height)
        draw(self.frame.sheet, self.frame.x, self.frame.y, self.frame.width)
        self.frame.y += height

    def footnote(self, text: str, style: Style) -> None:
        """A note at the foot of the column, below a short rule."""
        lines = break_lines(text, style, self.frame.width)
        self.frame.bottom -= len(lines) * style.line_height + 6
        y = self.frame.bottom + 3
        self.frame.sheet.rule(self.frame.x, y, self.frame.x + 60, 0.4)
        self.frame.sheet.lines(self.frame.x, y + 3, lines, style, self.frame.width)


class Book:
    """A document in the making."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.sheets: list[Sheet] = []

    def sheet(self, width: float, height: float) -> Sheet:
        """A new page; those before can no longer be written on."""
        self.flush()
        self.sheets.append(Sheet(self.document.new_page(width=width, height=height)))
        return self.sheets[-1]

    def flush(self) -> None:
        """Put down the text that is waiting for the last page."""
        if self.sheets:
            self.sheets[-1].flush()

    def finish(self, title: str, author: str, date: str) -> bytes:
        """The bytes of the PDF, the same for the same content. `date` is YYYYMMDD."""
        self.flush()
        stamp = f"D:{date}090000Z"
        self.document.set_metadata(
            {"title": title, "author": author, "creationDate": stamp, "modDate": stamp}
        )
        self.document.subset_fonts()
        data: bytes = self.document.tobytes(
            garbage=4, deflate=True, deflate_fonts=True, no_new_id=True, use_objstms=True
        )
        return data
