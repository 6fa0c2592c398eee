"""Synthetic crops of text: a piece of a line, or several lines."""

from __future__ import annotations

import math
import random

import numpy as np

from docpipe.datasets.docfusion.fonts import can_set
from docpipe.datasets.docfusion.ink import Gray, LineStyle, bounds, set_line
from docpipe.datasets.docfusion.profiles import Profile
from docpipe.datasets.docfusion.text import few_words, text
from docpipe.datasets.docfusion.wear import draw_skew, draw_wear, turned, worn

_LIGATURES = {"ffi": "ﬃ", "ffl": "ﬄ", "fi": "ﬁ", "fl": "ﬂ"}
_VARIANTS = {"'": "’", "-": "–"}
_LIGATURE_FONTS = (
    "tiro",
    "tibo",
    "tiit",
    "STIXGeneral",
    "SourceSerifPro-Regular",
    "Caladea-Regular",
)


def text_crop(
    chance: random.Random, profile: Profile, most: int, *, words_only: bool = False, lines: int = 1
) -> tuple[Gray, str]:
    """An image of up to `lines` lines of at most `most` characters, and what they say."""
    make = few_words if words_only else text
    rows = [make(chance, profile, most) for _ in range(chance.randint(1, lines))]
    style = draw_style(chance, profile, "".join(rows))
    shown = [variant(row, style.font, chance, profile) for row in rows]
    leading = chance.uniform(1.0, 1.5) * style.size
    ink = stacked([set_line(row, style, chance.random()) for row in shown], leading)
    if skew := draw_skew(chance, profile):
        ink = turned(ink, skew)
    ink = with_margin(ink, chance, style.size)
    if chance.random() < profile.crowded_share:
        _crowd(chance, profile, ink, style)
    return worn(ink, draw_wear(chance, profile)), "\n".join(rows)


def draw_style(chance: random.Random, profile: Profile, shown: str) -> LineStyle:
    """A font that can show the text, at a size of the profile."""
    able = [font for font in profile.fonts if can_set(font, shown)]
    return LineStyle(
        chance.choice(able),
        size=draw_size(chance, profile),
        tracking=chance.uniform(-0.02, 0.05) if chance.random() < 0.3 else 0.0,
        space=chance.uniform(0.75, 1.8) if chance.random() < 0.5 else 1.0,
    )


def draw_size(chance: random.Random, profile: Profile) -> float:
    """Pixels per em: points at a resolution, both of the profile."""
    return chance.uniform(*profile.points) * chance.uniform(*profile.dpi) / 72


def variant(shown: str, font: str, chance: random.Random, profile: Profile) -> str:
    """The text with typographic characters, which are read as the plain ones."""
    if chance.random() >= profile.variant_share or not can_set(font, "|"):
        return shown
    for plain, typographic in _VARIANTS.items():
        shown = shown.replace(plain, typographic)
    if font in _LIGATURE_FONTS:
        for plain in ("fi", "fl"):
            shown = shown.replace(plain, _LIGATURES[plain])
    return shown.replace('"', "“", 1).replace('"', "”")


def stacked(lines: list[Gray], leading: float) -> Gray:
    """Lines below each other, `leading` pixels from baseline to baseline."""
    if len(lines) == 1:
        return lines[0]
    tops = [round(number * leading) for number in range(len(lines))]
    height = max(top + line.shape[0] for top, line in zip(tops, lines, strict=True))
    page = np.zeros((height, max(line.shape[1] for line in lines)), np.uint8)
    for top, line in zip(tops, lines, strict=True):
        place = page[top : top + line.shape[0], : line.shape[1]]
        np.maximum(place, line, out=place)
    return page


def _crowd(chance: random.Random, profile: Profile, ink: Gray, style: LineStyle) -> None:
    """Draw slivers of the neighbouring lines along the edges, as a box cut by the font's height
    has them."""
    for top in (True, False):
        other = with_margin(set_line(text(chance, profile, 60), style), chance, 0.0)
        high = min(other.shape[0], round(chance.uniform(0.0, 0.12) * ink.shape[0]))
        width = min(other.shape[1], ink.shape[1])
        if high:
            place = ink[:high, :width] if top else ink[-high:, :width]
            np.maximum(place, other[-high:, :width] if top else other[:high, :width], out=place)


def with_margin(ink: Gray, chance: random.Random, size: float) -> Gray:
    """Cut to the ink, with a margin of up to a third of an em on each side, at least a pixel."""
    box = bounds(ink)
    if box is None:
        return ink
    x0, y0, x1, y1 = box
    margins = [math.ceil(chance.uniform(0.03, 0.35) * size) for _ in range(4)]
    return np.pad(ink[y0:y1, x0:x1], ((margins[0], margins[1]), (margins[2], margins[3])))
