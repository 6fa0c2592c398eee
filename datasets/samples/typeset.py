"""A small typesetter for the sample documents: justified columns, tables, running heads.

Sizes and places are in points from the top left. In texts, `\u00ad` (soft hyphen) is a place where
a word may break, and `word^1` sets a raised footnote mark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import pymupdf

FontName = Literal["serif", "serif-bold", "serif-italic", "sans", "sans-bold", "mono", "mono-bold"]
Align = Literal["left", "right", "center", "justify"]
Color = tuple[float, float, float]

BLACK: Color = (0, 0, 0)
GREY: Color = (0.4, 0.4, 0.4)
INK: Color = (0.10, 0.15, 0.45)
_BASE: dict[FontName, str] = {
    "serif": "tiro",
    "serif-bold": "tibo",
    "serif-italic": "tiit",
    "sans": "helv",
    "sans-bold": "hebo",
    "mono": "cour",
    "mono-bold": "cobo",
}
SOFT_HYPHEN = "\u00ad"
RAISED = 0.65  # size of a footnote mark in font sizes
_MARK = re.compile(r"\^\S+")


@cache
def font(name: FontName) -> pymupdf.Font:
    return pymupdf.Font(_BASE[name])


@cache
def _advance(name: FontName, char: str) -> float:
    """The width of a character in font sizes."""
    return float(font(name).text_length(char, 1))


class Style(NamedTuple):
    """How text is set; `leading` is the distance of baselines in font sizes."""

    font: FontName = "serif"
    size: float = 10
    color: Color = BLACK
    align: Align = "left"
    leading: float = 1.25

    @property
    def line_height(self) -> float:
        return self.size * self.leading

    def width(self, text: str) -> float:
        plain = sum(_advance(self.font, char) for char in _MARK.sub("", text))
        marks = "".join(_MARK.findall(text)).replace("^", "") if "^" in text else ""
        return self.size * (plain + RAISED * sum(_advance(self.font, char) for char in marks))


class Line(NamedTuple):
    words: list[str]
    last: bool  # of its paragraph: not justified


def break_lines(text: str, style: Style, width: float) -> list[Line]:
    """`text` in lines of at most `width`, broken at blanks, soft hyphens and line feeds."""
    lines: list[Line] = []
    for paragraph in text.split("\n"):
        current: list[str] = []
        for word in paragraph.split():
            plain = word.replace(SOFT_HYPHEN, "")
            if not current or style.width(" ".join([*current, plain])) <= width:
                current.append(plain)
                continue
            head, tail = _split(word, style, width - style.width(" ".join([*current, ""])))
            lines.append(Line([*current, head] if head else current, False))
            current = [tail.replace(SOFT_HYPHEN, "") if head else plain]
        lines.append(Line(current, True))
    return lines


def _split(word: str, style: Style, room: float) -> tuple[str, str]:
    """The longest start of a word with a hyphen that fits, and the rest."""
    parts = word.split(SOFT_HYPHEN)
    for count in range(len(parts) - 1, 0, -1):
        head = "".join(parts[:count]) + "-"
        if style.width(head) <= room:
            return head, SOFT_HYPHEN.join(parts[count:])
    return "", ""


class Sheet:
    """One page to write and draw on. Text is put down in runs of one colour: call `flush` at the
    end."""

    def __init__(self, page: pymupdf.Page) -> None:
        self.page = page
        self.writer = pymupdf.TextWriter(page.rect)
        self.color = BLACK

    def flush(self) -> None:
        self.writer.write_text(self.page, color=self.color)
        self.writer = pymupdf.TextWriter(self.page.rect)

    def text(self, x: float, y: float, text: str, style: Style, width: float = 0) -> None:
        """One line with its baseline at `y`; `width` is what right and centred text refers to."""
        free = width - style.width(text)
        x += {"right": free, "center": free / 2}.get(style.align, 0)
        self._append(x, y, text, style)

    def _append(self, x: float, y: float, text: str, style: Style) -> None:
        if style.color != self.color:
            self.flush()
            self.color = style.color
        plain, _, mark = text.partition("^")
        self.writer.append((x, y), plain, font=font(style.font), fontsize=style.size)
        if mark:
            x += style.width(plain)
            raised, size = y - 0.35 * style.size, RAISED * style.size
            self.writer.append((x, raised), mark, font=font(style.font), fontsize=size)

    def lines(self, x: float, y: float, lines: Sequence[Line], style: Style, width: float) -> float:
        """Lines from the top `y` downwards; returns the bottom."""
        for line in lines:
            baseline = y + style.size + (style.line_height - style.size) / 2 - 0.15 * style.size
            if style.align == "justify" and not line.last and len(line.words) > 1:
                self._justified(x, baseline, line.words, style, width)
            else:
                self._marked(x, baseline, line.words, style, width)
            y += style.line_height
        return y

    def paragraph(self, x: float, y: float, text: str, style: Style, width: float) -> float:
        return self.lines(x, y, break_lines(text, style, width), style, width)

    def _justified(self, x: float, y: float, words: list[str], style: Style, width: float) -> None:
        gap = (width - sum(style.width(word) for word in words)) / (len(words) - 1)
        self._spaced(x, y, words, style, gap)

    def _marked(self, x: float, y: float, words: list[str], style: Style, width: float) -> None:
        if any("^" in word for word in words):
            self._spaced(x, y, words, style, style.width(" "))
        elif words:
            self.text(x, y, " ".join(words), style, width)

    def _spaced(self, x: float, y: float, words: list[str], style: Style, gap: float) -> None:
        for place, word in enumerate(words, start=1):
            follows = place < len(words) and "^" not in word
            self._append(x, y, f"{word} " if follows else word, style)
            x += style.width(word) + gap

    def rule(
        self, x0: float, y: float, x1: float, width: float = 0.6, color: Color = BLACK
    ) -> None:
        self.page.draw_line((x0, y), (x1, y), color=color, width=width)

    def line(self, points: Sequence[tuple[float, float]], width: float, color: Color) -> None:
        self.page.draw_polyline([pymupdf.Point(*point) for point in points], color, width=width)

    def rect(
        self,
        box: tuple[float, float, float, float],
        *,
        fill: Color | None = None,
        color: Color | None = None,
        width: float = 0.6,
    ) -> None:
        self.page.draw_rect(box, color=color, fill=fill, width=width)

    def signature(self, x: float, y: float) -> None:
        """A scribble in ink, about 130 points wide."""
        strokes = [
            [(0, -12), (30, -26), (52, -18), (14, 8)],
            [(14, 8), (26, -34), (44, -8), (34, 4)],
            [(34, 4), (58, -22), (52, 12), (74, -6)],
            [(74, -6), (86, -12), (92, 4), (128, -10)],
        ]
        for stroke in strokes:
            points = [pymupdf.Point(x + dx, y + dy) for dx, dy in stroke]
            self.page.draw_bezier(*points, color=INK, width=1.3)
