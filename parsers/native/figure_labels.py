"""Labels around a figure: ticks and names of axes, legends, the letters of its panels.

They are set smaller than the text, or are numbers alone, and stand close to the drawing or to
another label of it. Panels whose labels meet are one figure.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from docpipe.geometry import BBox, union_all
from docpipe.parsers.native.figures import FigureArea, merge_overlapping
from docpipe.parsers.native.lines import Line
from docpipe.parsers.native.markers import is_caption
from docpipe.parsers.native.words import UPRIGHT

_SMALL = 0.95  # of the usual font size
_MAX_WORDS = 8
_REACH = 1.0  # from the figure to a label, in font sizes of the label
_MARGIN = 40.0  # points, more than any reach
_MAX_ROUNDS = 12
_PROSE_WORDS = 7
_FEWEST = 3  # labels of a figure: a line or two beside a photograph are a running head
_TICK = re.compile(r"[\d.,%$€£+−–×xkKmM()/:\s-]+")


def with_labels(areas: Sequence[FigureArea], lines: Sequence[Line], em: float) -> list[FigureArea]:
    """The figures of a page whose usual font size is `em`, grown over the labels around them.

    A figure grows over no line that is not a label. On a page whose text is turned none grows.
    """
    if 2 * sum(line.direction == UPRIGHT for line in lines) < len(lines):
        return list(areas)
    inside = [line for area in areas for line in area.lines]
    taken = set(map(id, inside))
    outside = [line for line in lines if id(line) not in taken]
    small = _labels(outside, em)
    marked = set(map(id, small))
    labels, text = _Lines(small), _Lines([line for line in outside if id(line) not in marked])
    boxes = [area.box for area in areas]
    for _ in range(_MAX_ROUNDS if small else 0):
        grown = [_grown(box, labels, text) for box in boxes]
        merged = merge_overlapping(grown, 0.3 * em)
        boxes, before = (grown if any(map(text.inside, merged)) else merged), boxes
        if boxes == before:
            break
    found = [_area(box, labels.inside(box), inside) for box in boxes]
    labelled = [area for area in found if len(area.lines) >= _FEWEST]
    plain = [area for area in areas if not any(a.box.contains(area.box) for a in labelled)]
    return sorted([*labelled, *plain], key=lambda area: (area.box.y0, area.box.x0))


def _area(box: BBox, labels: Sequence[Line], inside: Sequence[Line]) -> FigureArea:
    lines = [*labels, *(line for line in inside if box.contains_point(*line.bbox.center))]
    lines.sort(key=lambda line: (line.bbox.y0, line.bbox.x0))
    return FigureArea(box, tuple(lines))


class _Lines:
    """Lines of a page by the middle of their height."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = sorted(lines, key=lambda line: line.bbox.center[1])
        self._heights = [line.bbox.center[1] for line in self._lines]

    def near(self, box: BBox, margin: float) -> list[Line]:
        first = bisect_left(self._heights, box.y0 - margin)
        return self._lines[first : bisect_right(self._heights, box.y1 + margin)]

    def inside(self, box: BBox) -> list[Line]:
        return [line for line in self.near(box, 0.0) if box.contains_point(*line.bbox.center)]


def _labels(lines: Sequence[Line], em: float) -> list[Line]:
    """Lines that could be labels; small print of several lines is none."""
    ordered = sorted(lines, key=lambda line: line.bbox.center[1])
    prose = {id(line) for pair in pairwise(ordered) if all(map(_is_prose, pair)) for line in pair}
    return [line for line in ordered if id(line) not in prose and _is_label(line, em)]


def _is_prose(line: Line) -> bool:
    return len(line.words) >= _PROSE_WORDS and not _TICK.fullmatch(line.text)


def _is_label(line: Line, em: float) -> bool:
    if is_caption(line.text):
        return False
    if _TICK.fullmatch(line.text):
        return line.size < 1.1 * em
    return line.size < _SMALL * em and len(line.words) <= _MAX_WORDS


def _grown(box: BBox, labels: _Lines, text: _Lines) -> BBox:
    """The box with the labels around it, but for those that lie behind text."""
    for line in labels.near(box, _MARGIN):
        if box.expand(_REACH * line.size).intersection(line.bbox) > 0:
            larger = union_all([box, line.bbox])
            if larger != box and len(text.inside(larger)) <= len(text.inside(box)):
                box = larger
    return box
