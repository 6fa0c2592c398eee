"""The text of a line from its words: order of reading, blanks, dot leaders."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

from docpipe.geometry import BBox
from docpipe.parsers.native.directions import frame
from docpipe.parsers.native.words import UPRIGHT, StyledWord
from docpipe.records import Word

_SPACED_OUT = 6  # single letters from which a line may be spaced out
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_LTR = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f\d]")
_LEADERS = re.compile(r" ?(?:[.·] ?){5,}")
_LETTER = re.compile(r"[^\W\d_]")


def is_rtl(text: str) -> bool:
    """Whether most letters of a text are Hebrew or Arabic."""
    return 2 * len(_RTL.findall(text)) > len(_LETTER.findall(text))


def logical_order(words: Sequence[StyledWord]) -> Sequence[StyledWord]:
    """Words of a line as they are read, from words given left to right: in a line of Hebrew or
    Arabic from the right, but numbers and Latin words among them from the left."""
    if not any(_RTL.search(word.word.text) for word in words):
        return words
    if not is_rtl("".join(word.word.text for word in words)):
        return words
    ordered: list[StyledWord] = []
    latin: list[StyledWord] = []
    for word in reversed(words):
        if _LTR.search(word.word.text):
            latin.insert(0, word)
            continue
        ordered += latin
        latin = []
        ordered.append(word)
    return ordered + latin


def join_words(words: Sequence[Word], direction: tuple[float, float] = UPRIGHT) -> str:
    """The words, in the order they are read, with blanks between those that stand apart.

    Letters that are only spaced out, as in some titles, are put together.
    """
    place = frame(direction)
    boxes = [place(word.bbox) for word in words]
    gaps = [_gap(left, right) for left, right in pairwise(boxes)]
    blank = _letter_spacing(words, boxes, gaps)
    parts = [words[0].text if words else ""]
    for word, left, right, gap in zip(words[1:], boxes, boxes[1:], gaps, strict=False):
        apart = gap > max(blank, 0.01 * min(left.height, right.height))
        parts.append(f" {word.text}" if apart else word.text)
    return _LEADERS.sub(_close_leaders, "".join(parts))


def _letter_spacing(words: Sequence[Word], boxes: Sequence[BBox], gaps: Sequence[float]) -> float:
    """The widest gap between the letters of one word; 0 for text that is not spaced out."""
    letters = sum(len(word.text) == 1 and word.text.isalpha() for word in words)
    if letters < _SPACED_OUT or letters < 0.8 * len(words):
        return 0.0
    usual = statistics.median(gaps)
    return 1.5 * usual if usual < 0.8 * boxes[0].height else 0.0


def _close_leaders(match: re.Match[str]) -> str:
    """Dots that lead the eye, drawn one by one, as a solid row with blanks around it."""
    return f" {match[0].replace(' ', '')} ".lstrip(" " if match.start() == 0 else "")


def _gap(one: BBox, other: BBox) -> float:
    """The distance of boxes on one line, whichever side is read first; negative if they overlap."""
    return max(other.x0 - one.x1, one.x0 - other.x1)
