"""Columns of a table without vertical rules: the rivers of white space between its phrases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from docpipe.parsers.native.tables.layout import (
    CURRENCY,
    SYMBOLS,
    Line,
    Phrase,
    Token,
    is_value,
    phrases_of,
)

RIVER = 0.3  # narrowest gap between columns, in line heights


class Column(NamedTuple):
    """The x range that most of a column's text takes up."""

    x0: float
    x1: float

    @property
    def center(self) -> float:
        return (self.x0 + self.x1) / 2


class Placed(NamedTuple):
    """Words of one line that stand in columns `first` to `last`."""

    first: int
    last: int
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.tokens)


def find_columns(lines: Sequence[Line], height: float) -> list[Column]:
    """Column ranges from left to right, from the lines that have several phrases."""
    rows = [phrases for line in lines if len(phrases := phrases_of(line, height)) > 1]
    if not rows:
        return []
    columns = _covered(rows, tolerance=len(rows) // 12, river=RIVER * height)
    return _without_symbols(columns, rows)


def _covered(rows: list[list[Phrase]], tolerance: int, river: float) -> list[Column]:
    """Ranges covered by the phrases of more than `tolerance` rows, parted by rivers."""
    events = sorted(
        event for row in rows for phrase in row for event in ((phrase.x0, 1), (phrase.x1, -1))
    )
    columns: list[Column] = []
    depth = 0
    start = 0.0
    for x, step in events:
        before, depth = depth, depth + step
        if before <= tolerance < depth:
            start = x
        elif depth <= tolerance < before:
            if columns and start - columns[-1].x1 < river:
                columns[-1] = Column(columns[-1].x0, x)
            elif x > start:
                columns.append(Column(start, x))
    return columns


def _without_symbols(columns: list[Column], rows: list[list[Phrase]]) -> list[Column]:
    """Columns of nothing but currency or percent signs join the number they belong to."""
    texts: list[set[str]] = [set() for _ in columns]
    for row in rows:
        for phrase in row:
            for index, column in enumerate(columns):
                if phrase.x0 < column.x1 and column.x0 < phrase.x1:
                    texts[index].add(phrase.text)
    joined: list[Column] = []
    pending: float | None = None
    for column, found in zip(columns, texts, strict=True):
        if found and found <= CURRENCY:
            pending = column.x0 if pending is None else pending
        elif found and found <= SYMBOLS and joined:
            joined[-1] = Column(joined[-1].x0, column.x1)
        else:
            joined.append(Column(column.x0 if pending is None else pending, column.x1))
            pending = None
    return joined


def place(line: Line, columns: Sequence[Column], height: float) -> list[Placed]:
    """The words of a line by column. A phrase that reaches over several columns spans them, unless
    its words part where the columns do."""
    placed: list[Placed] = []
    for phrase in phrases_of(line, height):
        for piece in _pieces(phrase, columns, height):
            first, last = _reach(piece, columns)
            if placed and first <= placed[-1].last:
                previous = placed.pop()
                placed.append(
                    Placed(
                        min(previous.first, first),
                        max(previous.last, last),
                        previous.tokens + piece.tokens,
                    )
                )
            else:
                placed.append(Placed(first, last, piece.tokens))
    return placed


def _pieces(phrase: Phrase, columns: Sequence[Column], height: float) -> list[Phrase]:
    """Cut a phrase of values where one of its gaps lies in a river."""
    rivers = [(a.x1 + b.x0) / 2 for a, b in pairwise(columns)]
    inside = [x for x in rivers if phrase.x0 < x < phrase.x1]
    if not inside:
        return [phrase]
    pieces: list[list[Token]] = [[phrase.tokens[0]]]
    for left, right in pairwise(phrase.tokens):
        gap = right.x0 - left.x1
        crossing = any(left.x1 - 1 <= x <= right.x0 + 1 for x in inside)
        if crossing and gap > 0.15 * height and (is_value(right.text) or is_value(left.text)):
            pieces.append([])
        pieces[-1].append(right)
    return [Phrase(piece[0].x0, piece[-1].x1, tuple(piece)) for piece in pieces]


def _reach(phrase: Phrase, columns: Sequence[Column]) -> tuple[int, int]:
    """First and last column that a phrase stands over; the nearest when it stands over none."""
    over = [
        index
        for index, column in enumerate(columns)
        if min(phrase.x1, column.x1) - max(phrase.x0, column.x0)
        > min(3.0, 0.3 * (column.x1 - column.x0), 0.5 * (phrase.x1 - phrase.x0))
    ]
    if over:
        return over[0], over[-1]
    center = (phrase.x0 + phrase.x1) / 2
    nearest = min(
        range(len(columns)),
        key=lambda i: max(columns[i].x0 - center, center - columns[i].x1, 0.0),
    )
    return nearest, nearest
