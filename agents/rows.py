"""Rows of figures whose labels, or years over their columns, are not in the table itself.

Labels with leaders to their figures ("Total assets ........ $ 59,268") are often set as text beside
the table of the figures.
"""

from __future__ import annotations

import re

import msgspec

from docpipe.agents.passages import CellRange, Passage
from docpipe.content import locate
from docpipe.records import Page, Word

_LEADERS = re.compile(r"[\s.…_]+$")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LETTER = re.compile(r"[^\W\d_]")
_SAME_LINE = 3.0  # points


def labelled(row: Passage) -> Passage:
    """A row with the words at its left as its first cell, where its own first cell is a figure."""
    if _LETTER.search(row.cells[0].text):
        return row
    regions = locate(row.content.document, row.block, row.start, row.end)
    if not regions or regions[0].page != row.content.page.number:
        return row
    box = min((region.bbox for region in regions), key=lambda box: box.x0)
    beside = [
        word
        for word in row.content.page.words
        if word.bbox.x1 <= box.x0 + 1 and word.bbox.y_overlap(box) > 0
    ]
    nearest = min(beside, key=lambda word: abs(word.bbox.center[1] - box.center[1]), default=None)
    line = [word for word in beside if nearest and _beside(word, nearest)]
    text = " ".join(word.text for word in sorted(line, key=lambda word: word.bbox.x0))
    label = _LEADERS.sub("", text)
    if not _LETTER.search(label):
        return row
    key = CellRange(row.start, row.start, label, "")
    return msgspec.structs.replace(row, cells=(key, *row.cells))


def years_over(page: Page) -> list[str]:
    """The years that stand side by side highest on a page, from left to right."""
    found = [word for word in page.words if _YEAR.search(word.text)]
    for first in sorted(found, key=lambda word: word.bbox.y0):
        line = [word for word in found if _beside(word, first)]
        years = [
            year
            for word in sorted(line, key=lambda word: word.bbox.x0)
            for year in _YEAR.findall(word.text)
        ]
        if len(set(years)) > 1:
            return list(dict.fromkeys(years))
    return []


def _beside(word: Word, other: Word) -> bool:
    return abs(word.bbox.center[1] - other.bbox.center[1]) < _SAME_LINE
