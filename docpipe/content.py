"""The text of blocks, and where a piece of it stands on the page.

One definition serves chunks, quotes and highlights: `block_text` gives the text that spans and
quotes refer to, `locate` the boxes of a range of it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from docpipe.geometry import BBox, union_all
from docpipe.records import (
    Block,
    Cell,
    Document,
    Figure,
    Formula,
    Page,
    Region,
    Table,
    TextBlock,
    Word,
)

FURNITURE = frozenset({"page_header", "page_footer"})
CELL_SEPARATOR = " | "
_SAID = 0.9  # of the letters of a range, which its boxes have to say


def block_text(block: Block) -> str:
    """The text of a block that Span offsets and quotes refer to.

    Tables: the caption, then a line a row with cells joined by " | ". Figures: caption and
    description, a line each. Formulas: LaTeX.
    """
    match block:
        case TextBlock():
            return block.text
        case Table():
            rows = [CELL_SEPARATOR.join(cell.text for cell in row) for row in table_rows(block)]
            return "\n".join(([block.caption] if block.caption else []) + rows)
        case Formula():
            return block.latex
        case Figure():
            return "\n".join(part for part in (block.caption, block.description) if part)


def table_rows(table: Table) -> list[list[Cell]]:
    """The cells of each row that starts there, by column."""
    rows: list[list[Cell]] = [[] for _ in range(table.shape[0])]
    for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column)):
        rows[cell.row].append(cell)
    return rows


def is_furniture(block: Block) -> bool:
    """Whether a block is a running header or footer, which reading text leaves out."""
    return isinstance(block, TextBlock) and block.role in FURNITURE


def body_blocks(page: Page) -> Iterator[Block]:
    """The blocks of a page in reading order, without running headers and footers."""
    return (block for block in page.blocks if not is_furniture(block))


def page_text(page: Page, *, furniture: bool = False) -> str:
    """The text of a page in reading order, blocks separated by a blank line."""
    blocks = page.blocks if furniture else body_blocks(page)
    return "\n\n".join(text for text in map(block_text, blocks) if text)


def find_block(document: Document, id: str) -> Block | None:
    """The block with this id (`p3/table2`), or None."""
    return next((block for page in document.pages for block in page.blocks if block.id == id), None)


def find_page(document: Document, number: int) -> Page | None:
    """The page with this number: a document may hold only some pages of its file."""
    if 1 <= number <= len(document.pages) and document.pages[number - 1].number == number:
        return document.pages[number - 1]
    return next((page for page in document.pages if page.number == number), None)


def locate(document: Document, block: Block, start: int, end: int) -> tuple[Region, ...]:
    """The boxes, a line each, of characters `start` to `end` of `block_text(block)`.

    Exact to the word for text blocks and captions and to the cell for tables; the whole block where
    its words cannot be told apart (no words, or text that differs from them).
    """
    regions = block.source.regions
    if isinstance(block, Table):
        caption = _located(document, block.caption or "", regions[1:], start, end)
        return (*caption, *_locate_cells(block, start, end)) or regions
    if isinstance(block, Figure):  # its caption comes first in the text, and last among the boxes
        regions = (*regions[1:], *regions[:1])
    return _located(document, block_text(block), regions, start, end) or block.source.regions


def _located(
    document: Document, text: str, regions: tuple[Region, ...], start: int, end: int
) -> tuple[Region, ...]:
    """The boxes of a range of `text` among the words in `regions`; none where these say too little
    of it."""
    words = [
        (region.page, word)
        for region in regions
        for box in [region.bbox.expand(1.0)]
        if (page := find_page(document, region.page))
        for word in page.words
        if box.contains_point(*word.bbox.center)
    ]
    found = _words_in_range(text, words, start, end)
    said = sum(len(_key(word.text)) for _, word in found)
    if said < _SAID * sum(len(_key(char)) for char in text[start:end]):
        return ()
    return join_lines([(page, word.bbox) for page, word in found])


def _locate_cells(table: Table, start: int, end: int) -> tuple[Region, ...]:
    regions: list[Region] = []
    position = len(table.caption) + 1 if table.caption else 0
    for row in table_rows(table):
        for cell in row:
            if cell.region and position < end and start < position + len(cell.text):
                regions.append(cell.region)
            position += len(cell.text) + len(CELL_SEPARATOR)
        position += 1 - (len(CELL_SEPARATOR) if row else 0)
    return tuple(regions)


def _words_in_range(
    text: str, words: list[tuple[int, Word]], start: int, end: int
) -> list[tuple[int, Word]]:
    """Words matched to `text` one after another, compared without blanks, hyphens and case."""
    letters = [(index, key) for index, char in enumerate(text) for key in _key(char)]
    keys = "".join(key for _, key in letters)
    found: list[tuple[int, Word]] = []
    position = 0
    for page, word in words:
        key = _key(word.text)
        at = keys.find(key, position, position + len(key) + 40) if key else -1
        if at < 0:
            continue
        position = at + len(key)
        first, last = letters[at][0], letters[position - 1][0]
        if first < end and start <= last:
            found.append((page, word))
    return found


@lru_cache(maxsize=20_000)
def _key(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum())


def join_lines(boxes: list[tuple[int, BBox]]) -> tuple[Region, ...]:
    """Boxes (with their page) that follow each other on one line, joined."""
    lines: list[tuple[int, list[BBox]]] = []
    for page, box in boxes:
        if lines and lines[-1][0] == page and _same_line(lines[-1][1][-1], box):
            lines[-1][1].append(box)
        else:
            lines.append((page, [box]))
    return tuple(Region(page, union_all(line)) for page, line in lines)


def _same_line(left: BBox, right: BBox) -> bool:
    return (
        left.y_overlap(right) > 0.5 * min(left.height, right.height)
        and -2 * left.height < right.x0 - left.x1 < 3 * left.height
    )
