"""Tables held together by the alignment of their words alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docpipe.parsers.native.tables.doubt import is_aligned_table
from docpipe.parsers.native.tables.grid import Grid
from docpipe.parsers.native.tables.layout import (
    PROSE_WORDS,
    Line,
    Phrase,
    Token,
    is_value,
    line_height,
    lines_of,
    phrases_of,
)
from docpipe.parsers.native.tables.rules import Rule
from docpipe.parsers.native.tables.structure import structure

WIDE = 0.75  # of the line height: phrases of a table without rules stand at least so far apart


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
        if grid and is_aligned_table(grid):
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
            x0, x1 = min(s.x0 for s in group), max(s.x1 for s in group)
            shared = min(segment.x1, x1) - max(segment.x0, x0)
            if (
                near
                and shared > 0.5 * min(segment.x1 - segment.x0, x1 - x0)
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
