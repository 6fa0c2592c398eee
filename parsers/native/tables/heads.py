"""Heads and last rows that stand outside the rules or the shading of their table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from docpipe.parsers.native.tables.columns import Column
from docpipe.parsers.native.tables.grid import Grid, Slot
from docpipe.parsers.native.tables.header import header_cells
from docpipe.parsers.native.tables.layout import (
    PROSE_WORDS,
    Line,
    Phrase,
    Token,
    line_height,
    lines_of,
    phrases_of,
)
from docpipe.parsers.native.tables.rows import is_data, place_lines
from docpipe.parsers.native.tables.rules import Rule
from docpipe.parsers.native.tables.structure import Band, slots_of

MOST_LINES = 6


class _Surrounding(NamedTuple):
    grid: Grid
    rules: Sequence[Rule]
    height: float


def with_head(grid: Grid, tokens: Sequence[Token], rules: Sequence[Rule]) -> Grid:
    """The grid with the lines right above it as header, when it starts with data and they head its
    columns. `tokens` are the page's words outside tables."""
    if grid.header_rows:
        return grid
    height = line_height([*grid.tokens()])
    box = grid.box
    above = [t for t in tokens if box.y0 - 9 * height < t.center[1] < box.y0 + 1]
    head = _heading_lines(lines_of(above), _Surrounding(grid, rules, height))
    if not head:
        return grid
    columns = _columns(grid)
    short = [rule for rule in rules if head[0].y0 < rule.at < box.y0 - 1]
    levels = header_cells(place_lines(head, columns, height), columns, short, height)
    step = (box.y0 - head[0].y0) / len(levels)
    bands = [
        Band(head[0].y0 + i * step, head[0].y0 + (i + 1) * step, cells)
        for i, cells in enumerate(levels)
    ]
    shifted = [slot._replace(row=slot.row + len(bands)) for slot in grid.slots]
    header: list[Slot] = slots_of(bands, columns, box.x0, box.x1)
    return Grid([*header, *shifted], len(bands), grid.confidence)


def _heading_lines(lines: Sequence[Line], around: _Surrounding) -> list[Line]:
    head: list[Line] = []
    edge, near = around.grid.box.y0, 1.2 * around.height
    for line in reversed(lines):
        phrases = _over(line, around)
        ruled = any(line.center < rule.at < edge for rule in around.rules)
        if edge - line.y1 > (2 * around.height if ruled else near) or len(head) == MOST_LINES:
            break
        if not _heads(phrases, line, around):
            break
        head.insert(0, line._replace(tokens=tuple(t for p in phrases for t in p.tokens)))
        edge, near = line.y0, 0.8 * around.height
    return head


def _over(line: Line, around: _Surrounding) -> list[Phrase]:
    """The phrases of a line over the grid; none when one reaches beyond it."""
    box, margin = around.grid.box, 1.5 * around.height
    phrases = [
        phrase
        for phrase in phrases_of(line, around.height)
        if phrase.x1 > box.x0 and phrase.x0 < box.x1
    ]
    if any(p.x0 < box.x0 - margin or p.x1 > box.x1 + margin for p in phrases):
        return []
    return phrases


def _heads(phrases: Sequence[Phrase], line: Line, around: _Surrounding) -> bool:
    """Whether a line heads columns: several phrases, or one over a rule, or beside the labels."""
    if not phrases or any(len(phrase.tokens) >= PROSE_WORDS for phrase in phrases):
        return False
    if is_data(line, around.height):
        return False
    if len(phrases) > 1:
        return True
    labels = _columns(around.grid)[0]
    return phrases[0].x0 > labels.x1


def _columns(grid: Grid) -> list[Column]:
    """The x range of the words of each column, or of its cells where it has none."""
    columns = []
    for index in range(grid.columns):
        slots = [s for s in grid.slots if s.column == index and s.column_span == 1]
        tokens = [token for slot in slots for token in slot.tokens]
        if tokens:
            columns.append(Column(min(t.x0 for t in tokens), max(t.x1 for t in tokens)))
        elif slots:
            columns.append(Column(slots[0].box[0] + 1, slots[0].box[2] - 1))
        else:
            start = columns[-1].x1 if columns else grid.box.x0
            columns.append(Column(start, start))
    return columns


def with_tail(grid: Grid, tokens: Sequence[Token]) -> Grid:
    """The grid with the rows of data right below it, whose words stand in its columns."""
    height = line_height([*grid.tokens()])
    box, columns = grid.box, _columns(grid)
    below = [t for t in tokens if box.y1 - 1 < t.center[1] < box.y1 + 9 * height]
    around = _Surrounding(grid, (), height)
    slots, edge, row = list(grid.slots), box.y1, grid.rows
    for line in lines_of(below):
        phrases = _over(line, around)
        inside = line._replace(tokens=tuple(t for p in phrases for t in p.tokens))
        if line.y0 - edge > 0.8 * height or len(phrases) < 2 or not is_data(inside, height):
            break
        placed = place_lines([inside], columns, height)[0]
        if any(cell.last > cell.first for cell in placed.cells) or 0 not in placed.filled:
            break
        band = Band(edge, line.y1, placed.cells)
        slots += [s._replace(row=row) for s in slots_of([band], columns, box.x0, box.x1)]
        edge, row = line.y1, row + 1
    return grid._replace(slots=slots)
