"""Rows of a table: which lines belong together, and which are its header."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from docpipe.parsers.native.tables.columns import Column, Placed, place
from docpipe.parsers.native.tables.layout import Line, is_value, phrases_of

MOST_HEADER_LINES = 9


class PlacedLine(NamedTuple):
    """A line and its words by column."""

    y0: float
    y1: float
    cells: list[Placed]

    @property
    def center(self) -> float:
        return (self.y0 + self.y1) / 2

    @property
    def filled(self) -> set[int]:
        return {column for cell in self.cells for column in range(cell.first, cell.last + 1)}

    @property
    def values(self) -> set[int]:
        """Columns after the first that hold a number or a mark for none."""
        return {cell.first for cell in self.cells if cell.first > 0 and is_value(cell.text)}


def place_lines(
    lines: Sequence[Line], columns: Sequence[Column], height: float
) -> list[PlacedLine]:
    return [PlacedLine(line.y0, line.y1, place(line, columns, height)) for line in lines]


def header_count(lines: Sequence[Line], rules: Sequence[float], height: float) -> int:
    """How many of the top lines are header: those above the first rule inside the table, or else
    above the first line with numbers; one when there are neither."""
    numbered = next((i for i, line in enumerate(lines) if is_data(line, height)), None)
    counts = {sum(line.center < at for line in lines) for at in rules} - {0, len(lines)}
    if counts:
        first = min(counts)
        if numbered is None:
            return first
        before = [count for count in counts if count <= numbered]
        if before and max(before) <= MOST_HEADER_LINES:
            return max(before)
        unlabelled = lines[0].tokens[0].x0 > min(line.tokens[0].x0 for line in lines) + height
        if first == numbered + 1 and (len(counts) == 1 or unlabelled):
            return first
    if numbered is None:
        return 1
    return numbered if numbered <= MOST_HEADER_LINES else 0


def is_data(line: Line, height: float) -> bool:
    """Whether a line holds numbers beside its label, other than years, which head columns."""
    texts = [phrase.text for phrase in phrases_of(line, height)][1:]
    values = [text for text in texts if is_value(text)]
    years = [text for text in values if _is_year(text)]
    return bool(values) and len(values) >= 0.5 * len(texts) and len(years) < len(values)


def _is_year(text: str) -> bool:
    digits = text.strip("()*abep")
    return digits[:2] in ("18", "19", "20") and (
        (len(digits) == 4 and digits.isdigit())
        or (len(digits) in (7, 9) and digits[4] in "-–/" and digits[5:].isdigit())
    )


def body_rows(
    lines: Sequence[PlacedLine], rules: Sequence[float], height: float
) -> list[list[PlacedLine]]:
    """The lines below the header, grouped to rows."""
    if not lines:
        return []
    if _ruled_by_row(lines, rules):
        bands = _bands(lines, rules)
        return [row for band in bands for row in _split_band(band)]
    wide = _wide_gap(lines, height)
    rows: list[list[PlacedLine]] = [[lines[0]]]
    for above, line in pairwise(lines):
        if any(above.center < at < line.center for at in rules) or (
            above.filled == {0} and above.cells[0].text.endswith(":")
        ):
            joins = False
        elif line.y0 - above.y1 < -0.25 * height and not above.filled & line.filled:
            joins = True
        elif wide is not None:
            joins = line.y0 - above.y1 < wide
        else:
            joins = _continues(rows[-1], line, height)
        if joins:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _ruled_by_row(lines: Sequence[PlacedLine], rules: Sequence[float]) -> bool:
    inside = [at for at in rules if lines[0].center < at < lines[-1].center]
    return len(inside) >= 2 and len(_bands(lines, rules)) >= 0.25 * len(lines)


def _bands(lines: Sequence[PlacedLine], rules: Sequence[float]) -> list[list[PlacedLine]]:
    bands: list[list[PlacedLine]] = [[lines[0]]]
    for above, line in pairwise(lines):
        if any(above.center < at < line.center for at in rules):
            bands.append([])
        bands[-1].append(line)
    return bands


def _split_band(band: list[PlacedLine]) -> list[list[PlacedLine]]:
    """A band between two rules is a row, unless most of its lines have a label and numbers."""
    labelled = [
        line for line in band if line.values and any(not is_value(c.text) for c in line.cells)
    ]
    if len(labelled) < 2 or len(labelled) < 0.6 * len(band):
        return [band]
    return [[line] for line in band]


def _wide_gap(lines: Sequence[PlacedLine], height: float) -> float | None:
    """The gap that parts rows where lines of one row stand clearly closer, else None."""
    gaps = sorted(line.y0 - above.y1 for above, line in pairwise(lines))
    if len(gaps) < 3:
        return None
    jumps = [(b - a, (a + b) / 2) for a, b in pairwise(gaps)]
    jump, split = max(jumps)
    low = [gap for gap in gaps if gap < split]
    high = [gap for gap in gaps if gap >= split]
    if jump < 0.25 * height or len(high) < 2 or max(high) - min(high) > 2.5 * height:
        return None
    followers = [line for above, line in pairwise(lines) if line.y0 - above.y1 < split]
    starts = [line for above, line in pairwise(lines) if line.y0 - above.y1 >= split]
    complete = max(len(line.filled) for line in lines)
    partial = sum(len(line.filled) < complete and not line.values for line in followers)
    labelled = sum(0 in line.filled for line in starts)
    if partial >= 0.8 * len(followers) and labelled >= 0.8 * len(starts) and low:
        return split
    return None


def _continues(row: list[PlacedLine], line: PlacedLine, height: float) -> bool:
    """Whether a line goes on with the row above: text only, close, under text of that row."""
    above = row[-1]
    if line.y0 - above.y1 > 0.45 * height or line.values:
        return False
    filled = set().union(*(part.filled for part in row))
    if not line.filled <= filled or len(line.filled) >= max(2, len(filled)):
        return False
    if 0 not in line.filled:
        return True
    if line.filled != {0}:
        return False
    text = line.cells[0].text
    return text[:1].islower() and len(filled) > 1
