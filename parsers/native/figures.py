"""Figures: images, and clusters of vector drawings such as charts and diagrams.

The words inside a figure (labels, axes, legends) are its description. Pictures behind running text,
tinted boxes around it and rules between it are no figures.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from docpipe.geometry import BBox, union_all
from docpipe.parsers.native.lines import Line
from docpipe.stages import Drawing, PlacedImage

_MIN_SIDE = 24.0  # points: smaller ones are icons and ornaments
_MIN_SEGMENTS = 6
_GRID = 12.0  # drawings in neighbouring cells of this size belong together
_BACKGROUND = 0.75  # of the page
_ACTIVE = 40  # shapes that one may overlap: a bound on the work on dense pages
_TITLE = 1.3  # of the usual font size
_MAX_BANNER = 4  # lines of a title on a picture
_WORD = re.compile(r"[^\W\d_]{2}")
_WHITE = 0xFFFFFF
_DENSE = 10_000  # shapes that are joined by nearness alone, as on maps
_LABEL_WORDS = 7  # longer lines are prose


class FigureArea(msgspec.Struct, frozen=True):
    """A figure's box and the lines of text inside it."""

    box: BBox
    lines: tuple[Line, ...]


def find_figures(
    images: Sequence[PlacedImage],
    drawings: Sequence[Drawing],
    lines: Sequence[Line],
    taken: Sequence[BBox],
    sheet: BBox,
    em: float,
) -> list[FigureArea]:
    """The figures of a page outside the boxes in `taken` (its tables); `em` is its usual font
    size."""
    boxes = [image.bbox.clip(sheet.x1, sheet.y1) for image in images]
    pictures = [box for box in boxes if _is_large(box) and box.area < _BACKGROUND * sheet.area]
    vectors = [box for box in vector_clusters(drawings, sheet) if _is_large(box)]
    found: list[FigureArea] = []
    for box in merge_overlapping(pictures + vectors):
        if any(box.intersection(other) > 0.3 * min(box.area, other.area) for other in taken):
            continue
        inside = tuple(line for line in lines if box.contains_point(*line.bbox.center))
        if not _is_prose(inside, box) and not _is_banner(inside, em):
            found.append(FigureArea(box, inside))
    return found


def _is_large(box: BBox) -> bool:
    return box.width >= _MIN_SIDE and box.height >= _MIN_SIDE


def _is_prose(lines: Sequence[Line], box: BBox) -> bool:
    """Whether running text stands in a box, rather than labels."""
    total = sum(len(line.text) for line in lines)
    prose = sum(
        len(line.text)
        for line in lines
        if len(line.words) >= _LABEL_WORDS or line.bbox.width > 0.7 * box.width
    )
    return prose > 0.3 * total or total > 1500


def _is_banner(lines: Sequence[Line], em: float) -> bool:
    """Whether a picture is but the ground of a title."""
    titles = [line for line in lines if line.size > _TITLE * em and _WORD.search(line.text)]
    return bool(titles) and len(lines) <= _MAX_BANNER


def vector_clusters(drawings: Sequence[Drawing], sheet: BBox) -> list[BBox]:
    """Boxes of drawings that lie close together and are more than rules and frames."""
    shapes = [drawing for drawing in drawings if _is_shape(drawing, sheet)]
    cells: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for index, shape in enumerate(shapes):
        x, y = shape.bbox.center
        cells[int(x // _GRID), int(y // _GRID)].append(index)
    groups = _Groups(len(shapes))
    for (x, y), members in cells.items():
        for neighbour in ((x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1), (x + 1, y - 1)):
            if neighbour in cells:
                groups.join(members[0], cells[neighbour][0])
        for member in members[1:]:
            groups.join(members[0], member)
    if len(shapes) <= _DENSE:
        _join_overlapping(groups, shapes)
    return [
        union_all(shapes[index].bbox for index in members)
        for members in groups.members()
        if _is_drawing([shapes[index] for index in members])
    ]


def _is_shape(drawing: Drawing, sheet: BBox) -> bool:
    if drawing.fill == _WHITE and drawing.stroke in (None, _WHITE):
        return False  # the ground of a cell, not to be seen
    box = drawing.bbox
    inside = box.x1 > 0 and box.y1 > 0 and box.x0 < sheet.x1 and box.y0 < sheet.y1
    return inside and box.area < 0.5 * sheet.area and box.width < 0.95 * sheet.width


def _is_drawing(shapes: Sequence[Drawing]) -> bool:
    """Curves, slanted lines or many parts; not a frame or the rules of a form."""
    curves = sum(shape.kind == "curve" for shape in shapes)
    slanted = sum(
        shape.kind == "line" and min(shape.bbox.width, shape.bbox.height) > 3 for shape in shapes
    )
    bars = [shape for shape in shapes if shape.kind == "rect" and shape.fill is not None]
    return len(shapes) >= _MIN_SEGMENTS and (curves + slanted >= 4 or _are_bars(bars))


def _are_bars(fills: Sequence[Drawing]) -> bool:
    """Whether filled rectangles start on one line and end on several: the fills of the cells of a
    table end on one line, too."""
    ends: defaultdict[tuple[str, int, int | None], set[int]] = defaultdict(set)
    boxes = [(fill.bbox, fill.fill) for fill in fills if fill.bbox.height > 3]
    for box, colour in boxes:
        x0, y0, x1, y1 = (round(value) for value in (box.x0, box.y0, box.x1, box.y1))
        for side, start, end in (("l", x0, x1), ("r", x1, x0), ("t", y0, y1), ("b", y1, y0)):
            ends[side, start, colour].add(end)
    return len(boxes) >= 4 and any(len(found) >= 3 for found in ends.values())


def _join_overlapping(groups: _Groups, shapes: Sequence[Drawing]) -> None:
    """Large shapes take in what they overlap: sweep from left to right over the boxes."""
    boxes = [shape.bbox for shape in shapes]
    active: list[int] = []
    for index in sorted(range(len(boxes)), key=lambda index: boxes[index].x0):
        box = boxes[index]
        x0, y0, y1 = box.x0, box.y0, box.y1
        active = [other for other in active if boxes[other].x1 >= x0][-_ACTIVE:]
        for other in active:
            if boxes[other].y0 <= y1 and boxes[other].y1 >= y0:
                groups.join(index, other)
        active.append(index)


class _Groups:
    """Disjoint sets of numbers."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def root(self, index: int) -> int:
        while self._parent[index] != index:
            self._parent[index] = self._parent[self._parent[index]]
            index = self._parent[index]
        return index

    def join(self, first: int, second: int) -> None:
        self._parent[self.root(second)] = self.root(first)

    def members(self) -> list[list[int]]:
        found: defaultdict[int, list[int]] = defaultdict(list)
        for index in range(len(self._parent)):
            found[self.root(index)].append(index)
        return list(found.values())


def merge_overlapping(boxes: Sequence[BBox], margin: float = 3.0) -> list[BBox]:
    """Boxes that overlap or nearly touch, such as the strips of one picture, made one."""
    merged: list[BBox] = []
    for box in sorted(boxes, key=lambda box: (box.y0, box.x0))[:2000]:
        grown = box.expand(margin)
        touching = [other for other in merged if grown.intersection(other) > 0]
        merged = [other for other in merged if grown.intersection(other) <= 0]
        merged.append(union_all([box, *touching]))
    return merged
