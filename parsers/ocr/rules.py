"""Lines that are drawn on a page image, as the drawings that a PDF would have of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docpipe.geometry import BBox
from docpipe.parsers.ocr.upright import Placement
from docpipe.records import Word
from docpipe.stages import Drawing

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from PIL import Image

    Mask = np.ndarray[Any, np.dtype[np.uint8]]

BARS = frozenset("|¦[]!")
"""What engines read vertical lines as."""

_SHORTEST = 18.0  # points; strokes of letters are shorter
_THICKEST = 3.0  # points
_GAP = 1.2  # points: a line broken by dust goes on
_REDUCED = 4  # times smaller is the image that the ground is taken from
_WINDOW = 21  # pixels of that image
_CONTRAST = 36  # of 255
_IN_WORDS = 0.4  # share of a line's length that lies within words: strokes of letters, underlining
_SHADE = 10  # of 255: how far a shade is from the paper
_TEXT = 9  # pixels of the small image: shades are higher than lines of text
_RECTANGULAR = 0.9
_UNIFORM = 0.5
_BESIDE = 2.0  # points
_SHORT = 60.0  # points: a shorter line is doubted
_MOST = 2_000


class Sheet:
    """A levelled page image as `find_tables` sees it: its lines, no fonts."""

    def __init__(self, number: int, placement: Placement, drawings: Sequence[Drawing]) -> None:
        self.number = number
        self.width, self.height = placement.size
        self._drawings = list(drawings)

    def drawings(self) -> list[Drawing]:
        return self._drawings

    def spans(self) -> list[Any]:
        return []


def drawn_lines(image: Image.Image, scale: float, words: Sequence[Word]) -> list[Drawing]:
    """The horizontal and vertical lines of an upright image with `scale` pixels a point, in points.

    `words` are in points of the same frame: what runs through the middle of them is no line.
    """
    ink = _ink(image)
    found: list[Drawing] = []
    for across in (True, False):
        for box in _runs(ink, scale, across):
            if not _is_in_words(box, words, across):
                found.append(Drawing("line", box, 0, None, min(box.width, box.height)))
    return found if len(found) <= _MOST else []


def is_bar(word: Word, drawings: Sequence[Drawing]) -> bool:
    """Whether what was read as a word is a piece of a vertical line."""
    x, y = word.bbox.center
    return word.text in BARS and any(
        drawing.kind == "line"
        and drawing.bbox.height > drawing.bbox.width
        and drawing.bbox.expand(_BESIDE).contains_point(x, y)
        for drawing in drawings
    )


def shaded_areas(image: Image.Image, scale: float) -> list[Drawing]:
    """Rectangles of one colour that is not the paper's, such as the heads and stripes of tables, in
    points."""
    import cv2
    import numpy as np

    size = max(1, image.width // _REDUCED), max(1, image.height // _REDUCED)
    small = cv2.resize(np.asarray(image.convert("RGB")), size, interpolation=cv2.INTER_AREA)
    paper = np.median(small.reshape(-1, 3), axis=0).astype(np.int16)
    away = (abs(small.astype(np.int16) - paper).max(axis=2) > _SHADE).astype(np.uint8)
    away = cv2.morphologyEx(away, cv2.MORPH_OPEN, np.ones((_TEXT, _TEXT), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(away, connectivity=4)
    k = _REDUCED / scale
    found: list[Drawing] = []
    for x, y, width, height, area in stats[1:].tolist():
        color = np.median(small[y : y + height, x : x + width].reshape(-1, 3), axis=0)
        same = abs(small[y : y + height, x : x + width] - color).max(axis=2) < _SHADE
        if area > _RECTANGULAR * width * height and same.mean() > _UNIFORM:
            red, green, blue = (int(value) for value in color)
            box = BBox.of(x * k, y * k, (x + width) * k, (y + height) * k)
            found.append(Drawing("rect", box, None, red << 16 | green << 8 | blue, 0.0))
    return found if len(found) <= _MOST else []


def _ink(image: Image.Image) -> Mask:
    import cv2
    import numpy as np

    grey = np.asarray(image.convert("L"))
    size = max(1, image.width // _REDUCED), max(1, image.height // _REDUCED)
    ground = cv2.medianBlur(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), _WINDOW)
    away = cv2.absdiff(grey, cv2.resize(ground, image.size))
    return np.asarray(away > _CONTRAST, dtype=np.uint8)


def _runs(ink: Mask, scale: float, across: bool) -> list[BBox]:
    """Boxes of long thin runs of ink, in points."""
    import cv2

    length, gap = round(_SHORTEST * scale), round(_GAP * scale)
    # Not upwards, where letters of neighbouring lines would grow together.
    closed = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, _bar(gap if across else 1, across))
    opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, _bar(length, across))
    _, _, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=8)
    boxes = []
    for x, y, width, height, _ in stats[1:].tolist():
        if min(width, height) <= _THICKEST * scale:
            boxes.append(BBox.of(*(v / scale for v in (x, y, x + width, y + height))))
    return boxes


def _bar(length: int, across: bool) -> Any:
    import numpy as np

    return np.ones((1, max(length, 1)) if across else (max(length, 1), 1), np.uint8)


def _is_in_words(line: BBox, words: Sequence[Word], across: bool) -> bool:
    """Whether a line is made of letters: much of its way it runs through words."""
    margin = 1.0 if max(line.width, line.height) < _SHORT else -1.0
    covered = 0.0
    for word in words:
        box = word.bbox
        if across and box.y0 - margin < (line.y0 + line.y1) / 2 < box.y1 + margin:
            covered += max(0.0, line.x_overlap(box))
        elif not across and box.x0 - margin < (line.x0 + line.x1) / 2 < box.x1 + margin:
            covered += max(0.0, line.y_overlap(box))
    return covered > _IN_WORDS * max(line.width, line.height)
