"""The grid that crossing rules draw.

Rules that touch form a component; its positions give a grid, and where the rule between two
neighbouring places of the grid is missing, they are one cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from docpipe.parsers.native.tables.rules import Rule, Rules

TOUCH = 3.0
SAME = 4.0  # grid lines nearer than this are one
COVERED = 0.55  # of a cell's side must be drawn to part it from its neighbour
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
