"""Tables whose cells are drawn: the words in the places of a lattice."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from docpipe.parsers.native.tables.grid import Grid, Slot
from docpipe.parsers.native.tables.lattice import Lattice
from docpipe.parsers.native.tables.layout import (
    Token,
    is_value,
    line_height,
    lines_of,
    text_of,
)
from docpipe.parsers.native.tables.refine import (
    join_symbols,
    split_columns,
    split_row_spans,
    split_spans,
    without_legends,
)

THINNEST = 6.0  # an empty row or column thinner than this is a gap between cells

Place = tuple[int, int]


def fill(shape: Lattice, tokens: Sequence[Token]) -> Grid | None:
    """The cells of a lattice with the words in them; None when it is no table."""
    places = _places(shape, tokens)
    slots = _compact([_slot(shape, area, places) for area in _areas(shape)])
    height = line_height(tokens)
    if slots:
        slots = split_rows(split_row_spans(slots), height)
        slots = split_columns(split_spans(slots, height), height)
        slots = join_symbols(without_legends(slots))
    return Grid(slots, _header_rows(slots), 0.95) if is_table(slots) else None


def fill_one_column(shape: Lattice, tokens: Sequence[Token]) -> Grid | None:
    """A stack of boxes with a line or two of text in each."""
    if len(shape.xs) != 2 or len(shape.ys) < 4:
        return None
    places = _places(shape, tokens)
    slots = _compact([_slot(shape, area, places) for area in _areas(shape)])
    short = all(slot.tokens and len(slot.tokens) < 12 for slot in slots)
    return Grid(slots, 1, 0.7) if short and len(slots) > 2 else None


def _places(shape: Lattice, tokens: Sequence[Token]) -> dict[Place, list[Token]]:
    places: dict[Place, list[Token]] = {}
    for token in tokens:
        x, y = token.center
        column, row = bisect_right(shape.xs, x) - 1, bisect_right(shape.ys, y) - 1
        if 0 <= column < len(shape.xs) - 1 and 0 <= row < len(shape.ys) - 1:
            places.setdefault((row, column), []).append(token)
    return places


class Area(NamedTuple):
    """A rectangle of places, last ones included."""

    row: int
    column: int
    last_row: int
    last_column: int


def _areas(shape: Lattice) -> Iterator[Area]:
    """Rectangles of places with no rule between them. What is joined but no rectangle is cut to
    rows."""
    rows, columns = len(shape.ys) - 1, len(shape.xs) - 1
    seen: set[Place] = set()
    for start in ((row, column) for row in range(rows) for column in range(columns)):
        if start in seen:
            continue
        group = _flood(shape, start)
        seen |= group
        area = Area(
            min(row for row, _ in group),
            min(column for _, column in group),
            max(row for row, _ in group),
            max(column for _, column in group),
        )
        size = (area.last_row - area.row + 1) * (area.last_column - area.column + 1)
        if size == len(group):
            yield area
        else:
            yield from _cut(group)


def _flood(shape: Lattice, start: Place) -> set[Place]:
    group, stack = {start}, [start]
    while stack:
        row, column = stack.pop()
        for place, parted in (
            ((row, column + 1), shape.right[row][column]),
            ((row + 1, column), shape.below[row][column]),
            ((row, column - 1), column == 0 or shape.right[row][column - 1]),
            ((row - 1, column), row == 0 or shape.below[row - 1][column]),
        ):
            inside = place[0] < len(shape.right) and place[1] < len(shape.right[0])
            if not parted and inside and place not in group:
                group.add(place)
                stack.append(place)
    return group


def _cut(group: set[Place]) -> Iterator[Area]:
    run: Area | None = None
    for row, column in sorted(group):
        if run and run.row == row and run.last_column == column - 1:
            run = run._replace(last_column=column)
            continue
        if run:
            yield run
        run = Area(row, column, row, column)
    if run:
        yield run


def _slot(shape: Lattice, area: Area, places: dict[Place, list[Token]]) -> Slot:
    tokens = [
        token
        for row in range(area.row, area.last_row + 1)
        for column in range(area.column, area.last_column + 1)
        for token in places.get((row, column), ())
    ]
    return Slot(
        area.row,
        area.column,
        area.last_row - area.row + 1,
        area.last_column - area.column + 1,
        tuple(tokens),
        (
            shape.xs[area.column],
            shape.ys[area.row],
            shape.xs[area.last_column + 1],
            shape.ys[area.last_row + 1],
        ),
    )


def _compact(slots: Sequence[Slot]) -> list[Slot]:
    """Slots on the smallest grid: grid lines at which no cell starts, and thin empty gaps between
    filled cells, are taken out."""
    columns = {s.column for s in slots if s.tokens or s.box[2] - s.box[0] > THINNEST}
    rows = {s.row for s in slots if s.tokens or s.box[3] - s.box[1] > THINNEST}
    compact = []
    for slot in slots:
        left, right = _count(columns, slot.column), _count(columns, slot.column + slot.column_span)
        top, bottom = _count(rows, slot.row), _count(rows, slot.row + slot.row_span)
        if left < right and top < bottom:
            compact.append(
                slot._replace(row=top, column=left, row_span=bottom - top, column_span=right - left)
            )
    return compact


def _count(starts: set[int], below: int) -> int:
    return sum(start < below for start in starts)


def split_rows(slots: list[Slot], height: float) -> list[Slot]:
    """Rows that are parted by nothing but their lines: a label and numbers on each."""
    split: list[Slot] = []
    shift = 0
    for row in range(max((slot.row for slot in slots), default=-1) + 1):
        starting = [slot for slot in slots if slot.row == row]
        bands = _bands(starting, height) if all(s.row_span == 1 for s in starting) else []
        reaching = [
            index
            for index, slot in enumerate(split)
            if slot.row < row + shift < slot.row + slot.row_span
        ]
        if len(bands) < 2 or reaching:
            split += [slot._replace(row=row + shift) for slot in starting]
            continue
        for index, (y0, y1) in enumerate(bands):
            for slot in starting:
                inside = tuple(t for t in slot.tokens if y0 <= t.center[1] < y1)
                box = (slot.box[0], max(y0, slot.box[1]), slot.box[2], min(y1, slot.box[3]))
                split.append(slot._replace(row=row + shift + index, tokens=inside, box=box))
        shift += len(bands) - 1
    return split


def _bands(slots: Sequence[Slot], height: float) -> list[tuple[float, float]]:
    """The y ranges of the rows inside one drawn row."""
    filled = [lines_of(slot.tokens) for slot in slots if slot.tokens]
    if len(filled) < 2 or max(len(lines) for lines in filled) < 2:
        return []
    valued = [
        lines
        for lines in filled[1:]
        if len(lines) > 1 and all(is_value(text_of(line.tokens)) for line in lines)
    ]
    labels = filled[0]
    if not valued or len(labels) < max(len(lines) for lines in valued):
        return []
    fullest = max(valued, key=len)
    if len(fullest) < 0.55 * len(labels):
        return []
    centers = [line.center for line in labels]
    inner = [(a + b) / 2 for a, b in pairwise(centers)]
    edges = [float("-inf"), *inner, float("inf")]
    return list(pairwise(edges))


def is_table(slots: Sequence[Slot]) -> bool:
    """Whether the cells hold text as a table's do; the fields of a chart are mostly empty."""
    rows = {slot.row for slot in slots if slot.tokens}
    columns = {slot.column for slot in slots if slot.tokens}
    filled = sum(bool(slot.tokens) for slot in slots)
    worded = {s.column for s in slots if any(c.isalnum() for t in s.tokens for c in t.text)}
    if len(rows) < 2 or len(worded) < 2 or filled < 4:
        return False
    return (
        filled >= 0.2 * len(slots)
        and len(rows) >= 0.6 * len({slot.row for slot in slots})
        and len(columns) >= 0.6 * len({slot.column for slot in slots})
    )


def _header_rows(slots: Sequence[Slot]) -> int:
    """Rows above the first one with numbers beside its label."""
    for row in range(max(slot.row for slot in slots) + 1):
        texts = [text_of(s.tokens) for s in slots if s.row == row and s.column > 0 and s.tokens]
        if texts and sum(map(is_value, texts)) >= 0.5 * len(texts):
            return row
    return 1
