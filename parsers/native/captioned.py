"""Figures that a caption tells of: all that is drawn above "Figure 3" up to running text is one
figure, with the labels in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docpipe.geometry import BBox, union_all
from docpipe.parsers.native.figures import FigureArea
from docpipe.parsers.native.lines import Line
from docpipe.parsers.native.markers import is_caption
from docpipe.records import Table, Word

_FIGURE = re.compile(r"^(?:fig|abb|chart|graph|diagram|exhibit|图)", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:[A-Z]\.?)?\d+(?:[.\-–]\d+)*[.:]")
_GAP = 3.0  # between the caption and the parts of the figure, in font sizes
_FEWEST = 4  # drawings that make a figure
_MIN_HEIGHT = 4.0  # of a figure, in font sizes
_HEADING = 1.12  # of the usual font size: larger than labels are
_PROSE_WORDS = 7
_PROSE_LINES = 3  # under one another: running text
_MAX_MARKS = 4000


def joined_by_captions(
    areas: Sequence[FigureArea], lines: Sequence[Line], marks: Sequence[BBox], em: float
) -> list[FigureArea]:
    """`areas` with what belongs under one caption as one figure; `marks` are the boxes of the
    page's drawings and pictures, `em` its usual font size."""
    found = list(areas)
    captions = [line for line in lines if is_caption(line.text) and _FIGURE.match(line.text)]
    for caption in captions if len(marks) <= _MAX_MARKS else ():
        figure = _above(_column(caption, lines), lines, marks, em)
        if figure is None or any(_cuts(figure.box, area.box) for area in found):
            continue
        found = [area for area in found if figure.box.intersection(area.box) == 0]
        found.append(figure)
    return sorted(found, key=lambda area: (area.box.y0, area.box.x0))


def is_diagram(table: Table, words: Sequence[Word]) -> bool:
    """Whether right below what looks like a table a line starts like the caption of a figure."""
    box = table.source.regions[0].bbox
    for word, number in pairwise(words):
        below = word.bbox.y0 - box.y1
        if (
            _FIGURE.match(word.text)
            and -2 < below < 2.5 * word.bbox.height
            and abs(number.bbox.y0 - word.bbox.y0) < 0.5 * word.bbox.height
            and _NUMBERED.fullmatch(number.text)
            and word.bbox.x_overlap(box.expand(4 * word.bbox.height)) > 0
        ):
            return True
    return False


def _cuts(figure: BBox, area: BBox) -> bool:
    return figure.intersection(area) > 0 and not figure.contains(area, 4.0)


def _above(
    column: BBox, lines: Sequence[Line], marks: Sequence[BBox], em: float
) -> FigureArea | None:
    """The figure of drawings above a caption, in its column."""
    top = _top(column, lines, em)
    inside = [box for box in marks if _is_within(box, column, top) and not _is_rule(box, column)]
    edge = column.y0
    parts: list[BBox] = []
    for box in sorted(inside, key=lambda box: -box.y1):
        if box.y1 < edge - _GAP * em:
            break
        edge = min(edge, box.y0)
        parts.append(box)
    if len(parts) < _FEWEST or column.y0 - edge < _MIN_HEIGHT * em:
        return None
    drawn = union_all(parts)
    labels = [
        line
        for line in lines
        if _is_within(line.bbox, column, top) and line.bbox.y1 > drawn.y0 - 0.5 * em
    ]
    return FigureArea(union_all([drawn, *(line.bbox for line in labels)]), tuple(labels))


def _column(caption: Line, lines: Sequence[Line]) -> BBox:
    """The box of the caption's first line, as wide as the lines of text below it."""
    wide = [
        line.bbox
        for line in lines
        if len(line.words) >= _PROSE_WORDS
        and line.bbox.x0 - 2 <= caption.bbox.x0
        and caption.bbox.x1 <= line.bbox.x1 + 2
        and 0 <= line.bbox.y0 - caption.bbox.y0 < 12 * caption.size
    ]
    edges = union_all([caption.bbox, *wide])
    return BBox(edges.x0, caption.bbox.y0, edges.x1, caption.bbox.y1)


def _is_within(box: BBox, column: BBox, top: float) -> bool:
    middle = box.center[0]
    return column.x0 - 4 < middle < column.x1 + 4 and top <= box.y0 and box.y1 <= column.y0 + 2


def _is_rule(box: BBox, column: BBox) -> bool:
    return box.height < 2 and box.width > 0.9 * column.width


def _top(column: BBox, lines: Sequence[Line], em: float) -> float:
    """Where running text or a heading ends above a caption, in its column."""
    above = [
        line for line in lines if line.bbox.y1 <= column.y0 + 2 and line.bbox.x_overlap(column) > 0
    ]
    run: list[Line] = []
    for line in sorted(above, key=lambda line: -line.bbox.y1):
        if is_caption(line.text) or line.size > _HEADING * em:
            return line.bbox.y1
        if len(line.words) < _PROSE_WORDS or line.size < 0.9 * em:
            run = []
        elif run and run[-1].bbox.y0 - line.bbox.y1 < 0.8 * line.size:
            run.append(line)
        else:
            run = [line]
        if len(run) >= _PROSE_LINES:
            return run[0].bbox.y1
    return 0.0
