"""Tables as a grid, as HTML and as CSV: the one reading of spans that all exports share."""

from __future__ import annotations

import csv
import html
import io
import re

from docpipe.content import table_rows
from docpipe.export.text import clean, lines
from docpipe.records import Cell, Table

_FORMULA_START = tuple("=+-@\t\r")
_PLAIN_NUMBER = re.compile(r"[+-]?[\d.,\s]*\d\s*%?")


def grid(table: Table) -> list[list[str]]:
    """The texts of a table, row by row; a spanning cell's text stands in its first place, the
    other places it covers are empty."""
    rows, columns = table.shape
    texts = [[""] * columns for _ in range(rows)]
    for cell in table.cells:
        texts[cell.row][cell.column] = clean(cell.text).strip()
    return texts


def header_rows(table: Table) -> int:
    """How many rows at the top are header rows: only header cells, none reaching below them."""
    rows = table_rows(table)
    count = 0
    while count < len(rows) and rows[count] and all(cell.is_header for cell in rows[count]):
        count += 1
    crosses = any(cell.row < count < cell.row + cell.row_span for cell in table.cells)
    return 0 if crosses else count


def is_plain(table: Table) -> bool:
    """Whether a pipe table can show it: no spans, one line a cell, headers in the first row."""
    return all(
        cell.row_span == cell.column_span == 1
        and len(lines(cell.text)) <= 1
        and (cell.row == 0 or not cell.is_header)
        for cell in table.cells
    )


def table_to_html(table: Table) -> str:
    """`<table>` with spans, `<th>` for header cells and `<thead>` for header rows; no blank lines,
    one row a line, no caption."""
    head = header_rows(table)
    rows = [_row(cells) for cells in _padded_rows(table)]
    parts = ["<table>"]
    if head:
        parts += ["<thead>", *rows[:head], "</thead>"]
    if rows[head:]:
        parts += ["<tbody>", *rows[head:], "</tbody>"]
    return "\n".join([*parts, "</table>"])


def _padded_rows(table: Table) -> list[list[Cell]]:
    """The cells of each row, with empty ones for places that no cell covers."""
    rows = table_rows(table)
    covered = {
        (row, column)
        for cell in table.cells
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    }
    height, width = table.shape
    for row in range(height):
        header = bool(rows[row]) and all(cell.is_header for cell in rows[row])
        gaps = [column for column in range(width) if (row, column) not in covered]
        rows[row] += [Cell(row, column, "", is_header=header) for column in gaps]
        rows[row].sort(key=lambda cell: cell.column)
    return rows


def _row(cells: list[Cell]) -> str:
    return "<tr>" + "".join(_cell(cell) for cell in cells) + "</tr>"


def _cell(cell: Cell) -> str:
    tag = "th" if cell.is_header else "td"
    spans = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    spans += f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
    text = "<br>".join(html.escape(line, quote=False) for line in lines(cell.text))
    return f"<{tag}{spans}>{text}</{tag}>"


def table_to_csv(table: Table, *, spreadsheet_safe: bool = False) -> str:
    """The grid as CSV (RFC 4180 quoting, line feeds).

    `spreadsheet_safe` puts an apostrophe before texts that a spreadsheet would run as a formula
    (starting with = + - @, plain numbers excepted).
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in grid(table):
        writer.writerow([spreadsheet_text(text) for text in row] if spreadsheet_safe else row)
    return out.getvalue()


def spreadsheet_text(text: str) -> str:
    """`text` with an apostrophe in front where a spreadsheet would run it as a formula."""
    runs = text.startswith(_FORMULA_START) and not _PLAIN_NUMBER.fullmatch(text)
    return f"'{text}" if runs else text
