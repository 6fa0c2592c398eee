"""Markdown, HTML and CSV of a table say the same."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from docpipe.export import table_to_csv, table_to_html
from docpipe.export.tables import grid, is_plain
from docpipe.records import Cell, Table

from .conftest import SOURCE


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Any table without overlaps: cells are put where there is room, some places stay empty."""
    height, width = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    free = {(row, column) for row in range(height) for column in range(width)}
    cells = []
    for row, column in sorted(free):
        down, right = draw(st.integers(1, 2)), draw(st.integers(1, 2))
        place = {(row + i, column + j) for i in range(down) for j in range(right)}
        if place <= free and draw(st.integers(0, 5)):
            free -= place
            text = draw(st.text(alphabet="ab1 =<&|,\n\"'", max_size=6))
            cells.append(Cell(row, column, text, down, right, is_header=draw(st.booleans())))
    return Table("p1/table1", SOURCE, tuple(cells))


def grid_of_html(html: str) -> list[list[str]]:
    """The grid a browser makes of a table, texts in the first place of each cell."""
    taken: dict[tuple[int, int], str] = {}
    for y, tr in enumerate(BeautifulSoup(html, "html.parser").find_all("tr")):
        x = 0
        for cell in tr.find_all(["td", "th"]):
            while (y, x) in taken:
                x += 1
            for dy in range(int(cell.get("rowspan", 1))):
                for dx in range(int(cell.get("colspan", 1))):
                    assert (y + dy, x + dx) not in taken
                    taken[y + dy, x + dx] = ""
            taken[y, x] = cell.get_text("\n")
    height, width = (max((at[i] + 1 for at in taken), default=0) for i in (0, 1))
    return [[taken[y, x] for x in range(width)] for y in range(height)]


def folded(rows: list[list[str]]) -> list[list[str]]:
    return [[" ".join(text.split()) for text in row] for row in rows]


@given(tables())
def test_html_and_csv_agree_with_the_grid(table: Table) -> None:
    assert folded(grid_of_html(table_to_html(table))) == folded(grid(table))
    read = list(csv.reader(io.StringIO(table_to_csv(table), newline="")))
    assert folded(read) == folded(grid(table))
    assert "\n\n" not in table_to_html(table)  # a blank line would end an HTML block in Markdown


@given(tables())
def test_no_cell_crosses_from_the_head_into_the_body(table: Table) -> None:
    soup = BeautifulSoup(table_to_html(table), "html.parser")
    for part in soup.select("thead, tbody"):
        rows = part.find_all("tr")
        for y, tr in enumerate(rows):
            for cell in tr.find_all(["td", "th"]):
                assert y + int(cell.get("rowspan", 1)) <= len(rows)


def test_headers_below_the_first_row_need_html(table: Callable[..., Table]) -> None:
    plain = table(["A", "B"], ["1", "2"])
    assert is_plain(plain)
    assert not is_plain(Table("t", SOURCE, (*plain.cells, Cell(2, 0, "C", is_header=True))))


def test_spreadsheets_run_nothing(table: Callable[..., Table]) -> None:
    rows = table(["=1+2", "@x", "-cmd"], ["-5.2", "+1,000", "-3 %"])
    assert table_to_csv(rows) == '=1+2,@x,-cmd\n-5.2,"+1,000",-3 %\n'
    safe = table_to_csv(rows, spreadsheet_safe=True)
    assert safe == "'=1+2,'@x,'-cmd\n-5.2,\"+1,000\",-3 %\n"
