"""Paragraphs and tables that go on in the next column or on the next page."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from docpipe.parsers.native.hyphens import Vocabulary
from docpipe.parsers.native.markers import list_marker
from docpipe.records import Cell, Table, TextBlock
from docpipe.stages import Draft

_ENDED = re.compile(r"[.!?:。！？]['\"”’»)\]\d]*$")
_SKIPPED = frozenset({"page_header", "page_footer", "footnote", "caption"})
_JOINABLE = frozenset({"paragraph", "list_item", "reference", "footnote"})


def join_paragraphs(pages: list[list[Draft]], vocabulary: Vocabulary) -> list[list[Draft]]:
    """`pages` with text that breaks off in mid-sentence joined to its continuation.

    The continuation follows in reading order, figures, tables, captions, footnotes and furniture
    aside, starts in lower case or after a hyphen, and is set in the same size.
    """
    joined: list[list[Draft]] = [[] for _ in pages]
    last: tuple[int, int] | None = None
    for page, drafts in enumerate(pages):
        for draft in drafts:
            block = draft.block
            if not isinstance(block, TextBlock) or block.role in _SKIPPED:
                joined[page].append(draft)
                continue
            if last is not None and page - last[0] <= 1:
                before = joined[last[0]][last[1]]
                if _continues(before, draft):
                    joined[last[0]][last[1]] = _merged(before, draft)
                    continue
            joined[page].append(draft)
            last = (page, len(joined[page]) - 1)
    return joined


def _continues(before: Draft, after: Draft) -> bool:
    first, second = before.block, after.block
    if not (isinstance(first, TextBlock) and isinstance(second, TextBlock)):
        return False
    if first.role not in _JOINABLE or second.role not in ("paragraph", "reference"):
        return False
    if not _moves_on(first, second) or not _alike(before, after):
        return False
    if _ENDED.search(first.text) or list_marker(second.text) is not None:
        return False
    start = second.text[:1]
    return start.islower() or (first.text.endswith("-") and start.isalpha())


def _moves_on(first: TextBlock, second: TextBlock) -> bool:
    """Whether the second starts in another column or on another page."""
    end, start = first.source.regions[-1], second.source.regions[0]
    if start.page != end.page:
        return start.page > end.page
    return start.bbox.y0 < end.bbox.y0 or start.bbox.x_overlap(end.bbox) <= 0


def _alike(before: Draft, after: Draft) -> bool:
    first, second = before.style, after.style
    if first is None or second is None:
        return False
    return abs(first.size - second.size) <= 0.06 * first.size


def _merged(before: Draft, after: Draft) -> Draft:
    first, second = before.block, after.block
    assert isinstance(first, TextBlock)
    assert isinstance(second, TextBlock)
    raw = f"{first.raw or first.text}\n{second.raw or second.text}"
    source = msgspec.structs.replace(
        first.source, regions=first.source.regions + second.source.regions
    )
    block = msgspec.structs.replace(
        first, text=f"{first.text} {second.text}", raw=raw, source=source
    )
    return msgspec.structs.replace(before, block=block)


def join_tables(pages: list[list[Draft]]) -> list[list[Draft]]:
    """`pages` with tables that go on over a page break joined, a repeated header dropped."""
    joined: list[list[Draft]] = []
    open_table: tuple[int, int] | None = None
    for page, drafts in enumerate(pages):
        row = list(drafts)
        at = _first_of_body(row)
        if open_table is not None and at is not None and open_table[0] < page:
            before, after = joined[open_table[0]][open_table[1]], row[at]
            if _table_continues(before, after):
                joined[open_table[0]][open_table[1]] = _merged_tables(before, after)
                del row[at]
        joined.append(row)
        end = _last_of_body(row)
        if end is not None:
            open_table = (page, end) if isinstance(row[end].block, Table) else None
        elif at is None or any(not _is_aside(draft) for draft in row):
            open_table = None
    return joined


def _is_aside(draft: Draft) -> bool:
    return isinstance(draft.block, TextBlock) and draft.block.role in (
        "page_header",
        "page_footer",
        "footnote",
    )


def _first_of_body(drafts: Sequence[Draft]) -> int | None:
    return next((index for index, draft in enumerate(drafts) if not _is_aside(draft)), None)


def _last_of_body(drafts: Sequence[Draft]) -> int | None:
    indexes = (index for index in range(len(drafts) - 1, -1, -1) if not _is_aside(drafts[index]))
    return next(indexes, None)


def _table_continues(before: Draft, after: Draft) -> bool:
    first, second = before.block, after.block
    if not (isinstance(first, Table) and isinstance(second, Table)) or second.caption:
        return False
    one, two = first.source.regions[-1].bbox, second.source.regions[0].bbox
    return (
        first.shape[1] == second.shape[1]
        and abs(one.x0 - two.x0) < 0.05 * one.width + 6
        and abs(one.x1 - two.x1) < 0.05 * one.width + 6
    )


def _merged_tables(before: Draft, after: Draft) -> Draft:
    first, second = before.block, after.block
    assert isinstance(first, Table)
    assert isinstance(second, Table)
    repeated = _repeated_rows(first, second)
    shift = first.shape[0] - repeated
    moved = tuple(
        msgspec.structs.replace(
            cell, row=cell.row + shift, is_header=cell.is_header and repeated > 0
        )
        for cell in second.cells
        if cell.row >= repeated
    )
    source = msgspec.structs.replace(
        first.source, regions=first.source.regions + second.source.regions
    )
    block = msgspec.structs.replace(first, cells=first.cells + moved, source=source)
    return msgspec.structs.replace(before, block=block)


def _repeated_rows(first: Table, second: Table) -> int:
    """How many rows at the top of `second` repeat those at the top of `first`."""
    rows = 0
    while rows < min(first.shape[0], second.shape[0]) and _row(first, rows) == _row(second, rows):
        rows += 1
    return rows


def _row(table: Table, number: int) -> list[tuple[int, str]]:
    return sorted((cell.column, _text(cell)) for cell in table.cells if cell.row == number)


def _text(cell: Cell) -> str:
    return " ".join(cell.text.split()).casefold()
