"""Tables that go on over a page break."""

from __future__ import annotations

from statistics import median

import msgspec

from docpipe.records import Table

SHIFT = 12.0  # points that a column may lie elsewhere on the next page, after the left edges meet

Row = tuple[tuple[int, int, int, str], ...]


def continues(previous: Table, following: Table) -> bool:
    """Whether `following`, the first table of a page, goes on with `previous`, the last of the page
    before: the same columns, or the same header again."""
    if previous.shape[1] != following.shape[1] or (following.caption and not previous.caption):
        return False
    if _repeated_rows(previous, following):
        return True
    return not _has_own_header(previous, following) and _same_columns(previous, following)


def joined(previous: Table, following: Table) -> Table:
    """Both as one table with the id of `previous`: repeated header rows dropped, rows counted on,
    the regions of both kept."""
    dropped = _repeated_rows(previous, following)
    shift = previous.shape[0] - dropped
    cells = tuple(
        msgspec.structs.replace(cell, row=cell.row + shift, is_header=False)
        for cell in following.cells
        if cell.row >= dropped
    )
    regions = previous.source.regions + following.source.regions
    source = msgspec.structs.replace(previous.source, regions=regions)
    return msgspec.structs.replace(previous, cells=previous.cells + cells, source=source)


def _repeated_rows(previous: Table, following: Table) -> int:
    """How many top rows of `following` are the top rows of `previous` again."""
    ours, theirs = _rows(previous), _rows(following)
    heads = max(1, len({cell.row for cell in previous.cells if cell.is_header}))
    count = 0
    while (
        count < min(heads, len(ours), len(theirs) - 1)
        and ours[count] == theirs[count]
        and any(text for *_, text in ours[count])
    ):
        count += 1
    return count if count == heads else 0


def _rows(table: Table) -> list[Row]:
    rows: list[list[tuple[int, int, int, str]]] = [[] for _ in range(table.shape[0])]
    for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column)):
        rows[cell.row].append((cell.column, cell.column_span, cell.row_span, cell.text))
    return [tuple(row) for row in rows]


def _has_own_header(previous: Table, following: Table) -> bool:
    """Whether the header of `following` is words that the header of `previous` lacks."""
    known = {cell.text for cell in previous.cells if cell.is_header}
    heads = [cell.text for cell in following.cells if cell.is_header and cell.text]
    worded = [text for text in heads if not any(char.isdigit() for char in text)]
    return bool(known and heads) and worded == heads and known.isdisjoint(heads)


def _same_columns(previous: Table, following: Table) -> bool:
    ours, theirs = _centers(previous), _centers(following)
    if not ours or len(ours) != len(theirs):
        return False
    offset = median(b - a for a, b in zip(ours, theirs, strict=True))
    return all(abs(b - a - offset) < SHIFT for a, b in zip(ours, theirs, strict=True))


def _centers(table: Table) -> list[float]:
    """The middle of each column, from the cells in that column alone."""
    columns: list[list[float]] = [[] for _ in range(table.shape[1])]
    for cell in table.cells:
        if cell.column_span == 1 and cell.region:
            columns[cell.column].append(cell.region.bbox.center[0])
    return [median(column) for column in columns if column]
