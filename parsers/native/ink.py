"""Ink of a page image: what stands out from the ground around it, whichever of them is darker.

Dark text on paper, light text on a coloured slide and letters on a photograph all differ from the
median of their surroundings; even shading, yellowed paper and plain areas do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docpipe.geometry import BBox

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

    Mask = np.ndarray[Any, np.dtype[np.bool_]]

SIDE = 1000  # pixels of the longer side of the image that ink is looked for in
_GROUND = 4  # times smaller is the image that the ground is taken from
_WINDOW = 21  # pixels of that image: wider than the strokes of a title
_CONTRAST = 40  # of 255, in any channel
_GLYPH = (4, 90)  # lowest and highest letter, in pixels
_MUCH = 0.02  # of all pixels
_FEWEST = 3  # letters of a line
_EVEN = 0.5  # of a line's height: how low most of its letters may be


def ink_mask(image: Image.Image) -> Mask:
    """Which pixels of the image, made smaller to `SIDE`, are ink; shape (height, width)."""
    import cv2
    import numpy as np

    pixels = np.asarray(image.convert("RGB"))
    scale = min(1.0, SIDE / max(image.size))
    width, height = (max(1, round(side * scale)) for side in image.size)
    pixels = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA)
    size = max(1, width // _GROUND), max(1, height // _GROUND)
    ground = cv2.medianBlur(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), _WINDOW)
    away = cv2.absdiff(pixels, cv2.resize(ground, (width, height)))
    mask: Mask = away.max(axis=2) > _CONTRAST
    return mask


def text_lines(image: Image.Image) -> list[BBox]:
    """Boxes, in pixels of the image, of ink that looks like lines of text: letters of about one
    height side by side. Textures of photographs may look so, too."""
    mask = ink_mask(image)
    scale = max(image.size) / max(mask.shape)
    return [
        BBox.of(x0 * scale, y0 * scale, x1 * scale, y1 * scale)
        for x0, y0, x1, y1 in _lines(glyphs(mask))
    ]


def has_ink(image: Image.Image) -> bool:
    """Whether there is anything to read or to see: a line of text, or ink on much of the image.
    Paper, its colour and shade, and specks are none."""
    mask = ink_mask(image)
    return bool(mask.mean() > _MUCH) or bool(_lines(glyphs(mask)))


def glyphs(mask: Mask) -> np.ndarray[Any, Any]:
    """Left, top, width and height of the pieces of ink that may be letters."""
    import cv2
    import numpy as np

    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    stats = stats[1:]
    width, height, area = stats[:, 2], stats[:, 3], stats[:, 4]
    least, most = _GLYPH
    letters = (height >= least) & (height <= most) & (width <= 12 * height) & (width >= 1)
    letters &= (area > 0.08 * width * height) & (area >= 6)
    return stats[letters, :4]


def _lines(glyphs: np.ndarray[Any, Any]) -> list[tuple[int, int, int, int]]:
    """Runs of letters side by side: left, top, right, bottom."""
    lines: list[list[tuple[int, int, int, int]]] = []
    open_lines: list[list[tuple[int, int, int, int]]] = []
    for left, top, width, height in sorted(map(tuple, glyphs.tolist())):
        box = (left, top, left + width, top + height)
        open_lines = [line for line in open_lines if left - line[-1][2] <= 160]
        home = next((line for line in open_lines if _goes_on(line[-1], box)), None)
        if home is None:
            home = []
            lines.append(home)
            open_lines.append(home)
        home.append(box)
    return [_around(line) for line in lines if _is_text(line)]


def _goes_on(last: tuple[int, int, int, int], box: tuple[int, int, int, int]) -> bool:
    high = max(last[3] - last[1], box[3] - box[1])
    shared = min(last[3], box[3]) - max(last[1], box[1])
    return shared > 0.45 * high and box[0] - last[2] < 1.5 * high


def _is_text(line: list[tuple[int, int, int, int]]) -> bool:
    x0, y0, x1, y1 = _around(line)
    even = sum(bottom - top > _EVEN * (y1 - y0) for _, top, _, bottom in line)
    letters = sum(
        max(1, round((right - left) / (bottom - top))) for left, top, right, bottom in line
    )
    return letters >= _FEWEST and x1 - x0 > 1.5 * (y1 - y0) and even >= 0.5 * len(line)


def _around(line: list[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    return (
        min(box[0] for box in line),
        min(box[1] for box in line),
        max(box[2] for box in line),
        max(box[3] for box in line),
    )
