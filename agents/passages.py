"""Passages: the pieces of a page that can be quoted, each with the words that say what it is about.

A passage is a range of a block's text: a sentence, a list item, a caption, a table row. Its context
is what a reader of the page also sees: the headings above, the sentence that leads a list in, the
caption and column headers of a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

from docpipe.content import CELL_SEPARATOR, block_text, body_blocks, table_rows
from docpipe.records import Block, Cell, Table, TextBlock
from docpipe.stages import PageContent

PassageKind = Literal["sentence", "heading", "item", "row", "caption", "field", "point"]

_HEADS = ("title", "heading")
_LONGEST = 600
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[\"“(]?[A-Z0-9•])|\n+")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_VALUE = re.compile(r"^[$€£]?\s?-?\d[\d.,]*\s?(?:%|\w)?$")
_ENTRY = re.compile(r"[A-Z][\w ]{2,30}:\s")  # a labelled line of an entry: "Remedy: set the time"
_LABEL_WORDS = 6
_CUT = " …"
_YEARS_WITHIN = 30  # characters at the end of the text above a table
_DIRECTORY = re.compile(r"(?:table of )?contents|(?:general |subject )?index", re.IGNORECASE)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Mr|Mrs|Ms|Dr|Prof|Inc|Ltd|Co|Corp|No|Fig|vs|al|e\.g|i\.e|St|Jr|U\.S|[A-Z])\.)$"
)


class CellRange(msgspec.Struct, frozen=True):
    """A cell of a row passage: its range in the block's text and the headers over it."""

    start: int
    end: int
    text: str
    headers: str


class Passage(msgspec.Struct, frozen=True):
    """Characters `start` to `end` of the text of `block` on `content.page`.

    `rank` is the page's place among the pages read (0 the best), `order` the passage's among all.
    """

    content: PageContent
    block: Block
    start: int
    end: int
    text: str
    kind: PassageKind
    context: str
    rank: int = 0
    cells: tuple[CellRange, ...] = ()
    order: int = 0


def passages(
    pages: Sequence[PageContent],
    of_page: Callable[[PageContent], tuple[Passage, ...]] | None = None,
) -> list[Passage]:
    """All passages of the pages, in reading order. `of_page` gives those of a page, if they are
    at hand (`passages_of`)."""
    make = of_page or passages_of
    found = ((rank, passage) for rank, page in enumerate(pages) for passage in make(page))
    return [
        msgspec.structs.replace(passage, rank=rank, order=order)
        for order, (rank, passage) in enumerate(found)
    ]


def passages_of(content: PageContent) -> tuple[Passage, ...]:
    """The passages of a page, those of charts behind the others."""
    from docpipe.agents.charts import chart_points

    return (*_of_page(content), *chart_points(content))


def _of_page(content: PageContent) -> Iterator[Passage]:
    path: dict[int, str] = {}
    lead = ""
    if any(_is_directory(block) for block in content.page.blocks):
        return
    yield from _of_form(content)
    before = ""
    for block in body_blocks(content.page):
        text = block_text(block)
        lead = "" if _breaks(lead, text) else lead
        context = " / ".join([*path.values(), lead] if lead else path.values())
        yield from _of_block(content, block, context, before)
        before = text
        if isinstance(block, TextBlock):
            lead = _lead(block, lead)
            if block.role in _HEADS:
                level = block.level or (1 if block.role == "title" else 2)
                path = {key: text for key, text in path.items() if key < level}
                path[level] = block.text


def _of_form(content: PageContent) -> Iterator[Passage]:
    """The values of form fields, named by their fields, where a block of the page shows them."""
    title = next(
        (b.text for b in content.page.blocks if isinstance(b, TextBlock) and b.role in _HEADS), ""
    )
    for field in content.document.form_fields:
        if field.kind not in ("text", "choice") or not field.value.strip() or not field.region:
            continue
        for block in content.page.blocks if field.region.page == content.page.number else ():
            start = block_text(block).find(field.value)
            boxes = (region.bbox for region in block.source.regions)
            if start >= 0 and any(box.intersection(field.region.bbox) for box in boxes):
                name = re.sub(r"(?<=[a-z])(?=[A-Z])|[_.-]+", " ", field.name)
                end = start + len(field.value)
                context = f"{title} / {name}"
                yield Passage(content, block, start, end, field.value, "field", context)
                break


def _is_directory(block: Block) -> bool:
    """Whether a block is the heading of a page that only says where things stand."""
    return (
        isinstance(block, TextBlock)
        and block.role in _HEADS
        and bool(_DIRECTORY.fullmatch(block.text.strip()))
    )


def _lead(block: TextBlock, before: str) -> str:
    """The text that introduces the blocks after this one: "We offer:", a label on a line of its
    own ("E22", "Date of birth"), or the start of a sentence that a break cut in two."""
    text = block.text.rstrip()
    if block.role == "list_item" or (before and _ENTRY.match(text)):
        return before
    if block.role != "paragraph" or not text or text.endswith((".", "!", "?")):
        return ""
    if text.endswith(":") or len(text.split()) <= _LABEL_WORDS:
        return text[-200:]
    last = sentences(text)[-1]
    return f"{text[last[0] : last[1]]}{_CUT}"


def _breaks(lead: str, text: str) -> bool:
    """Whether a text does not go on with the sentence that its lead begins."""
    return lead.endswith(_CUT) and not text[:1].islower()


def _of_block(content: PageContent, block: Block, context: str, before: str) -> Iterator[Passage]:
    text = block_text(block)
    if isinstance(block, Table):
        years = tuple(_YEAR.findall(before[-_YEARS_WITHIN:]))
        yield from _of_table(content, block, text, context, years)
        return
    kind = _kind(block)
    for start, end in sentences(text):
        yield Passage(content, block, start, end, text[start:end], kind, context)


def _kind(block: Block) -> PassageKind:
    match block:
        case TextBlock(role="title" | "heading"):
            return "heading"
        case TextBlock(role="list_item"):
            return "item"
        case TextBlock(role="caption"):
            return "caption"
        case TextBlock():
            return "sentence"
        case _:
            return "caption"


def sentences(text: str) -> list[tuple[int, int]]:
    """The ranges of the sentences of a text, none over 600 characters, without outer blanks."""
    bounds, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        if "\n" not in match.group() and _ABBREVIATION.search(text[start : match.start()]):
            continue
        bounds.append((start, match.start()))
        start = match.end()
    bounds.append((start, len(text)))
    return [part for bound in bounds for part in _cut(text, *bound)]


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > _LONGEST:
        blank = text.rfind(" ", start, start + _LONGEST)
        middle = blank if blank > start else start + _LONGEST
        yield from _cut(text, start, middle)
        start = middle
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end = start + len(piece.strip())
    if end > start:
        yield start, end


def _of_table(
    content: PageContent,
    table: Table,
    text: str,
    context: str,
    years: tuple[str, ...],
) -> Iterator[Passage]:
    """The caption and the rows of a table. `years` stand in the line above it and head its columns
    where it has as many."""
    position = 0
    if table.caption:
        position = len(table.caption) + 1
        yield Passage(content, table, 0, len(table.caption), table.caption, "caption", context)
    headers = _headers(table)
    about = " / ".join(part for part in (context, table.caption) if part)
    group = ""
    for row in table_rows(table):
        cells, end = _row_cells(row, headers, position)
        cells = _under_years(cells, years)
        line = text[position:end]
        filled = [cell for cell in row if cell.text.strip()]
        if len(filled) == 1 and filled[0].column == 0:
            group = filled[0].text
        if line.strip(" |"):
            heading = " / ".join(part for part in (about, group) if part)
            is_head = all(cell.is_header for cell in filled) and table.shape[1] > 2
            kind: PassageKind = "heading" if is_head else "row"
            values = () if kind == "heading" else tuple(cells)
            yield Passage(content, table, position, end, line, kind, heading, cells=values)
        position = end + 1


def _row_cells(
    row: list[Cell], headers: dict[int, str], position: int
) -> tuple[list[CellRange], int]:
    cells = []
    for cell in row:
        end = position + len(cell.text)
        cells.append(CellRange(position, end, cell.text, headers.get(cell.column, "")))
        position = end + len(CELL_SEPARATOR)
    return cells, position - (len(CELL_SEPARATOR) if row else 0)


def _under_years(cells: list[CellRange], years: tuple[str, ...]) -> list[CellRange]:
    numeric = [cell for cell in cells[1:] if any(char.isdigit() for char in cell.text)]
    if len(years) < 2 or len(numeric) != len(years) or any(_YEAR.search(c.headers) for c in cells):
        return cells
    year = {cell.start: year for cell, year in zip(numeric, years, strict=True)}
    return [
        msgspec.structs.replace(cell, headers=f"{cell.headers} {year[cell.start]}".strip())
        if cell.start in year
        else cell
        for cell in cells
    ]


def _headers(table: Table) -> dict[int, str]:
    """The header text over each column; the first row where the parser marked none and that row
    has no numbers but years. A table of two columns names its values on their left."""
    if table.shape[1] < 3:
        return {}
    marked = [cell for cell in table.cells if cell.is_header and cell.row < 4]
    if not any(cell.column > 0 for cell in marked):
        marked = []
    first = [cell for cell in table.cells if cell.row == 0]
    if any(_VALUE.search(cell.text) and not _YEAR.search(cell.text) for cell in first[1:]):
        first = []
    cells = marked or first
    headers: dict[int, str] = {}
    for cell in sorted(cells, key=lambda cell: cell.row):
        for column in range(cell.column, cell.column + cell.column_span):
            headers[column] = f"{headers.get(column, '')} {cell.text}".strip()
    return headers
