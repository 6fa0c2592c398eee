"""Where tables without vertical rules stand: between horizontal rules, or by alignment alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from docpipe.parsers.native.tables.grid import Grid, Slot
from docpipe.parsers.native.tables.layout import (
    Line,
    Phrase,
    Token,
    is_value,
    line_height,
    lines_of,
    phrases_of,
    text_of,
)
from docpipe.parsers.native.tables.rows import is_data
from docpipe.parsers.native.tables.rules import Rule
from docpipe.parsers.native.tables.structure import structure

WIDE = 0.75  # of the line height: phrases of a table without rules stand at least so far apart
PROSE_WORDS = 6
BULLETS = frozenset("•◦▪‣·●■□○➢✓*–—-\uf0b7\uf0a7")
ENUMERATOR = re.compile(r"[•◦▪‣·*–—-]|\(?[0-9ivxa-zA-Z]{1,4}[.)\]]+|\[?\d+\]|\d+(?:\.\d+)+\.?")


# ── Between rules ───────────────────────────────────────────────────────────────────────────────


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
                and not any(box.intersection(grid.box) for box in taken)
            ):
                taken.append(grid.box)
                yield grid


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
    if words > 5 or zone.x0 - start > 1.5 * (zone.x1 - zone.x0):
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


def is_ruled_table(grid: Grid) -> bool:
    filled = [slot for slot in grid.slots if slot.tokens]
    if _is_contents(grid) or _is_bulleted(grid):
        return False
    words = sum(len(slot.tokens) for slot in filled) / max(1, len(filled))
    values = _value_share(grid)
    if grid.columns == 2 and values < 0.3:
        return words < 6 and grid.rows > 2
    return words < 15 or values > 0.2


def _is_bulleted(grid: Grid) -> bool:
    """Whether the first column holds nothing but bullets."""
    labels = [text_of(s.tokens) for s in grid.slots if s.column == 0 and s.tokens]
    return sum(text in BULLETS for text in labels) > 0.4 * len(labels)


def _value_share(grid: Grid) -> float:
    texts = [text_of(slot.tokens) for slot in grid.slots if slot.column and slot.tokens]
    return sum(map(is_value, texts)) / len(texts) if texts else 0.0


# ── By alignment ────────────────────────────────────────────────────────────────────────────────


class Segment(NamedTuple):
    """Phrases side by side on a line; a phrase of prose stands alone."""

    y0: float
    y1: float
    phrases: tuple[Phrase, ...]
    prose: bool = False

    @property
    def x0(self) -> float:
        return self.phrases[0].x0

    @property
    def x1(self) -> float:
        return self.phrases[-1].x1


def aligned(tokens: Sequence[Token], rules: Sequence[Rule]) -> Iterator[Grid]:
    """Tables held together by the alignment of their words alone."""
    height = line_height(tokens)
    for group in _groups(list(_segments(lines_of(tokens), height)), rules, height):
        tokens_inside = [t for segment in group for p in segment.phrases for t in p.tokens]
        lines, local = lines_of(tokens_inside), line_height(tokens_inside)
        x0, x1 = min(s.x0 for s in group), max(s.x1 for s in group)
        within = [
            rule
            for rule in rules
            if group[0].y0 < rule.at < group[-1].y1 and rule.start < x1 and rule.end > x0
        ]
        grid = structure(lines, within, local) if len(lines) > 2 else None
        if grid and _is_aligned_table(grid):
            yield grid


def _segments(lines: Sequence[Line], height: float) -> Iterator[Segment]:
    rows = [phrases_of(line, height, WIDE) for line in lines]
    prose = _prose(rows, height)
    for line, row in zip(lines, rows, strict=True):
        run: list[Phrase] = []
        for phrase in row:
            if (phrase.x0, phrase.tokens[0].y0) in prose and len(row) < 4:
                if run:
                    yield Segment(line.y0, line.y1, tuple(run))
                yield Segment(line.y0, line.y1, (phrase,), True)
                run = []
            else:
                run.append(phrase)
        if run:
            yield Segment(line.y0, line.y1, tuple(run))


def _prose(rows: Sequence[Sequence[Phrase]], height: float) -> set[tuple[float, float]]:
    """Phrases of running text: long, and stacked with another long one on the same left edge."""
    found: set[tuple[float, float]] = set()
    long_ones: list[tuple[Phrase, float]] = []
    for row in rows:
        for phrase in row:
            if len(phrase.tokens) >= PROSE_WORDS and not _mostly_values(phrase):
                long_ones.append((phrase, phrase.tokens[0].y0))
    for (phrase, y), (after, below) in _neighbours(long_ones, 2.5 * height):
        if min(phrase.x1, after.x1) - max(phrase.x0, after.x0) > 0.5 * (after.x1 - after.x0):
            found |= {(phrase.x0, y), (after.x0, below)}
    return found


def _neighbours(
    items: Sequence[tuple[Phrase, float]], reach: float
) -> Iterator[tuple[tuple[Phrase, float], tuple[Phrase, float]]]:
    for index, item in enumerate(items):
        for other in items[index + 1 : index + 8]:
            if 0 < other[1] - item[1] < reach:
                yield item, other


def _mostly_values(phrase: Phrase) -> bool:
    return sum(is_value(token.text) for token in phrase.tokens) > 0.4 * len(phrase.tokens)


def _groups(
    segments: Sequence[Segment], rules: Sequence[Rule], height: float
) -> Iterator[list[Segment]]:
    """Runs of segments close over one another; from the first with several phrases to the last."""
    open_groups: list[list[Segment]] = []
    for segment in segments:
        for group in open_groups:
            last = group[-1]
            near = segment.y0 - last.y1 < 1.6 * height
            shared = min(segment.x1, max(s.x1 for s in group)) - max(
                segment.x0, min(s.x0 for s in group)
            )
            if (
                near
                and shared > 0.5 * (segment.x1 - segment.x0)
                and not _loose(group)
                and not _parted(last, segment, rules, height)
                and (not segment.prose or _is_below_column(segment, group))
            ):
                group.append(segment)
                break
        else:
            if not segment.prose:
                open_groups.append([segment])
    for group in open_groups:
        several = [index for index, segment in enumerate(group) if len(segment.phrases) > 1]
        if len(several) >= 3:
            yield group[several[0] : several[-1] + 1]


def _is_below_column(segment: Segment, group: Sequence[Segment]) -> bool:
    """Whether a line of prose goes on in a column of the group that is not the first or last."""
    columns = [phrase.x0 for other in group for phrase in other.phrases[1:-1]]
    return sum(abs(x - segment.x0) < 2.0 for x in columns) > 1


def _parted(above: Segment, below: Segment, rules: Sequence[Rule], height: float) -> bool:
    """Whether a rule runs between two lines and far beyond them on both sides."""
    x0, x1 = min(above.x0, below.x0), max(above.x1, below.x1)
    return any(
        above.y0 < rule.at < below.y1 and rule.start < x0 - height and rule.end > x1 + height
        for rule in rules
    )


def _loose(group: Sequence[Segment]) -> bool:
    """Three lines of a single phrase, not all below another column's: the table has ended."""
    if len(group) < 4 or any(len(segment.phrases) > 1 for segment in group[-3:]):
        return False
    starts = [phrase.x0 for segment in group[:-3] for phrase in segment.phrases[1:]]
    return not all(any(abs(s.x0 - x) < 2.0 for x in starts) for s in group[-3:])


def _is_aligned_table(grid: Grid) -> bool:
    body = [slot for slot in grid.slots if slot.row >= grid.header_rows and slot.tokens]
    rows = {slot.row for slot in body if slot.column}
    if len(rows) < 3 or not body:
        return False
    values = _value_share(grid)
    if _is_contents(grid) or _is_bulleted(grid):
        return False
    if grid.columns == 2:
        return values >= 0.6 and not _is_list(body)
    filled = len(body) / ((grid.rows - grid.header_rows) * grid.columns)
    words = sum(len(slot.tokens) for slot in body) / len(body)
    return filled > 0.4 and (values >= 0.4 or (words < 3.5 and filled > 0.7))


def _is_list(body: Sequence[Slot]) -> bool:
    labels = [text_of(slot.tokens) for slot in body if slot.column == 0]
    marked = sum(bool(ENUMERATOR.fullmatch(text)) or text.endswith(":") for text in labels)
    return marked > 0.5 * len(labels)


def _is_contents(grid: Grid) -> bool:
    """Page numbers that never fall, beside titles: a table of contents."""
    last = grid.columns - 1
    texts = [text_of(s.tokens) for s in grid.slots if s.column == last and s.tokens]
    titles = [text_of(s.tokens) for s in grid.slots if 0 < s.column < last and s.tokens]
    pages = [int(text) for text in texts if text.isdigit()]
    return (
        len(pages) > 2
        and len(pages) >= 0.7 * len(texts)
        and all(a <= b for a, b in pairwise(pages))
        and pages[0] < pages[-1] < 2000
        and sum(map(is_value, titles)) < 0.2 * len(titles) + 1
    )
