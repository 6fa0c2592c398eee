"""Drawn cells taken apart further, where a table rules its head but not its body."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docpipe.geometry import BBox
from docpipe.parsers.native.tables.columns import Column, Placed, find_columns, place
from docpipe.parsers.native.tables.grid import Slot
from docpipe.parsers.native.tables.layout import (
    CURRENCY,
    SYMBOLS,
    Phrase,
    is_value,
    lines_of,
    phrases_of,
    text_of,
)

CAPTION = re.compile(r"(?:table|tab\.|exhibit|figure|tableau|tabelle|表)\s*\d", re.IGNORECASE)
SOURCE = re.compile(r"(?:sources?|notes?|n\.b\.)\s*:|[*†‡]\s*\w", re.IGNORECASE)
NOTE = re.compile(r"\(?[0-9a-z*†‡]\)?")  # marks of footnotes are no column
OVER = 2.5  # points that a word may reach over the edge of its cell


def split_row_spans(slots: Sequence[Slot]) -> list[Slot]:
    """Cells over many rows with a line of text for nearly each of them are taken apart."""
    bounds: dict[int, tuple[float, float]] = {}
    for slot in slots:
        if slot.row_span == 1:
            bounds[slot.row] = (slot.box[1], slot.box[3])
    split: list[Slot] = []
    for slot in slots:
        rows = range(slot.row, slot.row + slot.row_span)
        lines = lines_of(slot.tokens) if len(rows) > 4 and bounds.keys() >= set(rows) else []
        found = [next((r for r in rows if bounds[r][1] > line.center), rows[-1]) for line in lines]
        if len(set(found)) < 0.8 * len(rows):
            split.append(slot)
            continue
        for row in rows:
            inside = [line for line, at in zip(lines, found, strict=True) if at == row]
            tokens = tuple(token for line in inside for token in line.tokens)
            box = (slot.box[0], bounds[row][0], slot.box[2], bounds[row][1])
            split.append(slot._replace(row=row, row_span=1, tokens=tokens, box=box))
    return split


def split_spans(slots: Sequence[Slot], height: float) -> list[Slot]:
    """Cells over several columns whose phrases stand in one column each are taken apart."""
    starts = _column_starts(slots)
    wide = [slot for slot in slots if slot.column_span > 1 and slot.tokens]
    parts = {id(slot): _by_column(slot, starts, height) for slot in wide}
    several = [slot for slot in wide if len({column for column, _ in parts[id(slot)] or ()}) > 1]
    if not several:
        return list(slots)
    spans = {(slot.column, slot.column_span) for slot in several}
    usual = len(several) > 2 and len(several) > 0.5 * len(wide)
    split: list[Slot] = []
    for slot in slots:
        found = parts.get(id(slot))
        alike = usual and found and (slot.column, slot.column_span) in spans
        if found and (slot in several or alike):
            split += _unit_slots(slot, found, starts)
        elif not slot.tokens and usual and (slot.column, slot.column_span) in spans:
            split += _unit_slots(slot, [], starts)
        else:
            split.append(slot)
    return split


def _column_starts(slots: Sequence[Slot]) -> list[float]:
    """The left edge of each column, and the right edge of the last."""
    count = max(slot.column + slot.column_span for slot in slots)
    edges: list[list[float]] = [[] for _ in range(count + 1)]
    for slot in slots:
        edges[slot.column].append(slot.box[0])
        edges[slot.column + slot.column_span].append(slot.box[2])
    return [sum(edge) / len(edge) if edge else 0.0 for edge in edges]


def _by_column(slot: Slot, starts: list[float], height: float) -> list[tuple[int, Phrase]] | None:
    """The phrases of a cell with the column each stands in; None when one crosses a column edge."""
    found = []
    for line in lines_of(slot.tokens):
        for phrase in phrases_of(line, height):
            center = (phrase.x0 + phrase.x1) / 2
            column = next(
                (
                    c
                    for c in range(slot.column, slot.column + slot.column_span)
                    if starts[c] <= center < starts[c + 1]
                ),
                None,
            )
            if (
                column is None
                or phrase.x0 < starts[column] - OVER
                or phrase.x1 > starts[column + 1] + OVER
            ):
                return None
            found.append((column, phrase))
    return found


def _unit_slots(slot: Slot, found: list[tuple[int, Phrase]], starts: list[float]) -> list[Slot]:
    return [
        Slot(
            slot.row,
            column,
            slot.row_span,
            1,
            tuple(t for at, phrase in found if at == column for t in phrase.tokens),
            (starts[column], slot.box[1], starts[column + 1], slot.box[3]),
        )
        for column in range(slot.column, slot.column + slot.column_span)
    ]


def split_columns(slots: list[Slot], height: float) -> list[Slot]:
    """Drawn columns that hold several columns of numbers are taken apart."""
    count = max(slot.column + slot.column_span for slot in slots)
    for column in reversed(range(count)):
        inside = [s for s in slots if s.column == column and s.column_span == 1 and s.tokens]
        parts = _number_columns(inside, height)
        if len(parts) > 1:
            slots = _with_parts(slots, column, parts, height)
    return slots


def _number_columns(slots: Sequence[Slot], height: float) -> list[Column]:
    """Ranges of numbers that stand side by side in most cells of a column, if in at least three."""
    rows = []
    for slot in slots:
        lines = lines_of(slot.tokens)
        phrases = phrases_of(lines[0], height)
        values = sum(is_value(phrase.text) for phrase in phrases)
        if len(lines) == 1 and len(phrases) > 1 and values >= len(phrases) - 1:
            rows.append(lines[0])
    if len(rows) < 3 or len(rows) < 0.6 * len(slots):
        return []
    columns = find_columns(rows, height)
    placed = [place(line, columns, height) for line in rows] if columns else []
    for index in range(len(columns)):
        texts = [cell.text for cells in placed for cell in cells if cell.first == index]
        if all(NOTE.fullmatch(text) for text in texts):
            return []
    return columns


def _with_parts(
    slots: Sequence[Slot], column: int, parts: Sequence[Column], height: float
) -> list[Slot]:
    extra = len(parts) - 1
    split: list[Slot] = []
    for slot in slots:
        if slot.column > column:
            split.append(slot._replace(column=slot.column + extra))
        elif slot.column + slot.column_span <= column:
            split.append(slot)
        elif slot.column_span > 1 or not slot.tokens:
            split.append(slot._replace(column_span=slot.column_span + extra))
        else:
            split += _parts_of(slot, parts, height)
    return split


def _parts_of(slot: Slot, parts: Sequence[Column], height: float) -> list[Slot]:
    lines = [place(line, parts, height) for line in lines_of(slot.tokens)]
    if any(cell.last > cell.first for line in lines for cell in line):
        return [slot._replace(column_span=len(parts))]
    edges = [slot.box[0], *((a.x1 + b.x0) / 2 for a, b in pairwise(parts))]
    edges.append(slot.box[2])
    cells: list[Placed] = [cell for line in lines for cell in line]
    return [
        slot._replace(
            column=slot.column + index,
            tokens=tuple(t for cell in cells if cell.first == index for t in cell.tokens),
            box=(edges[index], slot.box[1], edges[index + 1], slot.box[3]),
        )
        for index in range(len(parts))
    ]


def without_legends(slots: Sequence[Slot]) -> list[Slot]:
    """Slots without a caption in the top row and notes in the last rows, boxed with the table."""
    count = max((slot.column + slot.column_span for slot in slots), default=0)
    whole = {s.row: text_of(s.tokens) for s in slots if s.column_span == count > 1}
    first = min((slot.row for slot in slots), default=0)
    last = max((slot.row + slot.row_span - 1 for slot in slots), default=0)
    while CAPTION.match(whole.get(first, "")):
        first += 1
    while SOURCE.match(whole.get(last, "")):
        last -= 1
    return [s._replace(row=s.row - first) for s in slots if first <= s.row <= last]


def join_symbols(slots: Sequence[Slot]) -> list[Slot]:
    """Slots with drawn columns of nothing but currency signs joined to the numbers behind them,
    and those of percent signs and brackets to the numbers before them."""
    joined = list(slots)
    for column in reversed(range(max((s.column + s.column_span for s in slots), default=0))):
        texts = {text_of(s.tokens) for s in joined if s.column == column and s.column_span == 1}
        texts.discard("")
        if texts and texts <= CURRENCY:
            joined = _without_column(joined, column, column + 1)
        elif texts and texts <= SYMBOLS and column:
            joined = _without_column(joined, column, column - 1)
    return joined


def _without_column(slots: Sequence[Slot], column: int, into: int) -> list[Slot]:
    """Slots with the cells of `column` joined to their neighbours in column `into`."""
    symbols = {s.row: s for s in slots if s.column == column and s.column_span == 1}
    joined: list[Slot] = []
    for slot in slots:
        symbol = symbols.get(slot.row)
        if slot is symbol:
            continue
        reaches = slot.column <= column < slot.column + slot.column_span
        if slot.column <= into < slot.column + slot.column_span and symbol:
            box = BBox.of(*slot.box).union(BBox.of(*symbol.box))
            tokens = (*slot.tokens, *symbol.tokens)
            slot = slot._replace(tokens=tokens, box=(box.x0, box.y0, box.x1, box.y1))
        left = slot.column - (slot.column > column)
        joined.append(slot._replace(column=left, column_span=slot.column_span - reaches))
    return joined
