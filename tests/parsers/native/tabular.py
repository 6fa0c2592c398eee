"""Tables drawn in code, and what the parser makes of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pymupdf

from docpipe.content import table_rows
from docpipe.parsers.native.tables import find_tables
from docpipe.pdf.page import PdfPageView
from docpipe.records import Table

SIZE = 10
PITCH = 15
ROWS = [
    ["Region", "Units", "Share", "Growth"],
    ["North", "1,204", "0.61", "+3.5%"],
    ["South", "873", "0.28", "-1.0%"],
    ["East", "95", "0.07", "+12.4%"],
    ["West", "61", "0.04", "0.0%"],
]


def tables_of(build: Callable[[pymupdf.Page], None]) -> list[Table]:
    """The tables of the page that `build` draws."""
    with pymupdf.open() as drawn:
        build(drawn.new_page())
        data = drawn.tobytes()
    with pymupdf.open(stream=data) as document:
        page = PdfPageView(document[0], 1, "1")
        return find_tables(page, page.words())


def texts_of(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table_rows(table)]


def write(
    page: pymupdf.Page,
    rows: Sequence[Sequence[str]],
    xs: Sequence[float],
    y: float = 100,
    pitch: float = PITCH,
) -> None:
    """Rows of words, the cells of each starting at `xs`; baselines `pitch` apart from `y`."""
    for number, row in enumerate(rows):
        for x, text in zip(xs, row, strict=True):
            if text:
                page.insert_text((x, y + number * pitch), text, fontsize=SIZE)


def prose(page: pymupdf.Page, x: float, y: float, width: float, lines: int) -> None:
    """Justified-looking text in a column."""
    words = "the committee met in order to talk about all that had been said of rivers and roads"
    box = pymupdf.Rect(x, y, x + width, y + lines * 14)
    page.insert_textbox(
        box, " ".join([words] * lines), fontsize=SIZE, align=pymupdf.TEXT_ALIGN_JUSTIFY
    )
