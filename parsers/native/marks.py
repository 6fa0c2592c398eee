"""Check boxes that are printed, not interactive: drawn squares and box glyphs, and their state.

A square counts when it has a label beside it, stands free of rules and other squares, and is one of
several or marked. Glyphs that also serve as bullets count only where they are used as boxes are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docpipe.geometry import BBox
from docpipe.parsers.native.nearby import Nearby
from docpipe.records import Word
from docpipe.stages import Drawing, PageView, TextSpan

SMALLEST, LARGEST = 5.0, 18.0  # edge of a check box in points
MOST = 400  # squares on a page: beyond it they are a chart's or graph paper
_LIGHT = 0xE0  # all channels at least this: the ground of a box that is not filled in
_TICKS = frozenset("xX×✓✔✗✘✕✖√\uf0fc\uf0fb\uf050\uf056")
_DING_TICKS = frozenset("348567lnuüûPVOQ")  # what ticks, crosses and dots are in symbol fonts
_SYMBOL_FONT = re.compile(r"dingbat|wingding|webding|zadb", re.IGNORECASE)
_SURE = {"☐": False, "☑": True, "☒": True, "🗹": True, "🗷": True, "\uf0fe": True, "\uf0fd": True}
_UNSURE = dict.fromkeys("□▢❑❏❒◻\uf06f\uf0a8\uf071\uf072", False) | {"■": True, "◼": True}
_WINGDINGS = {"þ": True, "ý": True, "¨": False, "o": False, "q": False, "r": False}


class Mark(NamedTuple):
    """A check box; `drawn` are the words that are part of it: a cross, the box itself."""

    box: BBox
    on: bool
    drawn: tuple[Word, ...] = ()


def find_marks(page: PageView, words: Sequence[Word], taken: Sequence[BBox]) -> list[Mark]:
    """The printed check boxes of a page outside the boxes `taken` by form fields."""
    near = Nearby(words)
    pictures = [image.bbox for image in page.images() if image.bbox.width < 3 * LARGEST]
    squares = _squares(page.drawings(), [*taken, *pictures])
    marks = [mark for square in squares if (mark := _drawn_mark(square, page, near))]
    marks = [mark for mark in marks if mark.on or len(marks) > 1]
    glyphs = _glyph_marks(words, page.spans())
    return [*marks, *(g for g in glyphs if not _overlaps(g.box, [m.box for m in marks]))]


# ── Drawn squares ───────────────────────────────────────────────────────────────────────────────


def _squares(drawings: Sequence[Drawing], taken: Sequence[BBox]) -> list[BBox]:
    """Small empty squares that stand free."""
    found: list[BBox] = []
    for box in (*_rectangles(drawings), *_of_lines(drawings)):
        if not any(_same(box, other) for other in found[-MOST:]):
            found.append(box)
        if len(found) > MOST:
            return []
    found = [box for box in found if not _overlaps(box, taken)]
    return [box for box in found if _stands_free(box, found, drawings)] if found else []


def _is_square(box: BBox) -> bool:
    return (
        SMALLEST <= box.width <= LARGEST
        and SMALLEST <= box.height <= LARGEST
        and 0.8 < box.width / box.height < 1.25
    )


def _rectangles(drawings: Sequence[Drawing]) -> Iterator[BBox]:
    for drawing in drawings:
        if (
            drawing.kind == "rect"
            and drawing.stroke is not None
            and not _is_light(drawing.stroke)
            and (drawing.fill is None or _is_light(drawing.fill))
            and _is_square(drawing.bbox)
        ):
            yield drawing.bbox


def _of_lines(drawings: Sequence[Drawing]) -> Iterator[BBox]:
    """Squares of four lines."""
    flat: list[BBox] = []
    upright: list[BBox] = []
    for drawing in drawings:
        box = drawing.bbox
        if drawing.kind == "curve" or not SMALLEST <= max(box.width, box.height) <= LARGEST + 1:
            continue
        if min(box.width, box.height) <= 1.2 and len(flat) + len(upright) < 4 * MOST:
            (flat if box.width > box.height else upright).append(box)
    for top in flat:
        for bottom in flat:
            if abs(top.x0 - bottom.x0) > 1.0 or not SMALLEST <= bottom.y0 - top.y0 <= LARGEST:
                continue
            square = BBox(min(top.x0, bottom.x0), top.y0, max(top.x1, bottom.x1), bottom.y1)
            if _is_square(square) and all(
                _is_drawn(upright, square, x) for x in (square.x0, square.x1)
            ):
                yield square


def _is_drawn(upright: Sequence[BBox], square: BBox, x: float) -> bool:
    """Whether a line makes the side of a square at `x`."""
    return any(
        abs(line.center[0] - x) < 1.2 and line.y_overlap(square) > 0.85 * square.height
        for line in upright
    )


def _stands_free(box: BBox, squares: Sequence[BBox], drawings: Sequence[Drawing]) -> bool:
    """Whether a square is no cell of a grid, no letter's place and no part of a longer rule."""
    grown = box.expand(1.0)
    if any(other is not box and grown.intersection(other) > 0 for other in squares):
        return False
    return not any(
        max(drawing.bbox.width, drawing.bbox.height) > 1.6 * LARGEST
        and drawing.kind != "curve"
        and _edge_on(drawing.bbox, box)
        for drawing in drawings
    )


def _edge_on(rule: BBox, box: BBox) -> bool:
    """Whether an edge of a larger shape runs along an edge of the box."""
    along_x = rule.x_overlap(box) > 0.5 * box.width
    along_y = rule.y_overlap(box) > 0.5 * box.height
    return (
        along_x and any(abs(a - b) < 0.8 for a in (rule.y0, rule.y1) for b in (box.y0, box.y1))
    ) or (along_y and any(abs(a - b) < 0.8 for a in (rule.x0, rule.x1) for b in (box.x0, box.x1)))


def _drawn_mark(square: BBox, page: PageView, near: Nearby) -> Mark | None:
    inside = near.inside(square)
    if any(len(word.text) > 1 or not _is_tick(word, page.spans()) for word in inside):
        return None
    if not near.beside(square, inside):
        return None
    on = bool(inside) or any(_marks(drawing, square) for drawing in page.drawings())
    return Mark(square, on, tuple(inside))


def _is_tick(word: Word, spans: Sequence[TextSpan]) -> bool:
    if word.text in _TICKS:
        return True
    return word.text in _DING_TICKS and any(
        _SYMBOL_FONT.search(span.font) and span.bbox.contains_point(*word.bbox.center)
        for span in spans
    )


def _marks(drawing: Drawing, square: BBox) -> bool:
    """Whether a path is a cross, a tick or a fill in the square rather than its outline."""
    box = drawing.bbox
    if not square.contains_point(*box.center) or max(box.width, box.height) > 1.8 * square.width:
        return False
    if drawing.kind == "rect":
        ink = drawing.fill if drawing.fill is not None else drawing.stroke
        smaller = box.width < 0.9 * square.width and box.height < 0.9 * square.height
        return smaller and ink is not None and not _is_light(ink) and box.area > 0.1 * square.area
    slanted = min(box.width, box.height) > 0.2 * square.width
    ink = drawing.stroke if drawing.stroke is not None else drawing.fill
    return slanted and ink is not None and not _is_light(ink)


def _is_light(color: int) -> bool:
    return min(color >> 16, color >> 8 & 0xFF, color & 0xFF) >= _LIGHT


def _same(one: BBox, other: BBox) -> bool:
    return one.contains(other, 1.5) and other.contains(one, 1.5)


def _overlaps(box: BBox, others: Sequence[BBox]) -> bool:
    return any(box.intersection(other) > 0.2 * box.area for other in others)


# ── Glyphs ──────────────────────────────────────────────────────────────────────────────────────


def _glyph_marks(words: Sequence[Word], spans: Sequence[TextSpan]) -> list[Mark]:
    symbols = [span for span in spans if _SYMBOL_FONT.search(span.font)]
    sure: list[Mark] = []
    unsure: list[Mark] = []
    for word in words:
        char = word.text[0]
        if char in _SURE:
            sure.append(Mark(_glyph_box(word), _SURE[char], (word,)))
        elif char in _UNSURE:
            unsure.append(Mark(_glyph_box(word), _UNSURE[char], (word,)))
        elif char in _WINGDINGS and len(word.text) == 1 and _is_wingding(word, symbols):
            group = sure if _WINGDINGS[char] else unsure
            group.append(Mark(word.bbox, _WINGDINGS[char], (word,)))
    return sure + _used_as_boxes(unsure, bool(sure))


def _is_wingding(word: Word, symbols: Sequence[TextSpan]) -> bool:
    return any(
        "wingding" in span.font.lower() and span.bbox.contains_point(*word.bbox.center)
        for span in symbols
    )


def _glyph_box(word: Word) -> BBox:
    """The place of the first character: box glyphs are about as wide as their font is large."""
    box = word.bbox
    width = box.width if len(word.text) == 1 else min(0.8 * box.height, box.width / 2)
    return BBox(box.x0, box.y0, box.x0 + width, box.y1)


def _used_as_boxes(marks: list[Mark], others: bool) -> list[Mark]:
    """Glyphs that are no bullets: several stand on one row, or others are marked."""
    rows = Counter(round(mark.box.center[1]) for mark in marks)
    empty = [mark for mark in marks if not mark.on]
    if not empty:
        return []
    several = any(count > 1 for count in rows.values())
    return marks if several or (others and len(empty) == len(marks)) else []
