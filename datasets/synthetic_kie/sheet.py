"""A page as it is typeset: runs of text with their labels, and lines and boxes around them.

Sizes and places are in points from the top left. The same sheet is read as labelled entities, cut
as docpipe's parser cuts the words of a PDF, and is drawn as a PDF.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal, NamedTuple

import pymupdf

from docpipe.datasets.kie import OTHER, KieEntity, KiePage
from docpipe.geometry import BBox

Family = Literal["sans", "serif", "mono"]
Align = Literal["left", "right", "center"]
Color = tuple[float, float, float]
Links = tuple[tuple[int, int], ...]

BLACK: Color = (0, 0, 0)
GREY: Color = (0.4, 0.4, 0.4)
# docpipe's parser starts a new entity where a gap is wider than this many line heights.
WIDEST_SPACE = 1.0
# What gives way where an entity holds a value, too.
_KEYS = ("question", "header", "tax_rate")
_FORM = ("question", "answer", "header")
_FONTS: dict[tuple[Family, bool], str] = {
    ("sans", False): "helv",
    ("sans", True): "hebo",
    ("serif", False): "tiro",
    ("serif", True): "tibo",
    ("mono", False): "cour",
    ("mono", True): "cobo",
}


@cache
def font(family: Family, bold: bool) -> pymupdf.Font:
    return pymupdf.Font(_FONTS[family, bold])


@cache
def _word_width(family: Family, bold: bool, word: str) -> float:
    return float(font(family, bold).text_length(word, 1))


class Style(NamedTuple):
    """How text is set; `leading` is the distance of baselines in font sizes."""

    family: Family = "sans"
    size: float = 9
    bold: bool = False
    color: Color = BLACK
    leading: float = 1.3

    @property
    def line(self) -> float:
        return self.size * self.leading

    def width(self, text: str) -> float:
        words = text.split(" ")
        blank = _word_width(self.family, self.bold, " ")
        total = sum(_word_width(self.family, self.bold, word) for word in words)
        return self.size * (total + blank * (len(words) - 1))

    def bolder(self) -> Style:
        return self._replace(bold=True)

    def scaled(self, factor: float) -> Style:
        return self._replace(size=round(self.size * factor, 1))


def wrap(text: str, style: Style, width: float) -> list[str]:
    """`text` in lines of at most `width`, broken at blanks; a longer word stands alone."""
    lines: list[str] = []
    current = ""
    for word in text.split():
        longer = f"{current} {word}" if current else word
        if current and style.width(longer) > width:
            lines.append(current)
            current = word
        else:
            current = longer
    return [*lines, current] if current else lines


class Mark(NamedTuple):
    """What a text is: its field, fields it would be as right for, and its number for links."""

    label: str = OTHER
    also: tuple[str, ...] = ()
    number: int = -1


PLAIN = Mark()


class Run(NamedTuple):
    """A text with its baseline at `y`; runs of different `cell` are never one entity."""

    x: float
    y: float
    text: str
    style: Style
    mark: Mark = PLAIN
    cell: int = 0

    @property
    def x1(self) -> float:
        return self.x + self.style.width(self.text)


class Shape(NamedTuple):
    """A line from one corner to the other, or a box (`kind`), drawn or filled."""

    kind: Literal["line", "box", "fill", "oval"]
    box: tuple[float, float, float, float]
    color: Color = BLACK
    width: float = 0.6


class Sheet:
    """One page to write and draw on.

    `ascent` and `descent` say how far boxes reach from the baseline, in font sizes: None for the
    font's own, as in PDFs; OCR gives boxes that are tighter.
    """

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.runs: list[Run] = []
        self.shapes: list[Shape] = []
        self.links: list[tuple[int, int]] = []
        self.ascent: float | None = None
        self.descent = 0.2
        self._cell = 0
        self._number = 0

    def text(
        self,
        x: float,
        y: float,
        text: str,
        style: Style,
        mark: Mark | str = PLAIN,
        *,
        align: Align = "left",
        width: float = 0,
        cell: int = 0,
    ) -> float:
        """One line with its baseline at `y`; `width` is what right and centred text refers to.

        Returns where the text ends.
        """
        text = " ".join(text.split())
        if not text:
            return x
        free = width - style.width(text)
        x += {"right": free, "center": free / 2, "left": 0.0}[align]
        run = Run(x, y, text, style, Mark(mark) if isinstance(mark, str) else mark, cell)
        self.runs.append(run)
        return run.x1

    def lines(
        self,
        x: float,
        y: float,
        lines: Iterable[tuple[str, Mark | str]],
        style: Style,
        *,
        align: Align = "left",
        width: float = 0,
        cell: int = 0,
    ) -> float:
        """Lines one below the other from the top `y`; returns their bottom."""
        for text, mark in lines:
            self.text(x, y + style.size, text, style, mark, align=align, width=width, cell=cell)
            y += style.line
        return y

    def paragraph(
        self,
        x: float,
        y: float,
        text: str,
        style: Style,
        width: float,
        mark: Mark | str = PLAIN,
        align: Align = "left",
        cell: int = 0,
    ) -> float:
        """A text broken into lines; returns its bottom."""
        lines = [(line, mark) for line in wrap(text, style, width)]
        return self.lines(x, y, lines, style, align=align, width=width, cell=cell)

    def next_cell(self) -> int:
        """The number of a new cell."""
        self._cell += 1
        return self._cell

    def next_number(self) -> int:
        """The number of a new text that links name."""
        self._number += 1
        return self._number

    def rule(
        self, x0: float, y: float, x1: float, width: float = 0.6, color: Color = BLACK
    ) -> None:
        self.shapes.append(Shape("line", (x0, y, x1, y), color, width))

    def upright(self, x: float, y0: float, y1: float, width: float = 0.6) -> None:
        self.shapes.append(Shape("line", (x, y0, x, y1), BLACK, width))

    def box(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.6) -> None:
        self.shapes.append(Shape("box", (x0, y0, x1, y1), BLACK, width))

    def fill(self, x0: float, y0: float, x1: float, y1: float, color: Color) -> None:
        self.shapes.append(Shape("fill", (x0, y0, x1, y1), color))

    def bottom(self) -> float:
        """Where the lowest text ends."""
        return max((run.y + 0.3 * run.style.size for run in self.runs), default=0.0)

    def page(self) -> KiePage:
        """The sheet as labelled entities, from top to bottom."""
        groups = _entities(self.runs)
        numbers = {
            run.mark.number: at
            for at, group in enumerate(groups)
            for run in group
            if run.mark.number >= 0
        }
        links = [
            (numbers[start], numbers[end])
            for start, end in self.links
            if start in numbers and end in numbers and numbers[start] != numbers[end]
        ]
        return KiePage(
            self.width, self.height, tuple(map(self._entity, groups)), tuple(dict.fromkeys(links))
        )

    def _entity(self, group: Sequence[Run]) -> KieEntity:
        marks = [run.mark for run in group]
        values = [mark for mark in marks if mark.label not in (OTHER, *_KEYS)]
        keys = [mark for mark in marks if mark.label in _KEYS]
        mark = (values or keys or marks)[0]
        named = [mark.label for mark in values + keys if mark.label not in _FORM]
        also = tuple(dict.fromkeys([*mark.also, *(name for name in named if name != mark.label)]))
        mark = mark._replace(also=also)
        boxes = [self._box(run) for run in group]
        box = BBox.of(
            min(box[0] for box in boxes),
            min(box[1] for box in boxes),
            max(box[2] for box in boxes),
            max(box[3] for box in boxes),
        )
        return KieEntity(" ".join(run.text for run in group), box, mark.label, mark.also)

    def _box(self, run: Run) -> tuple[float, float, float, float]:
        size = run.style.size
        if self.ascent is None:
            face = font(run.style.family, run.style.bold)
            ascent, descent = _extent(face)
        else:
            ascent, descent = self.ascent, self.descent
        return run.x, run.y - ascent * size, run.x1, run.y + descent * size


def _extent(face: pymupdf.Font) -> tuple[float, float]:
    """How far boxes of a font reach above and below its baseline, at least one size in all."""
    ascent, descent = face.ascender, -face.descender
    if ascent + descent < 1:
        return ascent / (ascent + descent), descent / (ascent + descent)
    return ascent, descent


def _entities(runs: Iterable[Run]) -> list[list[Run]]:
    """Runs that a reader of words takes for one: on one line, of one cell, close together."""
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda run: run.y):
        row = rows[-1] if rows else None
        if row is not None and run.y - row[0].y < 0.4 * min(run.style.size, row[0].style.size):
            row.append(run)
        else:
            rows.append([run])
    groups: list[list[Run]] = []
    for row in rows:
        row.sort(key=lambda run: run.x)
        groups.append([row[0]])
        for run in row[1:]:
            last = groups[-1][-1]
            gap = run.x - last.x1
            height = max(last.style.size, run.style.size) * 1.37
            if run.cell == last.cell and gap <= WIDEST_SPACE * height:
                groups[-1].append(run)
            else:
                groups.append([run])
    return groups
