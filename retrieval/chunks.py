"""Pieces of a document that are searched and cited: ranges of the text of its blocks.

A chunk stands on one page. Its text is the text at its spans, so that pages and boxes can always be
computed from it. Headings and captions travel with what follows them, tables stand by themselves,
running headers and footers are left out.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from docpipe.content import (
    CELL_SEPARATOR,
    block_text,
    body_blocks,
    find_block,
    locate,
    table_rows,
)
from docpipe.records import Block, Chunk, Document, Region, Span, Table, TextBlock
from docpipe.retrieval.words import word_count

TARGET_WORDS = 120
# A heading starts a new chunk when the one before it has at least so many words.
MIN_WORDS = 40
# Caption and header rows are repeated with every part of a long table if they are not longer.
MAX_REPEATED_WORDS = 60

_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|[.!?](?!\s))*(?:[.!?][\"'”’)\]]*(?=\s)|[。！？]|\n|\Z)")
_WORD_WITH_BLANK = re.compile(r"\s*\S{1,400}")


class _Piece(msgspec.Struct, frozen=True):
    """A span with what decides where it goes; `repeated` spans precede it if it starts a chunk."""

    page: int
    span: Span
    words: int
    leads: bool = False
    table: bool = False
    repeated: tuple[Span, ...] = ()


def chunks_of(document: Document) -> list[Chunk]:
    """The chunks of a document in reading order, their ids `<document>#p<page>/c<n>`."""
    texts = {block.id: block_text(block) for page in document.pages for block in page.blocks}
    by_page: dict[int, list[_Piece]] = defaultdict(list)
    for page in document.pages:
        for block in body_blocks(page):
            for piece in _pieces(document, page.number, block, texts[block.id]):
                by_page[piece.page].append(piece)
    return [
        Chunk(
            f"{document.id}#p{page}/c{number}",
            document.id,
            tuple(spans),
            "\n".join(texts[span.block][span.start : span.end] for span in spans),
        )
        for page in sorted(by_page)
        for number, spans in enumerate(map(_spans, _groups(by_page[page])), 1)
    ]


def chunk_page(chunk: Chunk) -> int:
    """The page, from 1, that a chunk stands on."""
    return int(chunk.id.rpartition("#p")[2].partition("/")[0])


def chunk_regions(document: Document, chunk: Chunk) -> tuple[Region, ...]:
    """The boxes of a chunk's text on the pages of its document."""
    regions: list[Region] = []
    for span in chunk.spans:
        block = find_block(document, span.block)
        if block is not None:
            regions.extend(locate(document, block, span.start, span.end))
    return tuple(regions)


def _pieces(document: Document, page: int, block: Block, text: str) -> Iterator[_Piece]:
    if isinstance(block, Table):
        yield from _table_pieces(page, block, text)
        return
    leads = isinstance(block, TextBlock) and block.role in ("title", "heading", "caption")
    for where, start, end in _places(document, page, block, text):
        yield _Piece(where, Span(block.id, start, end), word_count(text[start:end]), leads)


def _places(
    document: Document, page: int, block: Block, text: str
) -> Iterator[tuple[int, int, int]]:
    """The page, start and end of each piece of a block that may go on over page breaks."""
    pages = sorted({region.page for region in block.source.regions})
    if len(pages) <= 1:
        yield from ((page, start, end) for start, end in _split(text, 0, len(text)))
        return
    ranges = list(_sentences(text, 0, len(text)))

    def begins_on(sentence: tuple[int, int]) -> int:
        return min(region.page for region in locate(document, block, *sentence))

    # Text runs on from page to page, so only the sentences about a break need to be located.
    found = (bisect.bisect_left(ranges, number, key=begins_on) for number in pages[1:])
    breaks = list(itertools.accumulate(found, max))
    for where, first, last in zip(pages, [0, *breaks], [*breaks, len(ranges)], strict=True):
        for start, end in _gather(text, ranges[first:last]):
            if trimmed := _trim(text, start, end):
                yield where, *trimmed


def _table_pieces(page: int, table: Table, text: str) -> Iterator[_Piece]:
    """A table as one piece if it is short, else its rows, with the head to be repeated."""
    size = word_count(text)
    head, rows = _table_lines(table)
    where = _row_pages(table, len(rows), page)
    if size <= TARGET_WORDS and len(set(where)) <= 1:
        if trimmed := _trim(text, 0, len(text)):
            yield _Piece(where[0] if where else page, Span(table.id, *trimmed), size, table=True)
        return
    repeated: tuple[Span, ...] = ()
    for number, (start, end) in enumerate(rows):
        for first, last in _split(text, 0 if number == 0 else start, end):
            words = word_count(text[first:last])
            yield _Piece(
                where[number], Span(table.id, first, last), words, table=True, repeated=repeated
            )
        if end == head and (trimmed := _trim(text, 0, head)):
            short = word_count(text[:head]) <= MAX_REPEATED_WORDS
            repeated = (Span(table.id, *trimmed),) if short else ()


def _table_lines(table: Table) -> tuple[int, list[tuple[int, int]]]:
    """Where caption and leading header rows end in the table's text, and each row's range."""
    position = len(table.caption) + 1 if table.caption else 0
    head = 0
    ranges: list[tuple[int, int]] = []
    in_head = True
    for row in table_rows(table):
        end = position + len(CELL_SEPARATOR.join(cell.text for cell in row))
        ranges.append((position, end))
        in_head = in_head and bool(row) and all(cell.is_header for cell in row)
        head = end if in_head else head
        position = end + 1
    return head, ranges


def _row_pages(table: Table, rows: int, page: int) -> list[int]:
    """The page that each row starts on, `page` where its cells have no boxes."""
    pages: dict[int, int] = {}
    for cell in table.cells:
        if cell.region:
            pages[cell.row] = min(cell.region.page, pages.get(cell.row, cell.region.page))
    return [pages.get(row, page) for row in range(rows)]


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Ranges that hold all words from `start` to `end`: whole if short, else whole sentences."""
    if word_count(text[start:end]) <= TARGET_WORDS:
        ranges: Iterable[tuple[int, int]] = [(start, end)]
    else:
        ranges = _gather(text, _sentences(text, start, end))
    for first, last in ranges:
        if trimmed := _trim(text, first, last):
            yield trimmed


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _SENTENCE.finditer(text, start, end):
        first, last = match.span()
        if first == last:
            continue
        if word_count(match.group()) <= TARGET_WORDS:
            yield first, last
        else:
            yield from (word.span() for word in _WORD_WITH_BLANK.finditer(text, first, last))


def _gather(text: str, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Neighbouring ranges joined up to the target length."""
    start, last, size = -1, -1, 0
    for first, end in ranges:
        words = word_count(text[first:end])
        if start >= 0 and size + words > TARGET_WORDS:
            yield start, last
            start, size = -1, 0
        start = first if start < 0 else start
        last, size = end, size + words
    if start >= 0:
        yield start, last


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = start + len(piece.rstrip())
    return (left, right) if left < right else None


def _groups(pieces: Iterable[_Piece]) -> Iterator[list[_Piece]]:
    """The pieces of one page gathered to chunks."""
    group: list[_Piece] = []
    for piece in pieces:
        if group and _breaks(group, piece):
            body = max((at for at, other in enumerate(group, 1) if not other.leads), default=0)
            yield group[: body or len(group)]
            group = group[body:] if body else []
        group.append(piece)
    if group:
        yield group


def _breaks(group: list[_Piece], piece: _Piece) -> bool:
    """Whether `piece` begins a new chunk after `group`, with the leads at the group's end."""
    size = sum(other.words for other in group)
    body = next((other for other in reversed(group) if not other.leads), None)
    if body is None:
        return size > TARGET_WORDS
    if body.table or piece.table:
        return body.span.block != piece.span.block or size + piece.words > TARGET_WORDS
    return size + piece.words > TARGET_WORDS or (piece.leads and size >= MIN_WORDS)


def _spans(group: list[_Piece]) -> list[Span]:
    """The spans of a chunk: what is repeated, then its pieces, ranges of one block joined."""
    spans: list[Span] = []
    for piece in group:
        if piece.table and not any(span.block == piece.span.block for span in spans):
            spans.extend(piece.repeated)
        if spans and spans[-1].block == piece.span.block and spans[-1].end + 1 == piece.span.start:
            spans[-1] = Span(piece.span.block, spans[-1].start, piece.span.end)
        else:
            spans.append(piece.span)
    return spans
