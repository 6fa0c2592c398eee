"""Labels with their values beside them, row after row: the head of an invoice, a data sheet.

Such a block is read row by row, not label column first. It takes three rows on the same two left
edges, short on both sides, and values that are figures or labels that end in a colon: two columns
of other short lines are left to the reading order.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from docpipe.parsers.native.lines import Line, merge_lines
from docpipe.parsers.native.words import UPRIGHT
from docpipe.records import Region, Source, TextBlock
from docpipe.stages import Draft, Style

_FEWEST = 3  # rows
_EDGE = 2.0  # points that left edges may differ
_RECENT = 8  # blocks on one edge that are looked back at
_LABEL_WORDS, _VALUE_WORDS = 5, 8
_REACH = 14.0  # in font sizes: between label and value
_PITCH = 2.6  # in font sizes: from row to row
_TYPICAL = 0.6  # share of the rows whose value is a figure or whose label ends in a colon

Row = tuple[Line, Line]


def labelled_rows(lines: Sequence[Line], page: int, stage: str) -> tuple[list[Draft], list[Line]]:
    """A block for each row of labels and values, and the lines that are in none."""
    rows = [row for block in _blocks(list(_rows(lines))) for row in block]
    used = {id(line) for row in rows for line in row}
    drafts = [_draft(merge_lines(row), page, stage, number) for number, row in enumerate(rows)]
    return drafts, [line for line in lines if id(line) not in used]


def _draft(line: Line, page: int, stage: str, number: int) -> Draft:
    source = Source((Region(page, line.bbox),), stage)
    block = TextBlock(f"p{page}/row{number}", source, line.text, "paragraph")
    return Draft(block, Style(line.size, line.bold, line.italic, line.font))


def _rows(lines: Sequence[Line]) -> Iterator[Row]:
    """Pairs of short lines side by side, top to bottom; a label has one value."""
    short = [line for line in lines if line.direction == UPRIGHT and _is_short(line)]
    by_foot = sorted(lines, key=lambda line: line.bbox.y1)
    feet = [line.bbox.y1 for line in by_foot]
    for label in short:
        if len(label.words) > _LABEL_WORDS or not label.text[:1].isalpha():
            continue
        foot, reach = label.bbox.y1, 0.25 * label.bbox.height
        level = by_foot[bisect_right(feet, foot - reach) : bisect_left(feet, foot + reach)]
        right = [line for line in level if line.bbox.x0 > label.bbox.x1]
        value = min(right, key=lambda line: line.bbox.x0, default=None)
        if (
            value is not None
            and _is_short(value)
            and value.bbox.x0 - label.bbox.x1 < _REACH * label.size
            and 0.85 < value.size / label.size < 1.18
        ):
            yield label, value


def _is_short(line: Line) -> bool:
    return len(line.words) <= _VALUE_WORDS


def _blocks(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Runs of rows on the same edges, close below one another."""
    blocks: list[list[Row]] = []
    by_edge: defaultdict[int, list[list[Row]]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row[0].bbox.y1):
        edge = round(row[0].bbox.x0 / _EDGE)
        near = [
            block
            for key in (edge - 1, edge, edge + 1)
            for block in by_edge[key][-_RECENT:]
            if _follows(block[-1], row)
        ]
        if near:
            block = min(near, key=lambda block: block[0][0].bbox.y1)
            block.append(row)
        else:
            block = [row]
            blocks.append(block)
        if not any(block is other for other in by_edge[edge][-_RECENT:]):
            by_edge[edge].append(block)
    for block in sorted(blocks, key=lambda block: block[0][0].bbox.y1):
        if len(block) >= _FEWEST and _is_typical(block):
            yield block


def _follows(above: Row, below: Row) -> bool:
    advance = below[0].bbox.y1 - above[0].bbox.y1
    return 0 < advance < _PITCH * below[0].size and all(
        abs(first.bbox.x0 - second.bbox.x0) < _EDGE
        for first, second in zip(above, below, strict=True)
    )


def _is_typical(block: Sequence[Row]) -> bool:
    typical = sum(
        label.text.endswith(":") or any(char.isdigit() for char in value.text)
        for label, value in block
    )
    return typical >= _TYPICAL * len(block)
