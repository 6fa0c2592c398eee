"""The grid of a table that whitespace and horizontal rules hold together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from docpipe.parsers.native.tables.columns import Column, Placed, find_columns
from docpipe.parsers.native.tables.grid import Grid, Slot
from docpipe.parsers.native.tables.header import header_cells
from docpipe.parsers.native.tables.layout import Line, phrases_of
from docpipe.parsers.native.tables.rows import body_rows, header_count, place_lines
from docpipe.parsers.native.tables.rules import Rule

FULL = 0.55  # of the table's width: a rule this long parts rows, a shorter one heads columns


class Band(NamedTuple):
    """A row: its y range and its cells."""

    y0: float
    y1: float
    cells: list[Placed]


def structure(lines: Sequence[Line], rules: Sequence[Rule], height: float) -> Grid | None:
    """Columns, header and rows of `lines`; `rules` are the horizontal rules among them.

    None when there are no two columns or no two rows.
    """
    x0 = min(line.tokens[0].x0 for line in lines)
    x1 = max(token.x1 for line in lines for token in line.tokens)
    full, short = _by_length(rules, x0, x1 - x0)
    head = header_count(lines, full, height)
    columns = _columns(lines, head, height)
    if len(columns) < 2:
        return None
    placed = place_lines(lines, columns, height)
    bands: list[Band] = []
    if head:
        top = placed[:head]
        y0, y1 = min(line.y0 for line in top), max(line.y1 for line in top)
        levels = header_cells(top, columns, short, height)
        step = (y1 - y0) / len(levels)
        bands += [Band(y0 + i * step, y0 + (i + 1) * step, cells) for i, cells in enumerate(levels)]
    heads = len(bands)
    open_left = _open_left(short, bands[-1].y1 if bands else lines[0].y0, x0, x1)
    parting = sorted([*full, *(rule.at for rule in open_left)])
    for row in body_rows(placed[head:], parting, height):
        cells = _merged([cell for line in row for cell in line.cells])
        bands.append(Band(min(line.y0 for line in row), max(line.y1 for line in row), cells))
    if len(bands) < 2:
        return None
    slots = slots_of(bands, columns, x0, x1)
    for rule in open_left:
        slots = _joined_over(slots, rule)
    return Grid(slots, heads, 0.8)


def _open_left(rules: Sequence[Rule], top: float, x0: float, x1: float) -> list[Rule]:
    """Rules below `top` that part rows in the right-hand columns only: what stands left of them
    belongs to several rows."""
    return [
        rule
        for rule in rules
        if rule.at > top and rule.end > x1 - 0.06 * (x1 - x0) and rule.length > 0.4 * (x1 - x0)
    ]


def _joined_over(slots: Sequence[Slot], rule: Rule) -> list[Slot]:
    """Cells left of a rule, above and below it, as one."""
    joined: list[Slot] = []
    for slot in sorted(slots, key=lambda slot: (slot.column, slot.row)):
        above = joined[-1] if joined else None
        if (
            above
            and above.column == slot.column
            and above.column_span == slot.column_span
            and (slot.box[0] + slot.box[2]) / 2 < rule.start
            and _center(above) < rule.at < _center(slot)
            and abs(slot.box[1] - rule.at) < abs(slot.box[3] - rule.at)
        ):
            box = (above.box[0], above.box[1], above.box[2], slot.box[3])
            joined[-1] = above._replace(
                row_span=above.row_span + slot.row_span,
                tokens=above.tokens + slot.tokens,
                box=box,
            )
        else:
            joined.append(slot)
    return joined


def _center(slot: Slot) -> float:
    return (slot.box[1] + slot.box[3]) / 2


def _by_length(rules: Sequence[Rule], x0: float, width: float) -> tuple[list[float], list[Rule]]:
    """Heights at which rules run from the left over most of the width (in one or several pieces),
    and the other rules."""
    heights: list[list[Rule]] = []
    for rule in sorted(rules):
        if heights and rule.at - heights[-1][0].at < 2.0:
            heights[-1].append(rule)
        else:
            heights.append([rule])
    full, short = [], []
    for group in heights:
        longest = max(rule.length for rule in group)
        total = sum(rule.length for rule in group)
        leftmost = min(rule.start for rule in group)
        if leftmost < x0 + 0.12 * width and (longest >= FULL * width or total >= 0.7 * width):
            full.append(group[0].at)
        else:
            short += group
    return full, short


def _columns(lines: Sequence[Line], head: int, height: float) -> list[Column]:
    columns = find_columns(lines[head:], height)
    if len(columns) < 2:
        return find_columns(lines, height)
    return _with_header_columns(columns, lines[:head], height)


def _with_header_columns(
    columns: list[Column], header: Sequence[Line], height: float
) -> list[Column]:
    """Columns that are empty below, but that the lowest line of the header names."""
    if not header:
        return columns
    extra = [
        Column(phrase.x0, phrase.x1)
        for phrase in phrases_of(header[-1], height)
        if all(phrase.x0 - c.x1 > height or c.x0 - phrase.x1 > height for c in columns)
    ]
    return sorted([*columns, *extra])


def _merged(cells: list[Placed]) -> list[Placed]:
    """Cells of several lines of a row: those in the same columns are one."""
    merged: list[Placed] = []
    for cell in sorted(cells, key=lambda cell: (cell.first, cell.last)):
        if merged and cell.first <= merged[-1].last:
            before = merged.pop()
            cell = Placed(before.first, max(before.last, cell.last), before.tokens + cell.tokens)
        merged.append(cell)
    return merged


def slots_of(bands: Sequence[Band], columns: Sequence[Column], x0: float, x1: float) -> list[Slot]:
    """The slots of rows, empty ones where a row has no cell, between `x0` and `x1`."""
    edges = [x0, *((a.x1 + b.x0) / 2 for a, b in pairwise(columns)), x1]
    levels = [bands[0].y0, *((a.y1 + b.y0) / 2 for a, b in pairwise(bands)), bands[-1].y1]
    slots = []
    for row, band in enumerate(bands):
        taken = 0
        for cell in [*band.cells, Placed(len(columns), len(columns), ())]:
            for column in range(taken, cell.first):
                box = (edges[column], levels[row], edges[column + 1], levels[row + 1])
                slots.append(Slot(row, column, 1, 1, (), box))
            if cell.tokens:
                box = (edges[cell.first], levels[row], edges[cell.last + 1], levels[row + 1])
                span = cell.last - cell.first + 1
                slots.append(Slot(row, cell.first, 1, span, cell.tokens, box))
            taken = cell.last + 1
    return slots
