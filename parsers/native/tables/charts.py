"""Charts: their bars, grid lines and labels look like the rules and cells of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from docpipe.geometry import BBox, union_all
from docpipe.parsers.native.tables.layout import Token
from docpipe.parsers.native.tables.rules import WHITE, Rules
from docpipe.stages import Drawing

FEWEST_BARS = 3
MANY_PIECES = 5  # of a line that is a curve even when alone
MOST_CURVES = 200
THICKEST = 90.0  # points across a bar
MOST_FILLS = 5_000


def chart_boxes(drawings: Sequence[Drawing], rules: Rules, tokens: Sequence[Token]) -> list[BBox]:
    """The plotting areas of bar and line charts: bars or curves with their grid lines."""
    worded = [token for token in tokens if any(char.isalpha() for char in token.text)]
    boxes = [
        *(union_all(bars) for bars in _bar_groups(drawings) if not _hold_text(bars, worded)),
        *_curves(drawings),
    ]
    return [_with_grid_lines(box, rules) for box in boxes]


def _bar_groups(drawings: Sequence[Drawing]) -> Iterator[list[BBox]]:
    """Filled rectangles of one colour and thickness that start on one line and differ in length."""
    upright: dict[tuple[int, ...], list[BBox]] = {}
    lying: dict[tuple[int, ...], list[BBox]] = {}
    fills = [
        drawing
        for drawing in drawings
        if drawing.kind == "rect" and drawing.fill not in (None, WHITE)
    ]
    for drawing in fills if len(fills) <= MOST_FILLS else ():
        box, fill = drawing.bbox, drawing.fill or 0
        if 2 < box.width < THICKEST and box.height > 2:
            for side, y in enumerate((box.y0, box.y1)):
                upright.setdefault((fill, side, round(y)), []).append(box)
        if 2 < box.height < THICKEST and box.width > 2:
            lying.setdefault((fill, round(box.x0)), []).append(box)
    for bars in upright.values():
        if _are_bars([(box.x0, box.x1, box.height) for box in bars]):
            yield bars
    for bars in lying.values():
        if _are_bars([(box.y0, box.y1, box.width) for box in bars]):
            yield bars


def _hold_text(bars: Sequence[BBox], words: Sequence[Token]) -> bool:
    """Whether most bars have words on them: they are shaded text then."""
    return sum(any(bar.contains_point(*w.center) for w in words) for bar in bars) > 0.5 * len(bars)


def _are_bars(bars: list[tuple[float, float, float]]) -> bool:
    """Start, end and length of each: apart from one another, of at least three lengths."""
    if len(bars) < FEWEST_BARS:
        return False
    bars = sorted(set(bars))
    thickness = bars[0][1] - bars[0][0]
    if any(abs(end - start - thickness) > 1.0 for start, end, _ in bars):
        return False
    apart = all(b[0] - a[1] > 0.1 * thickness for a, b in pairwise(bars))
    lengths = {round(length / 2) for *_, length in bars}
    return apart and len(lengths) >= FEWEST_BARS


def _curves(drawings: Sequence[Drawing]) -> list[BBox]:
    """Boxes of curves: a polyline of many pieces, or several of a few pieces over one another."""
    runs = [(union_all(run), len(run)) for run in _polylines(drawings)][:MOST_CURVES]
    return [
        box
        for box, pieces in runs
        if pieces >= MANY_PIECES or sum(box.intersection(other) > 0 for other, _ in runs) > 2
    ]


def _polylines(drawings: Sequence[Drawing]) -> Iterator[list[BBox]]:
    """Mostly slanted pieces, each starting at the end of the one before, 40 points wide or more."""
    run: list[BBox] = []
    for drawing in [*drawings, None]:
        if drawing is not None:
            box = drawing.bbox
            if drawing.kind == "rect" or box.width < 1.5 or drawing.fill is not None:
                continue
            if run and abs(box.x0 - run[-1].x1) < 1.0 and box.y_overlap(run[-1].expand(1.0)) >= 0:
                run.append(box)
                continue
        slanted = sum(box.height > 0.3 for box in run)
        if len(run) > 1 and slanted >= 0.6 * len(run) and run[-1].x1 - run[0].x0 > 40:
            yield run
        run = [drawing.bbox] if drawing is not None else []


def _with_grid_lines(box: BBox, rules: Rules) -> BBox:
    """The box with the rules that run through it from side to side."""
    across = [
        BBox.of(rule.start, rule.at, rule.end, rule.at)
        for rule in rules.horizontal
        if box.y0 - 2 <= rule.at <= box.y1 + 2
        and min(rule.end, box.x1) - max(rule.start, box.x0) > 0.6 * box.width
    ]
    upright = [
        BBox.of(rule.at, rule.start, rule.at, rule.end)
        for rule in rules.vertical
        if box.x0 - 2 <= rule.at <= box.x1 + 2
        and min(rule.end, box.y1) - max(rule.start, box.y0) > 0.6 * box.height
    ]
    return union_all([box, *across, *upright])
