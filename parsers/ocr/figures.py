"""Figures on a page image: photographs and other printed areas that are not words, and what stands
above the caption of a figure. Charts of lines without a caption are not found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from docpipe.geometry import BBox
from docpipe.parsers.native.captioned import joined_by_captions
from docpipe.parsers.native.figure_labels import with_labels
from docpipe.parsers.native.figures import find_figures
from docpipe.parsers.native.lines import Line, body_size
from docpipe.records import Figure, Region, Source, Table
from docpipe.stages import PlacedImage

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

    from docpipe.parsers.ocr.upright import Placement

    Pixels = np.ndarray[Any, Any]

_LARGEST = 1500  # points: a page is looked at with one pixel a point, a poster with fewer
_CONTRAST = 40  # of 255: how far ink is from the paper
_STROKE = 3  # pixels: what is thinner are lines and handwriting
_GAP = 9  # pixels between parts of one picture
_MIN_SIDE = 36  # pixels
_FILLED = 0.4  # of its box
_BLED = 0.9  # of one in a corner of the page, where a sheet may be torn or folded
_VARIED = 12.0  # standard deviation of its brightness: a plain area shows nothing
_SQUARE = 24  # pixels
_FEWEST = 4  # pixels in a square: less is dust
_SURE = 0.6  # confidence of words that are no part of a picture


def figures_of(
    image: Image.Image,
    placement: Placement,
    lines: list[Line],
    tables: Sequence[Table],
    page: int,
    stage: str,
) -> tuple[list[Figure], list[Line]]:
    """The pictures on an upright image, in points of its frame, and the lines outside them."""
    taken = [table.source.regions[0].bbox for table in tables]
    sure = [
        word.bbox
        for line in lines
        for word in line.words
        if word.confidence is not None and word.confidence >= _SURE
    ]
    unit = max(1.0, max(placement.size) / _LARGEST)
    small, ink = _ink(image, placement.scale * unit, [_times(box, 1 / unit) for box in sure])
    pictures = [_times(box, unit) for box in picture_boxes(small, ink)]
    pieces = [_times(box, unit) for box in _pieces(ink)]
    found = [PlacedImage(box, (1, 1)) for box in pictures]
    sheet = BBox(0.0, 0.0, *placement.size)
    em = body_size(lines)
    areas = with_labels(find_figures(found, [], lines, taken, sheet, em), lines, em)
    marks = [box for box in pieces if not any(other.contains(box) for other in taken)]
    areas = joined_by_captions(areas, lines, [*pictures, *marks], em)
    inside = {id(line) for area in areas for line in area.lines}
    figures = [
        Figure(
            id=f"p{page}/figure{number}",
            source=Source((Region(page, area.box),), stage),
            description="\n".join(line.text for line in area.lines) or None,
        )
        for number, area in enumerate(areas, 1)
    ]
    return figures, [line for line in lines if id(line) not in inside]


def picture_boxes(small: Pixels, ink: Pixels) -> list[BBox]:
    """Boxes of areas of an image that are filled with ink of more than one colour. Areas along
    three edges are what lies around a sheet."""
    import cv2
    import numpy as np

    solid = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((_STROKE, _STROKE), np.uint8))
    joined = cv2.morphologyEx(solid, cv2.MORPH_CLOSE, np.ones((_GAP, _GAP), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    bottom, right = ink.shape[0] - 1, ink.shape[1] - 1
    boxes = []
    for x, y, width, height, area in stats[1:].tolist():
        edges = (x <= 1) + (y <= 1) + (x + width >= right) + (y + height >= bottom)
        grey = small[y : y + height, x : x + width].mean(axis=2)
        if (
            min(width, height) >= _MIN_SIDE
            and area >= (_FILLED if edges < 2 else _BLED) * width * height
            and edges < 3
            and grey.std() >= _VARIED
        ):
            boxes.append(BBox(float(x), float(y), float(x + width), float(y + height)))
    return boxes


def _ink(image: Image.Image, scale: float, words: Sequence[BBox]) -> tuple[Pixels, Pixels]:
    """The image `scale` times smaller, and what is on it beside the words and the paper."""
    import cv2
    import numpy as np

    size = max(1, round(image.width / scale)), max(1, round(image.height / scale))
    small = cv2.resize(np.asarray(image.convert("RGB")), size, interpolation=cv2.INTER_AREA)
    paper = np.median(small.reshape(-1, 3), axis=0).astype(np.int16)
    ink = (abs(small.astype(np.int16) - paper).max(axis=2) > _CONTRAST).astype(np.uint8)
    for box in words:
        x0, y0 = max(0, int(box.x0) - 1), max(0, int(box.y0) - 1)
        ink[y0 : int(box.y1) + 2, x0 : int(box.x1) + 2] = 0
    return small, ink


def _times(box: BBox, factor: float) -> BBox:
    return BBox(box.x0 * factor, box.y0 * factor, box.x1 * factor, box.y1 * factor)


def _pieces(ink: Pixels) -> Iterator[BBox]:
    """The ink in squares of a grid, as the small parts that a PDF's drawing would have: on paper,
    the lines of a chart are all one."""
    import numpy as np

    for y in range(0, ink.shape[0], _SQUARE):
        for x in range(0, ink.shape[1], _SQUARE):
            ys, xs = np.nonzero(ink[y : y + _SQUARE, x : x + _SQUARE])
            if len(ys) >= _FEWEST:
                yield BBox(
                    float(x + xs.min()),
                    float(y + ys.min()),
                    float(x + xs.max() + 1),
                    float(y + ys.max() + 1),
                )
