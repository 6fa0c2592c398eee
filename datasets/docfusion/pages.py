"""Synthetic pages: columns of paragraphs, tables, formulas and pictures, with exact boxes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from docpipe.datasets.docfusion.crops import stacked
from docpipe.datasets.docfusion.fonts import can_set
from docpipe.datasets.docfusion.formulas import formula_ink, pooled
from docpipe.datasets.docfusion.ink import Gray, LineStyle, bounds, line_width, set_line, shrink
from docpipe.datasets.docfusion.profiles import Profile
from docpipe.datasets.docfusion.samples import LayoutBox, top_down
from docpipe.datasets.docfusion.tables import draw_grid, draw_table, draw_table_style
from docpipe.datasets.docfusion.text import numbers, passages, running
from docpipe.datasets.docfusion.wear import draw_wear, worn
from docpipe.geometry import BBox

_SHAPES = ((595, 842), (612, 792), (595, 842), (842, 595))  # points: A4, letter, A4 across
_FORMULA_LENGTH = 90
_MEASURE = "The quick brown fox, running over 12 lazy dogs"


class Look(NamedTuple):
    """How a page is set; lengths in pixels, `size` of body text per em."""

    width: int
    height: int
    margin: int
    columns: int
    gutter: int
    size: float
    leading: float
    font: str
    bold: str
    profile: Profile


class Piece(NamedTuple):
    """Ink to place, what it is called, and the space after it; `label` None is not labelled."""

    ink: Gray
    label: str | None
    after: float
    centred: bool = False
    number: Gray | None = None


class _Sheet:
    """A page being filled."""

    def __init__(self, look: Look) -> None:
        self.ink = np.zeros((look.height, look.width), np.uint8)
        self.boxes: list[LayoutBox] = []

    def place(self, ink: Gray, x: int, y: int, label: str | None) -> None:
        """Put the ink there and note the box of what is visible of it."""
        place = self.ink[y : y + ink.shape[0], x : x + ink.shape[1]]
        part = ink[: place.shape[0], : place.shape[1]]
        np.maximum(place, part, out=place)
        box = bounds(part)
        if label is not None and box is not None:
            x0, y0, x1, y1 = box
            self.boxes.append(LayoutBox(label, BBox.of(x + x0, y + y0, x + x1, y + y1)))


def page(chance: random.Random, profile: Profile) -> tuple[Gray, tuple[LayoutBox, ...]]:
    """An image of a page, and what stands on it from top to bottom."""
    look = draw_look(chance, profile)
    sheet = _Sheet(look)
    top, bottom = _furniture(chance, look, sheet)
    if chance.random() < 0.4:
        title = _text(chance, look, "Title", look.width - 2 * look.margin, size=1.9, lines=2)
        sheet.place(title.ink, look.margin, top, "Title")
        top += title.ink.shape[0] + round(look.leading)
    width = _column_width(look)
    for column in range(look.columns):
        x = look.margin + column * (width + look.gutter)
        _fill(chance, look, sheet, x, top, bottom)
    return worn(sheet.ink, draw_wear(chance, profile)), top_down(sheet.boxes)


def draw_look(chance: random.Random, profile: Profile) -> Look:
    """Pages are drawn at 50 to 100 dpi: models see them small."""
    dpi = chance.uniform(50, 100)
    width, height = (round(side * dpi / 72) for side in chance.choice(_SHAPES))
    size = chance.uniform(8.5, 12) * dpi / 72
    plain = [font for font in profile.fonts if can_set(font, "|")]
    columns = 1 if chance.random() < 0.55 else 2
    return Look(
        width=width,
        height=height,
        margin=round(chance.uniform(0.06, 0.14) * width),
        columns=columns,
        gutter=round(chance.uniform(1.2, 2.5) * size),
        size=size,
        leading=chance.uniform(1.1, 1.5) * size,
        font=chance.choice(plain),
        bold=chance.choice(plain),
        profile=profile,
    )


def _furniture(chance: random.Random, look: Look, sheet: _Sheet) -> tuple[int, int]:
    """Set running header and footer; the top and bottom of what is left."""
    top, bottom = look.margin, look.height - look.margin
    line = round(look.leading)
    if chance.random() < 0.5:
        header = _text(chance, look, "Header", look.width // 2, size=0.85, lines=1)
        side = chance.choice((look.margin, look.width - look.margin - header.ink.shape[1]))
        sheet.place(header.ink, max(side, 0), max(top - 2 * line, 0), "Header")
    if chance.random() < 0.6:
        shown = chance.choice((str(chance.randint(1, 400)), f"Page {chance.randint(1, 99)}"))
        footer = set_line(shown, LineStyle(look.font, look.size * 0.9))
        x = chance.choice((look.margin, look.width // 2, look.width - look.margin - 3 * line))
        sheet.place(footer, x, min(bottom + line // 2, look.height - 2 * line), "Footer")
    if chance.random() < 0.25:
        note = _text(chance, look, "Footnote", _column_width(look), size=0.8, lines=3)
        bottom -= note.ink.shape[0] + line
        sheet.place(note.ink, look.margin, bottom + line // 2, "Footnote")
    return top, bottom


def _fill(chance: random.Random, look: Look, sheet: _Sheet, x: int, top: int, bottom: int) -> None:
    """Set pieces below one another until one does not fit; some columns end early."""
    width, y = _column_width(look), float(top)
    if chance.random() < 0.2:
        bottom = round(top + (bottom - top) * chance.uniform(0.3, 0.9))
    while True:
        group = list(_group(chance, look, width))
        height = sum(piece.ink.shape[0] + piece.after for piece in group)
        if y + height - group[-1].after > bottom:
            return
        for piece in group:
            left = x + ((width - piece.ink.shape[1]) // 2 if piece.centred else 0)
            sheet.place(piece.ink, max(left, 0), round(y), piece.label)
            if piece.number is not None:
                middle = round(y) + (piece.ink.shape[0] - piece.number.shape[0]) // 2
                sheet.place(piece.number, x + width - piece.number.shape[1], max(middle, 0), None)
            y += piece.ink.shape[0] + piece.after


def _group(chance: random.Random, look: Look, width: int) -> Iterator[Piece]:
    """Pieces that belong together: a paragraph, a table and its caption, …"""
    kinds: dict[Callable[[random.Random, Look, int], Iterator[Piece]], float] = {
        _paragraph: 8,
        _section: 2,
        _items: 1.2,
        _table: 1.2,
        _picture: 1.0,
        _formula: 1.5,
    }
    make = chance.choices(list(kinds), list(kinds.values()))[0]
    return make(chance, look, width)


def _paragraph(chance: random.Random, look: Look, width: int) -> Iterator[Piece]:
    yield _text(chance, look, "Text", width, lines=chance.randint(2, 10))


def _section(chance: random.Random, look: Look, width: int) -> Iterator[Piece]:
    yield _text(chance, look, "Section", width, size=chance.uniform(1.0, 1.4), lines=1)


def _items(chance: random.Random, look: Look, width: int) -> Iterator[Piece]:
    mark = chance.choice(("•", "-", "1."))
    for number in range(chance.randint(2, 5)):
        shown = f"{number + 1}." if mark == "1." else mark
        yield _text(chance, look, "List", width, lines=chance.randint(1, 3), mark=shown)


def _table(chance: random.Random, look: Look, width: int) -> Iterator[Piece]:
    grid = draw_grid(chance, look.profile, chance.randint(3, 8), chance.randint(2, 6))
    style = draw_table_style(chance, look.profile, grid)
    ink = draw_table(grid, style).ink
    scale = min(1.0, width / ink.shape[1], look.size * 1.1 / style.line.size)
    ink = shrink(ink, max(1, int(ink.shape[1] * scale)), max(1, int(ink.shape[0] * scale)))
    table = Piece(ink, "Table", look.leading * 0.8, centred=True)
    caption = _text(chance, look, "Cap", width, size=0.9, lines=2)
    yield from (caption, table) if chance.random() < 0.6 else (table, caption)


def _picture(chance: random.Random, look: Look, width: int) -> Iterator[Piece]:
    shape = (round(width * chance.uniform(0.3, 0.7)), round(width * chance.uniform(0.5, 1.0)))
    yield Piece(_drawing(chance, look, *shape), "Picture", look.leading * 0.7, centred=True)
    if chance.random() < 0.8:
        yield _text(chance, look, "Cap", width, size=0.9, lines=2)


def _formula(chance: random.Random, look: Look, width: int) -> Iterator[Piece]:
    """A formula; its number, where it has one, is no part of the box."""
    pool = chance.randrange(look.profile.formula_pool)
    latex = pooled(pool, look.profile, _FORMULA_LENGTH)
    full = formula_ink(latex, look.profile.math_fonts[pool % len(look.profile.math_fonts)])
    scale = min(look.size / 55, 0.8 * width / full.shape[1])
    ink = shrink(full, max(1, int(full.shape[1] * scale)), max(1, int(full.shape[0] * scale)))
    shown = set_line(f"({chance.randint(1, 99)})", LineStyle(look.font, look.size))
    number = shown if chance.random() < 0.5 else None
    yield Piece(ink, "Math", look.leading, centred=True, number=number)


def _text(
    chance: random.Random,
    look: Look,
    label: str,
    width: int,
    *,
    size: float = 1.0,
    lines: int,
    mark: str = "",
) -> Piece:
    """Up to `lines` lines of running text that fill the width, as a piece."""
    bold = label in ("Title", "Section")
    style = LineStyle(look.bold if bold else look.font, look.size * size)
    leading = look.leading * size
    per_character = line_width(_MEASURE, style) / len(_MEASURE)
    room = max(4, int((width - 1.5 * leading * bool(mark)) / per_character * 0.95))
    shown = _broken(chance, look.profile, room, lines, single=label in ("Section", "Header"))
    if label == "Cap":
        shown[0] = (
            f"{chance.choice(('Table', 'Figure', 'Fig.'))} {chance.randint(1, 30)}: {shown[0]}"
        )
    elif label == "Section" and chance.random() < 0.5:
        shown[0] = f"{chance.randint(1, 9)}.{chance.randint(1, 9)} {shown[0]}"
    rows = [set_line(row, style) for row in shown]
    ink = stacked([_cut(row, width) for row in rows], leading)
    if mark:
        indent = np.pad(ink, ((0, 0), (round(1.5 * leading), 0)))
        ink = stacked([indent, set_line(mark, style)], 0.0)
    after = look.leading * {"List": 0.1, "Section": 0.3}.get(label, 0.6)
    return Piece(_cut(ink, width), label, after)


def _broken(
    chance: random.Random, profile: Profile, room: int, lines: int, *, single: bool
) -> list[str]:
    """Running text in lines of at most `room` characters; the last one is shorter."""
    if single:
        return [running(chance, profile.split, min(room, 40))]
    words: list[str] = []
    while sum(map(len, words)) < room * lines:
        words += chance.choice(passages(profile.split)).split()
        if chance.random() < 0.1:
            words.append(numbers(chance, 10))
    found, line = list[str](), ""
    for word in words:
        if line and len(line) + 1 + len(word) > room:
            found.append(line)
            line = ""
        line = f"{line} {word}".strip()
    kept = found[:lines] or [line[:room]]
    if len(kept) > 1:
        kept[-1] = kept[-1][: chance.randint(3, room)].rstrip() or kept[-1]
    return kept


def _drawing(chance: random.Random, look: Look, height: int, width: int) -> Gray:
    """A chart of bars or a curve in its axes, or a grey photograph."""
    ink = np.zeros((max(height, 12), max(width, 12)), np.uint8)
    height, width = ink.shape
    kind = chance.choice(("bars", "curve", "photo"))
    if kind == "photo":
        draw = np.random.default_rng(chance.getrandbits(32))
        coarse = draw.integers(40, 230, (chance.randint(3, 9), chance.randint(3, 9)))
        return shrink(coarse.astype(np.uint8), width, height)
    ink[:, :1] = ink[-1:, :] = 200
    count = chance.randint(3, 12)
    for number in range(count):
        left, right = width * number // count + 2, width * (number + 1) // count - 2
        tall = round(height * chance.uniform(0.1, 0.9))
        if kind == "bars":
            ink[height - tall :, left:right] = chance.randint(80, 255)
        else:
            ink[height - tall : height - tall + 2, left : right + 4] = 230
    label = set_line(numbers(chance, 8), LineStyle(look.font, look.size * 0.7))
    return stacked([ink, _cut(label, width)], float(height))


def _cut(ink: Gray, width: int) -> Gray:
    return ink[:, : max(width, 1)]


def _column_width(look: Look) -> int:
    body = look.width - 2 * look.margin
    return (body - (look.columns - 1) * look.gutter) // look.columns
