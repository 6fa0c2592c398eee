"""Words put together to lines and phrases: what tables are read from.

A phrase is a run of words on one line without a wide gap, such as the text of one cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from docpipe.records import Word

PHRASE_GAP = 0.45  # of the line height: a wider gap ends a phrase
PROSE_WORDS = 6  # a phrase of so many words is running text rather than a cell
NUMBER_GAP = 0.33  # the same between two numbers
_NUMBER = re.compile(
    r"[(<>~≈±+−–-]*[$€£¥]?[(+−–-]*\d[\d.,'’]*(?:[eE][+-−]?\d+)?(?:[%‰)*†‡]{1,3}|[^\W\d_]{1,3})?(?:/\d+)?"
)
_EMPTY_MARK = re.compile(r"[-–—−.…*]+|n/?a|N/?A|nil|x|X|\([a-z0-9]\)|:")
_LEADER = re.compile(r"[.·…_‥]{3,}$|(?:\s[.·…]){2,}$")
_TYPED_RULE = re.compile(r"[-_=–—]{5,}")
CURRENCY = frozenset({"$", "€", "£", "¥", "("})
SYMBOLS = CURRENCY | {"%", ")", "*"}
_THOUSANDS = re.compile(r"\d{3}(?:[.,]\d+)?%?")


class Token(NamedTuple):
    """A word and its box, flat for speed."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str

    @property
    def center(self) -> tuple[float, float]:
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2


class Phrase(NamedTuple):
    x0: float
    x1: float
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.tokens)


class Line(NamedTuple):
    """Words side by side; y0 and y1 are those of its tallest word."""

    y0: float
    y1: float
    tokens: tuple[Token, ...]

    @property
    def center(self) -> float:
        return (self.y0 + self.y1) / 2


def tokens_of(words: Iterable[Word]) -> list[Token]:
    """Words as tokens, without blanks and without the dots that lead from a label to its value."""
    tokens: list[Token] = []
    for word in words:
        box, text = word.bbox, word.text
        if not text.strip() or box.x1 <= box.x0 or _TYPED_RULE.fullmatch(text):
            continue
        stem = _LEADER.sub("", text)
        x1 = box.x1
        if stem != text and len(text) > 3:
            if not stem:
                continue
            dots = len(text) - len(stem)
            x1 = box.x0 + box.width * len(stem) / (len(stem) + 0.5 * dots)
        tokens.append(Token(box.x0, box.y0, x1, box.y1, stem or text))
    return _without_dots(tokens)


def _without_dots(tokens: list[Token]) -> list[Token]:
    """Drop leaders set as single dots: three or more dot words one after another."""
    kept: list[Token] = []
    dots: list[Token] = []
    for token in [*tokens, None]:
        if token and not token.text.strip(".·…‥"):
            dots.append(token)
            continue
        if sum(len(dot.text) for dot in dots) < 3:
            kept += dots
        dots = []
        if token:
            kept.append(token)
    return kept


def lines_of(tokens: Iterable[Token]) -> list[Line]:
    """Tokens grouped to lines, top to bottom, each left to right."""
    groups: list[list[Token]] = []
    tallest: list[Token] = []
    for token in sorted(tokens, key=lambda token: (token.y0 + token.y1, token.x0)):
        if groups:
            lead = tallest[-1]
            height = max(lead.y1 - lead.y0, token.y1 - token.y0)
            if abs(token.y0 + token.y1 - lead.y0 - lead.y1) <= 0.9 * height:
                groups[-1].append(token)
                if token.y1 - token.y0 > lead.y1 - lead.y0:
                    tallest[-1] = token
                continue
        groups.append([token])
        tallest.append(token)
    return [
        Line(lead.y0, lead.y1, tuple(sorted(group)))
        for group, lead in zip(groups, tallest, strict=True)
    ]


def phrases_of(line: Line, height: float, gap: float = PHRASE_GAP) -> list[Phrase]:
    """The line cut at gaps wider than `gap` line heights (or, set in a typewriter face, than one
    character and a half)."""
    gap = max(gap, _typewriter_gap(line) / height)
    phrases: list[Phrase] = []
    run: list[Token] = []
    end = 0.0
    for token in line.tokens:
        if run and token.x0 - end > _limit(run[-1].text, token.text, gap) * height:
            phrases.append(Phrase(run[0].x0, end, tuple(run)))
            run = []
        end = max(end, token.x1) if run else token.x1
        run.append(token)
    if run:
        phrases.append(Phrase(run[0].x0, end, tuple(run)))
    return phrases


def _typewriter_gap(line: Line) -> float:
    """One and a half characters' width when all characters of the line are equally wide, else 0."""
    widths = [(t.x1 - t.x0) / len(t.text) for t in line.tokens if len(t.text) > 2]
    if len(widths) < 3 or max(widths) - min(widths) > 0.04 * max(widths):
        return 0.0
    return 1.5 * max(widths)


def _limit(left: str, right: str, gap: float) -> float:
    if is_number(left) and is_number(right) and not _THOUSANDS.fullmatch(right):
        return min(gap, NUMBER_GAP)
    return gap


def is_number(text: str) -> bool:
    """Whether a cell's text is a number, an amount, a percentage."""
    return bool(_NUMBER.fullmatch(text.replace(" ", "")))


def is_value(text: str) -> bool:
    """A number, or the mark that stands for a missing one."""
    return is_number(text) or bool(_EMPTY_MARK.fullmatch(text))


def line_height(tokens: Sequence[Token]) -> float:
    """The usual height of a word's box, in points."""
    return median(token.y1 - token.y0 for token in tokens) if tokens else 10.0


def text_of(tokens: Iterable[Token]) -> str:
    """The words of a cell in reading order, lines joined with a blank or at a hyphen."""
    text = ""
    for line in lines_of(tokens):
        part = " ".join(token.text for token in line.tokens)
        if re.search(r"[^\W\d]-$", text) and part[:1].islower():
            text = text[:-1] + part
        else:
            text = f"{text} {part}" if text else part
    return text
