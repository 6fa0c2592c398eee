"""Tables between horizontal rules that run over their whole width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from docpipe.parsers.native.tables.doubt import holds_titles, is_ruled_table
from docpipe.parsers.native.tables.grid import Grid
from docpipe.parsers.native.tables.layout import (
    PROSE_WORDS,
    Line,
    Token,
    line_height,
    lines_of,
    phrases_of,
)
from docpipe.parsers.native.tables.rows import is_data
from docpipe.parsers.native.tables.rules import Rule
from docpipe.parsers.native.tables.structure import structure


class Zone(NamedTuple):
    """A stack of horizontal rules of about the same extent, top to bottom."""

    x0: float
    x1: float
    rules: list[Rule]


def zones(rules: Sequence[Rule]) -> list[Zone]:
    """Stacks of at least two horizontal rules (or rows of rules) over the same x range."""
    open_zones: list[Zone] = []
    for rule in _rows_of_rules(rules):
        for index, zone in enumerate(open_zones):
            if _belongs(rule, zone):
                open_zones[index] = zone._replace(rules=[*zone.rules, rule])
                break
        else:
            open_zones.append(Zone(rule.start, rule.end, [rule]))
    return [zone for zone in open_zones if len(zone.rules) > 1]


def _belongs(rule: Rule, zone: Zone) -> bool:
    """Whether a rule has the extent of a zone, or leaves out no more than its first column."""
    width = zone.x1 - zone.x0
    reach = max(8.0, 0.03 * width)
    ends = abs(rule.end - zone.x1) < reach
    return ends and (abs(rule.start - zone.x0) < reach or 0 < rule.start - zone.x0 < 0.25 * width)


def _rows_of_rules(rules: Sequence[Rule]) -> list[Rule]:
    """Rules at the same height as one, from first start to last end, beside the single ones."""
    rows: list[list[Rule]] = []
    for rule in sorted(rules):
        if rows and rule.at - rows[-1][0].at < 2.0:
            rows[-1].append(rule)
        else:
            rows.append([rule])
    joined = []
    for row in rows:
        row.sort(key=lambda rule: rule.start)
        joined.append(Rule(row[0].at, row[0].start, max(rule.end for rule in row)))
    return joined


def between_rules(
    tokens: Sequence[Token], rules: Sequence[Rule], found: Sequence[Grid]
) -> Iterator[Grid]:
    """Tables between horizontal rules that run over their whole width, beside those `found`."""
    taken = [grid.box for grid in found]
    rules = _without_underlines(rules, tokens)
    for zone in sorted(zones(rules), key=lambda zone: zone.rules[0].at - zone.rules[-1].at):
        inside = [token for token in tokens if zone.x0 - 4 <= token.center[0] <= zone.x1 + 4]
        y0, y1 = zone.rules[0].at, zone.rules[-1].at
        height = line_height([token for token in inside if y0 < token.center[1] < y1])
        zone, inside = _with_labels(zone, inside, tokens, height)
        for top, bottom in _tabular_runs(zone, inside, height):
            bottom = _lower_end(bottom, lines_of(inside), top, height)
            lines = lines_of(t for t in inside if top < t.center[1] < bottom)
            within = [
                rule
                for rule in rules
                if top + 1 < rule.at < bottom - 1
                and zone.x0 - 6 <= rule.start
                and rule.end <= zone.x1 + 6
            ]
            grid = structure(lines, within, height) if len(lines) > 1 else None
            if (
                grid
                and is_ruled_table(grid)
                and (within or not holds_titles(grid))
                and not any(box.intersection(grid.box) for box in taken)
            ):
                taken.append(grid.box)
                yield grid


def _without_underlines(rules: Sequence[Rule], tokens: Sequence[Token]) -> list[Rule]:
    """Rules but for those that underline a run of several words and nothing else."""
    runs: dict[int, list[tuple[float, float, float]]] = {}
    if rules:
        for line in lines_of(tokens):
            for phrase in phrases_of(line, line.y1 - line.y0):
                if len(phrase.tokens) > 2:
                    bottom = phrase.tokens[0].y1
                    runs.setdefault(round(phrase.x0 / 4), []).append((phrase.x0, phrase.x1, bottom))

    def underlines(rule: Rule) -> bool:
        key = round(rule.start / 4)
        return any(
            abs(rule.start - x0) < 2 and abs(rule.end - x1) < 2 and abs(rule.at - bottom) < 4
            for near in (key - 1, key, key + 1)
            for x0, x1, bottom in runs.get(near, ())
        )

    return [rule for rule in rules if not underlines(rule)]


def _with_labels(
    zone: Zone, inside: list[Token], tokens: Sequence[Token], height: float
) -> tuple[Zone, list[Token]]:
    """The zone and its words with the row labels to its left, when only the numbers are ruled."""
    rows = [
        (line.y0, line.y1)
        for line in lines_of(inside)
        if zone.rules[0].at < line.center < zone.rules[-1].at and is_data(line, height)
    ]
    beside = [
        token
        for token in tokens
        if token.x1 < zone.x0 + 4 and any(y0 < token.center[1] < y1 for y0, y1 in rows)
    ]
    labels = lines_of(beside)
    if len(rows) < 3 or len(labels) < 0.7 * len(rows):
        return zone, inside
    start = min(token.x0 for token in beside)
    words = sum(len(line.tokens) for line in labels) / len(labels)
    if words > 7 or zone.x0 - start > 1.5 * (zone.x1 - zone.x0):
        return zone, inside
    left = [t for t in tokens if start - 1 <= t.x0 and t.x1 < zone.x0 + 4]
    known = set(inside)
    return zone._replace(x0=start), [*inside, *(t for t in left if t not in known)]


def _tabular_runs(
    zone: Zone, tokens: Sequence[Token], height: float
) -> Iterator[tuple[float, float]]:
    """Y ranges of consecutive intervals between the zone's rules that hold no prose."""
    start: float | None = None
    for above, below in pairwise(zone.rules):
        lines = lines_of(t for t in tokens if above.at < t.center[1] < below.at)
        if not lines and below.at - above.at < height:
            continue
        if _is_tabular(lines, zone, height):
            start = above.at if start is None else start
        elif start is not None:
            yield start, above.at
            start = None
    if start is not None:
        yield start, zone.rules[-1].at


def _lower_end(bottom: float, lines: Sequence[Line], top: float, height: float) -> float:
    """Where a table ends whose rules surround its head alone: below the last line of data."""
    inside = [line for line in lines if top < line.center < bottom]
    if any(is_data(line, height) for line in inside):
        return bottom
    edge, reach = bottom, 1.2 * height
    for line in lines:
        if line.center < bottom:
            continue
        if line.y0 - edge > reach or not is_data(line, height):
            break
        edge = line.y1 + 0.5
    return edge


def _is_tabular(lines: Sequence[Line], zone: Zone, height: float) -> bool:
    """Whether most lines have several phrases, and few run through like prose."""
    if not lines:
        return False
    rows = [phrases_of(line, height) for line in lines]
    through = sum(
        any(len(p.tokens) >= PROSE_WORDS and p.x1 - p.x0 > 0.6 * (zone.x1 - zone.x0) for p in row)
        for row in rows
    )
    if len(lines) == 1:
        return len(rows[0]) > 1 or len(lines[0].tokens) <= 10
    several = sum(len(row) > 1 for row in rows)
    gaps = max(b.y0 - a.y1 for a, b in pairwise(lines))
    return several >= 0.3 * len(rows) and through <= 0.2 * len(rows) and gaps < 5 * height
