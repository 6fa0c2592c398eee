"""Whether a grid is a table after all: lists, contents and running text look like tables too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from docpipe.parsers.native.tables.grid import Grid, Slot
from docpipe.parsers.native.tables.layout import is_value, text_of

BULLETS = frozenset("•◦▪‣·●■□○➢✓*–—-\uf0b7\uf0a7")
ENUMERATOR = re.compile(r"[•◦▪‣·*–—-]|\(?[0-9ivxa-zA-Z]{1,4}[.)\]]+|\[?\d+\]|\d+(?:\.\d+)+\.?")

_TICK = re.compile(r"-?\d+(?:\.\d+)?")
FEWEST_TICKS = 4
TITLE = 1.25  # of the usual height of words


def is_ruled_table(grid: Grid) -> bool:
    filled = [slot for slot in grid.slots if slot.tokens]
    if _is_contents(grid) or _is_bulleted(grid) or is_chart(grid):
        return False
    words = sum(len(slot.tokens) for slot in filled) / max(1, len(filled))
    values = _value_share(grid)
    if values < 0.1 and len(filled) < 0.5 * grid.rows * grid.columns:
        return False
    if grid.rows < 3 and grid.columns > 4 and values < 0.1:
        return False  # words of two lines that happen to stand under one another
    if grid.columns == 2 and values < 0.3:
        return words < 6 and grid.rows > 2
    return words < 15 or values > 0.2


def _is_bulleted(grid: Grid) -> bool:
    """Whether the first column holds nothing but bullets."""
    labels = [text_of(s.tokens) for s in grid.slots if s.column == 0 and s.tokens]
    return sum(text in BULLETS for text in labels) > 0.4 * len(labels)


def is_chart(grid: Grid) -> bool:
    """Whether columns of numbers in equal steps, as on axes, are most of what a grid holds."""
    columns: dict[int, list[str]] = {}
    for slot in grid.slots:
        if slot.tokens:
            columns.setdefault(slot.column, []).append(text_of(slot.tokens))
    axes = [texts for texts in columns.values() if _is_axis(texts)]
    held = sum(map(len, axes))
    rest = sum(map(len, columns.values())) - held
    return bool(axes) and rest < 0.5 * grid.rows * (grid.columns - len(axes))


def _is_axis(texts: Sequence[str]) -> bool:
    ticks = [text.replace("−", "-").rstrip("%") for text in texts]
    numbers = [float(tick) for tick in ticks if _TICK.fullmatch(tick)]
    if len(numbers) < max(FEWEST_TICKS, 0.6 * len(texts)):
        return False
    steps = Counter(round(b - a, 6) for a, b in pairwise(numbers))
    step, times = steps.most_common(1)[0]
    return step != 0 and times >= 0.7 * (len(numbers) - 1)


def holds_titles(grid: Grid) -> bool:
    """Whether below its head a row starts with words in larger type than the others: headings of
    a text that rules happen to stand above and below."""
    filled = [slot for slot in grid.slots if slot.tokens]
    heights = sorted(t.y1 - t.y0 for slot in filled for t in slot.tokens)
    usual = heights[len(heights) // 2]
    worded = (slot for slot in filled if any(char.isalpha() for char in text_of(slot.tokens)))
    return any(min(t.y1 - t.y0 for t in slot.tokens) > TITLE * usual for slot in worded)


def has_values(grid: Grid) -> bool:
    """Whether there are numbers below the head; a drawn grid without may be but the head of a
    table whose body is ruled less."""
    return any(is_value(text_of(slot.tokens)) for slot in grid.slots if slot.row and slot.tokens)


def is_crammed(grid: Grid) -> bool:
    """Whether a drawn cell holds rows and columns of numbers: only the head is drawn then."""
    return any(
        len(slot.tokens) > 15
        and sum(is_value(t.text) for t in slot.tokens) > 0.8 * len(slot.tokens)
        for slot in grid.slots
    )


def _value_share(grid: Grid) -> float:
    """How many of the cells beside the labels hold numbers; counting numbers are none."""
    columns: dict[int, list[str]] = {}
    for slot in grid.slots:
        if slot.column and slot.tokens:
            columns.setdefault(slot.column, []).append(text_of(slot.tokens))
    texts = [text for column in columns.values() for text in column]
    values = sum(
        is_value(text) for column in columns.values() if not _counts(column) for text in column
    )
    return values / len(texts) if texts else 0.0


def _counts(texts: Sequence[str]) -> bool:
    numbers = [int(text) for text in texts if text.isdigit()]
    return len(numbers) > 2 and all(b - a == 1 for a, b in pairwise(numbers))


def is_aligned_table(grid: Grid) -> bool:
    body = [slot for slot in grid.slots if slot.row >= grid.header_rows and slot.tokens]
    rows = {slot.row for slot in body if slot.column}
    if len(rows) < 3 or not body:
        return False
    values = _value_share(grid)
    if (
        _is_contents(grid)
        or _is_bulleted(grid)
        or is_chart(grid)
        or (values == 0 and _holds_addresses(grid))
    ):
        return False
    if grid.columns == 2:
        return values >= 0.6 and not _is_list(body)
    filled = len(body) / ((grid.rows - grid.header_rows) * grid.columns)
    words = sum(len(slot.tokens) for slot in body) / len(body)
    return filled > 0.4 and (values >= 0.4 or (words < 3.5 and filled > 0.7))


def _holds_addresses(grid: Grid) -> bool:
    """Whether a row is mostly addresses of mail, as below the names of authors side by side."""
    rows: dict[int, list[str]] = {}
    for slot in grid.slots:
        rows.setdefault(slot.row, []).append(text_of(slot.tokens))
    return any(2 * sum("@" in text for text in row) >= len(row) for row in rows.values())


def _is_list(body: Sequence[Slot]) -> bool:
    labels = [text_of(slot.tokens) for slot in body if slot.column == 0]
    marked = sum(bool(ENUMERATOR.fullmatch(text)) or text.endswith(":") for text in labels)
    return marked > 0.5 * len(labels)


def _is_contents(grid: Grid) -> bool:
    """Page numbers that never fall, beside titles: a table of contents, in one column or two."""
    numbered = titled = 0
    for column in range(1, grid.columns):
        texts = [text_of(s.tokens) for s in grid.slots if s.column == column and s.tokens]
        if _are_pages(texts):
            numbered += 1
        elif sum(map(is_value, texts)) > 0.2 * len(texts) + 1:
            return False
        else:
            titled += 1
    return (
        numbered > 0
        and titled <= numbered
        and _are_pages(
            [text_of(s.tokens) for s in grid.slots if s.column == grid.columns - 1 and s.tokens]
        )
    )


def _are_pages(texts: Sequence[str]) -> bool:
    pages = [int(text) for text in texts if text.isdigit()]
    return (
        len(pages) > 2
        and len(pages) >= 0.7 * len(texts)
        and all(a <= b for a, b in pairwise(pages))
        and pages[0] < pages[-1] < 2000
    )
