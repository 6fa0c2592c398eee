"""A block of text cut into lines, and lines into pieces that a strip has room for [D].

For models that read one line at a time. Lines are runs of rows with ink; a piece ends at the widest
gap between words near its greatest width.
"""

from __future__ import annotations

import statistics
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from docpipe.geometry import BBox

_CONTRAST = 48  # of 255, from the colour of most pixels
_TALL = 1.7  # of the usual height: two lines that touch
_LOW = 0.4  # of the usual height: an accent, a dot or a rule
_MARGIN = 0.15  # of a line's height, around it
_WORD_GAP = 0.16  # of a line's height
_UPRIGHT = 0.8  # of the block's height: ink of a rule
_WHOLE = 0.7  # of the usual height: less, at an edge, is part of a neighbour

Mask = npt.NDArray[np.bool_]
Range = tuple[int, int]


class Piece(NamedTuple):
    """A part of a line; `line` counts from 0 and pieces of one line follow each other. `bbox` is in
    pixels of the block. `is_glued` to the piece before where a word was cut."""

    line: int
    image: Image.Image
    bbox: BBox
    is_glued: bool


def pieces(block: Image.Image, widest: float) -> list[Piece]:
    """The pieces of a block from top to bottom, each at most `widest` times as wide as high."""
    ink = ink_of(block)
    found: list[Piece] = []
    for number, (top, bottom) in enumerate(text_rows(ink)):
        margin = max(1, round(_MARGIN * (bottom - top)))
        top, bottom = max(0, top - margin), min(block.height, bottom + margin)
        last = -1
        for left, right in spans(ink[top:bottom], widest):
            box = (max(0, left - margin), top, min(block.width, right + margin), bottom)
            found.append(Piece(number, block.crop(box), BBox(*map(float, box)), left == last))
            last = right
    return found


def ink_of(image: Image.Image) -> Mask:
    """Which pixels differ from the ground, (height, width)."""
    grey = np.asarray(image.convert("L"), dtype=np.int16)
    ground = int(np.bincount(grey.ravel(), minlength=256).argmax())
    mask: Mask = np.abs(grey - ground) > _CONTRAST
    return mask


def text_rows(ink: Mask) -> list[Range]:
    """Top and bottom of each line."""
    rows, usual = _without_neighbours(_bare_rows(ink), len(ink))
    if not rows:
        return []
    steps = [below[0] - above[0] for above, below in pairwise(rows)]
    pitch = max(statistics.median(steps), usual) if steps else usual
    whole = [part for row in rows for part in _parted(ink, row, usual, pitch)]
    return _joined(whole, usual)


def runs(flags: Mask) -> list[Range]:
    """Start and end of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def spans(line: Mask, widest: float) -> list[Range]:
    """Left and right of the pieces of a line."""
    height = line.shape[0]
    columns = runs(np.any(line, axis=0))
    if not columns:
        return []
    room = int(widest * height)
    gaps = [
        (before, after)
        for (_, before), (after, _) in pairwise(columns)
        if after - before >= _WORD_GAP * height
    ]
    left, end = columns[0][0], columns[-1][1]
    found: list[Range] = []
    while end - left > room:
        near = [gap for gap in gaps if left + room // 2 <= gap[0] <= left + room]
        before, after = max(near, key=lambda gap: gap[1] - gap[0], default=(left + room,) * 2)
        found.append((left, before))
        left = after
    return [*found, (left, end)]


def _bare_rows(ink: Mask) -> list[Range]:
    """Runs of rows with ink, upright rules beside lines left out where they hide these."""
    rows = runs(np.any(ink, axis=1))
    bare = runs(np.any(ink[:, np.mean(ink, axis=0) < _UPRIGHT], axis=1))
    return bare if len(bare) > len(rows) else rows


def _without_neighbours(rows: list[Range], height: int) -> tuple[list[Range], float]:
    """The rows without what shows, at the edges, of lines above and below; the usual height."""
    inner = [row for row in rows if row[0] > 0 and row[1] < height] or rows
    usual = statistics.median_high(bottom - top for top, bottom in inner) if rows else 0.0
    kept = [row for row in rows if row in inner or row[1] - row[0] >= _WHOLE * usual]
    return kept, usual


def _parted(ink: Mask, row: Range, usual: float, pitch: float) -> list[Range]:
    """Lines that touch, cut where there is least ink near the places expected: `pitch` is the
    usual distance from one line to the next."""
    top, bottom = row
    high = bottom - top
    parts = max(2, round((high + pitch - usual) / pitch)) if high > _TALL * usual else 1
    counts = ink[top:bottom].sum(1)
    cuts = [0]
    for part in range(1, parts):
        middle, reach = part * (bottom - top) / parts, 0.25 * usual
        low = max(int(middle - reach), cuts[-1] + 1)
        high = max(int(middle + reach), low + 1)
        cuts.append(low + int(counts[low:high].argmin()))
    cuts.append(bottom - top)
    return [(top + low, top + high) for low, high in pairwise(cuts)]


def _joined(rows: list[Range], usual: float) -> list[Range]:
    """Rows with those too low for a line made part of the nearest one, where there is one."""
    lines = [row for row in rows if row[1] - row[0] >= _LOW * usual]
    for top, bottom in rows:
        if (top, bottom) in lines or not lines:
            continue
        at = min(range(len(lines)), key=lambda at: max(lines[at][0] - bottom, top - lines[at][1]))
        gap = max(lines[at][0] - bottom, top - lines[at][1])
        if gap < _LOW * usual:
            lines[at] = (min(lines[at][0], top), max(lines[at][1], bottom))
    return lines
