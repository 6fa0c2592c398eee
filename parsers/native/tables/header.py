"""The header of a table: its lines stacked to cells, with column spans and levels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from docpipe.parsers.native.tables.columns import Column, Placed
from docpipe.parsers.native.tables.layout import Token
from docpipe.parsers.native.tables.rows import PlacedLine
from docpipe.parsers.native.tables.rules import Rule

LOOSE = 0.5  # of the line height: lines of one header cell stand closer


def header_cells(
    lines: Sequence[PlacedLine], columns: Sequence[Column], rules: Sequence[Rule], height: float
) -> list[list[Placed]]:
    """Header rows as cells by column.

    `rules` are the short rules inside the header: what stands above one spans the columns over
    which it runs.
    """
    ruled = [line._replace(cells=_widened(line, columns, rules, height)) for line in lines]
    return [_stacked(level) for level in _levels(ruled, rules, height)]


def _widened(
    line: PlacedLine, columns: Sequence[Column], rules: Sequence[Rule], height: float
) -> list[Placed]:
    """Cells with a short rule right below them take the columns of that rule."""
    widened = []
    for cell in _centered(line, columns):
        x0, x1 = cell.tokens[0].x0, cell.tokens[-1].x1
        under = [
            rule
            for rule in rules
            if -0.5 * height < rule.at - line.y1 < 0.8 * height
            and rule.start - 2 <= (x0 + x1) / 2 <= rule.end + 2
        ]
        if under:
            over = [
                i
                for i, c in enumerate(columns)
                if under[0].start - 2 <= c.center <= under[0].end + 2
            ]
            if len(over) > 1:
                cell = Placed(over[0], over[-1], cell.tokens)
        widened.append(cell)
    return widened


def _centered(line: PlacedLine, columns: Sequence[Column]) -> list[Placed]:
    """The cells of a line; one that stands alone in the middle over all columns (or all but the
    first) spans them."""
    alone = [cell for cell in line.cells if cell.first > 0]
    if len(alone) != 1 or len(columns) < 4 or len(line.cells) > 2:
        return line.cells
    cell = alone[0]
    center = (cell.tokens[0].x0 + cell.tokens[-1].x1) / 2
    middle = (columns[1].x0 + columns[-1].x1) / 2
    if abs(center - middle) > 0.03 * (columns[-1].x1 - columns[1].x0):
        return line.cells
    return [
        Placed(1, len(columns) - 1, cell.tokens) if other is cell else other for other in line.cells
    ]


def _levels(
    lines: Sequence[PlacedLine], rules: Sequence[Rule], height: float
) -> list[list[PlacedLine]]:
    """Lines grouped to header rows: a new one below a short rule, a spanning cell or a gap."""
    levels: list[list[PlacedLine]] = [[lines[0]]]
    for above, line in pairwise(lines):
        ruled = any(above.center < rule.at < line.center for rule in rules)
        if ruled or line.y0 - above.y1 > LOOSE * height or _is_below_span(levels[-1], line):
            levels.append([])
        levels[-1].append(line)
    return levels


def _is_below_span(level: Sequence[PlacedLine], line: PlacedLine) -> bool:
    spans = [cell for part in level for cell in part.cells if cell.last > cell.first]
    return any(
        span.first <= cell.first
        and cell.last <= span.last
        and cell.last - cell.first < span.last - span.first
        for span in spans
        for cell in line.cells
    )


def _stacked(level: Sequence[PlacedLine]) -> list[Placed]:
    """The lines of one header row, cells over one another joined."""
    cells: list[Placed] = []
    for cell in sorted(cell for line in level for cell in line.cells):
        if cells and cell.first <= cells[-1].last:
            top = cells.pop()
            tokens: tuple[Token, ...] = top.tokens + cell.tokens
            cell = Placed(top.first, max(top.last, cell.last), tokens)
        cells.append(cell)
    return cells
