"""Tables whose cells are drawn: rules (or the edges of filled cells) that cross.

Rules that touch form a component; its positions give a grid, and where the rule between two
neighbouring places of the grid is missing, they are one cell.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from docpipe.parsers.native.tables.grid import Grid, Slot
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
from docpipe.parsers.native.tables.rules import Rule, Rules

TOUCH = 3.0
SAME = 4.0  # grid lines nearer than this are one
COVERED = 0.55  # of a cell's side must be drawn to part it from its neighbour
THINNEST = 6.0  # an empty row or column thinner than this is a gap between cells
LARGEST = 4_000  # places of a grid


class Component(NamedTuple):
    """Rules that touch one another."""

    horizontal: list[Rule]
    vertical: list[Rule]


class Lattice(NamedTuple):
    """Grid lines of a component, in order, and where neighbours are parted.

    `right[row][column]`: a rule stands right of that place; `below` likewise.
    """

    xs: list[float]
    ys: list[float]
    right: list[list[bool]]
    below: list[list[bool]]


def components(rules: Rules) -> list[Component]:
    """Groups of horizontal and vertical rules that touch, at least two of each."""
    parent = list(range(len(rules.horizontal) + len(rules.vertical)))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    for across, down in _contacts(rules):
        parent[root(across)] = root(len(rules.horizontal) + down)
    groups: dict[int, Component] = {}
    for index, rule in enumerate(rules.horizontal):
        groups.setdefault(root(index), Component([], [])).horizontal.append(rule)
    for index, rule in enumerate(rules.vertical, len(rules.horizontal)):
        groups.setdefault(root(index), Component([], [])).vertical.append(rule)
    return [group for group in groups.values() if len(group.horizontal) > 1 and group.vertical]


def _contacts(rules: Rules) -> Iterator[tuple[int, int]]:
    """Index pairs of horizontal and vertical rules that touch; a sweep over y."""
    downs = sorted(range(len(rules.vertical)), key=lambda i: rules.vertical[i].start)
    active: list[int] = []
    following = 0
    for across, rule in enumerate(rules.horizontal):
        while following < len(downs) and rules.vertical[downs[following]].start <= rule.at + TOUCH:
            active.append(downs[following])
            following += 1
        active = [down for down in active if rules.vertical[down].end >= rule.at - TOUCH]
        for down in active:
            if rule.start - TOUCH <= rules.vertical[down].at <= rule.end + TOUCH:
                yield across, down


def lattice(component: Component) -> Lattice | None:
    """The grid of a component, None when it has a single place or too many."""
    xs = _grid_lines(component.vertical, component.horizontal)
    ys = _grid_lines(component.horizontal, component.vertical)
    places = (len(xs) - 1) * (len(ys) - 1)
    if not 2 <= places <= LARGEST:
        return None
    right = _parted(component.vertical, xs, ys)
    below = _parted(component.horizontal, ys, xs)
    return Lattice(xs, ys, _transposed(right), below)


def _grid_lines(along: Sequence[Rule], across: Sequence[Rule]) -> list[float]:
    """Positions of the rules `along` one axis, and the ends of those `across` where they stick
    out: tables are often left open at the sides."""
    positions: list[list[float]] = []
    for rule in sorted(along):
        if positions and rule.at - positions[-1][-1] < SAME:
            positions[-1].append(rule.at)
        else:
            positions.append([rule.at])
    lines = [sum(group) / len(group) for group in positions]
    for end, outer in ((min(r.start for r in across), 0), (max(r.end for r in across), -1)):
        if abs(end - lines[outer]) > 2 * SAME and (end < lines[0] or end > lines[-1]):
            lines.append(end)
            lines.sort()
    return lines


def _parted(rules: Sequence[Rule], ats: list[float], bounds: list[float]) -> list[list[bool]]:
    """For each place between grid lines: whether its far side, at `ats[i + 1]`, is drawn."""
    table: list[list[bool]] = []
    for at in ats[1:]:
        near = [rule for rule in rules if abs(rule.at - at) < SAME]
        row = []
        for low, high in pairwise(bounds):
            drawn = sum(max(0.0, min(r.end, high) - max(r.start, low)) for r in near)
            row.append(drawn >= COVERED * (high - low))
        table.append(row)
    return table


def _transposed(table: list[list[bool]]) -> list[list[bool]]:
    return [list(row) for row in zip(*table, strict=True)]


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
