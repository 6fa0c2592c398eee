"""Paragraphs and tables that go on in the next column or on the next page."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from docpipe.parsers.native.hyphens import Vocabulary
from docpipe.parsers.native.markers import list_marker
from docpipe.parsers.native.tables import continues, joined
from docpipe.records import Table, TextBlock
from docpipe.stages import Draft

_ENDED = re.compile(r"[.!?:。！？]['\"”’»)\]\d]*$")
_SKIPPED = frozenset({"page_header", "page_footer", "footnote", "caption"})
_JOINABLE = frozenset({"paragraph", "list_item", "reference", "footnote"})


def join_paragraphs(pages: list[list[Draft]], vocabulary: Vocabulary) -> list[list[Draft]]:
    """`pages` with text that breaks off in mid-sentence joined to its continuation.

    The continuation follows in reading order, figures, tables, captions, footnotes and furniture
    aside, starts in lower case or after a hyphen, and is set in the same size.
    """
    result: list[list[Draft]] = [[] for _ in pages]
    last: tuple[int, int] | None = None
    for page, drafts in enumerate(pages):
        for draft in drafts:
            block = draft.block
            if not isinstance(block, TextBlock) or block.role in _SKIPPED:
                result[page].append(draft)
                continue
            if last is not None and page - last[0] <= 1:
                before = result[last[0]][last[1]]
                if _continues(before, draft):
                    result[last[0]][last[1]] = merged(before, draft)
                    continue
            result[page].append(draft)
            last = (page, len(result[page]) - 1)
    return result


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
    if first.role == second.role == "reference":
        return True  # only its last line ends in a full stop
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


def merged(before: Draft, after: Draft) -> Draft:
    """The second block of text put behind the first, as lines of one block."""
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
    result: list[list[Draft]] = []
    open_table: tuple[int, int] | None = None
    for page, drafts in enumerate(pages):
        row = list(drafts)
        at = _first_of_body(row)
        if open_table is not None and at is not None and open_table[0] < page:
            before, after = result[open_table[0]][open_table[1]], row[at]
            if (table := _joined_table(before, after)) is not None:
                result[open_table[0]][open_table[1]] = Draft(table)
                del row[at]
        result.append(row)
        end = _last_of_body(row)
        if end is not None:
            open_table = (page, end) if isinstance(row[end].block, Table) else None
        elif at is None or any(not _is_aside(draft) for draft in row):
            open_table = None
    return result


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


def _joined_table(before: Draft, after: Draft) -> Table | None:
    """Both tables as one, when the second is the rest of the first."""
    first, second = before.block, after.block
    if isinstance(first, Table) and isinstance(second, Table) and continues(first, second):
        return joined(first, second)
    return None
