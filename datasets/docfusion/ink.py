"""Setting lines of text as arrays of ink: fast, because every glyph is drawn once and kept.

Glyphs are drawn large and lines reduced to the size wanted, as a page is rendered without hinting:
strokes are grey where they cover a pixel in part, at any fraction of a pixel.
"""

from __future__ import annotations

import io
import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import ImageFont

from docpipe.datasets.docfusion.fonts import font_bytes

Gray = npt.NDArray[np.uint8]
"""(height, width): of ink 0 is none and 255 full; of an image 255 is white."""

_EM, _SMALL_EM = 64, 32  # pixels per em that glyphs are drawn at
_SMALL = 16  # size of a line up to which the smaller is enough
_ABOVE, _BELOW = 1.125, 0.4375  # em above and below the baseline


class Glyph(NamedTuple):
    """`mask` is placed `left` and `top` of a point on the baseline, `advance` leads to the next."""

    mask: Gray
    left: int
    top: int
    advance: float


class Face:
    """A font at `em` pixels, its glyphs drawn when first asked for."""

    def __init__(self, name: str, em: int) -> None:
        self.em = em
        self._font: Any = ImageFont.truetype(
            io.BytesIO(font_bytes(name)), em, layout_engine=ImageFont.Layout.BASIC
        )
        self._glyphs: dict[str, Glyph] = {}

    def glyph(self, char: str) -> Glyph:
        found = self._glyphs.get(char)
        if found is None:
            found = self._glyphs[char] = self._draw(char)
        return found

    def _draw(self, char: str) -> Glyph:
        mask, (left, top) = self._font.getmask2(char, mode="L", anchor="ls")
        width, height = mask.size
        pixels = np.frombuffer(bytes(mask), np.uint8).reshape(height, width)
        return Glyph(pixels, left, top, self._font.getlength(char))


@lru_cache(maxsize=256)
def face(name: str, em: int = _EM) -> Face:
    return Face(name, em)


class LineStyle(NamedTuple):
    """`size` in pixels per em; `tracking` in em between characters, `space` times the width of
    blanks."""

    font: str
    size: float
    tracking: float = 0.0
    space: float = 1.0


def set_line(text: str, style: LineStyle, phase: float = 0.0) -> Gray:
    """The ink of a line, its box as high as the font's lines are; `phase` in pixels moves it.

    The baseline is at 0.72 of the height. Empty text is one pixel wide.
    """
    drawn = face(style.font, _SMALL_EM if style.size <= _SMALL else _EM)
    full = _compose(text, style, phase, drawn)
    scale = style.size / drawn.em
    width = max(1, round(full.shape[1] * scale))
    height = max(1, round(full.shape[0] * scale))
    return shrink(full, width, height)


def shrink(ink: Gray, width: int, height: int) -> Gray:
    """The array averaged down to this size (bilinear where it grows)."""
    import cv2

    grows = width > ink.shape[1] or height > ink.shape[0]
    method = cv2.INTER_LINEAR if grows else cv2.INTER_AREA
    return np.asarray(cv2.resize(ink, (width, height), interpolation=method), np.uint8)


def line_width(text: str, style: LineStyle) -> float:
    """Pixels from the start of the line to its end."""
    drawn = face(style.font)
    return _length(text, style, drawn) * style.size / drawn.em


def _length(text: str, style: LineStyle, drawn: Face) -> float:
    """At the size that glyphs are drawn at."""
    advances = sum(drawn.glyph(char).advance for char in text)
    blanks = text.count(" ") * drawn.glyph(" ").advance * (style.space - 1.0)
    return advances + blanks + len(text) * style.tracking * drawn.em


def bounds(ink: Gray) -> tuple[int, int, int, int] | None:
    """x0, y0, x1, y1 around all that is darker than a tenth, or None."""
    rows = np.flatnonzero((ink > 25).any(axis=1))
    columns = np.flatnonzero((ink > 25).any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _compose(text: str, style: LineStyle, phase: float, drawn: Face) -> Gray:
    pad, baseline = drawn.em // 8, round(_ABOVE * drawn.em)
    height = baseline + round(_BELOW * drawn.em)
    canvas = np.zeros((height, math.ceil(_length(text, style, drawn)) + 3 * pad), np.uint8)
    x = pad + min(max(phase, 0.0), 1.0) * drawn.em / style.size
    for char in text:
        glyph = drawn.glyph(char)
        _stamp(canvas, glyph.mask, round(x) + glyph.left, baseline + glyph.top)
        x += glyph.advance * (style.space if char == " " else 1.0) + style.tracking * drawn.em
    return canvas


def _stamp(canvas: Gray, mask: Gray, x: int, y: int) -> None:
    """Darken the canvas by the mask, what lies outside cut off."""
    left, top = max(-x, 0), max(-y, 0)
    place = canvas[y + top : y + mask.shape[0], x + left : x + mask.shape[1]]
    if place.size:
        part = mask[top : top + place.shape[0], left : left + place.shape[1]]
        np.maximum(place, part, out=place)
