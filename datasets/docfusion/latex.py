"""LaTeX as targets of training: one way to write each table and formula."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docpipe.records import Cell

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\S")


def escape(text: str) -> str:
    """Plain text as LaTeX."""
    return "".join(_SPECIAL.get(char, char) for char in text)


def normalise(latex: str) -> str:
    """Without blanks but for those that end a command before a letter."""
    tokens = _TOKEN.findall(latex)
    return "".join(
        f"{token} " if token[1:].isalpha() and token[0] == "\\" and after[:1].isalpha() else token
        for token, after in zip(tokens, [*tokens[1:], ""], strict=False)
    )


def tabular(cells: Sequence[Cell], alignment: str) -> str:
    """A table on one line, rules as of booktabs: above, below its header rows, at the end.

    `alignment` has l, c or r for each column. Places that no cell covers are empty cells.
    """
    rows = max((cell.row + cell.row_span for cell in cells), default=0)
    heads = max((cell.row + cell.row_span for cell in cells if cell.is_header), default=0)
    parts = [rf"\begin{{tabular}}{{{alignment}}} \toprule"]
    for row in range(rows):
        parts.append(rf"{_row(cells, row, len(alignment))} \\")
        if row + 1 == heads < rows:
            parts.append(r"\midrule")
    return " ".join([*parts, r"\bottomrule \end{tabular}"])


def _row(cells: Sequence[Cell], row: int, columns: int) -> str:
    """The cells of a row; those that hang down from rows above leave their place empty."""
    covering = {cell.column: cell for cell in cells if cell.row <= row < cell.row + cell.row_span}
    parts: list[str] = []
    column = 0
    while column < columns:
        cell = covering.get(column)
        parts.append(_cell(cell, row) if cell else "")
        column += cell.column_span if cell else 1
    line = " & ".join(parts)
    # LaTeX takes a bracket or star here for an option of the line break or rule before it.
    return f"{{{line[0]}}}{line[1:]}" if line[:1] in ("[", "*") else line


def _cell(cell: Cell, row: int) -> str:
    content = escape(cell.text) if cell.row == row else ""
    if cell.row_span > 1 and cell.row == row:
        content = rf"\multirow{{{cell.row_span}}}{{*}}{{{content}}}"
    if cell.column_span > 1:
        content = rf"\multicolumn{{{cell.column_span}}}{{c}}{{{content}}}"
    return content
