"""Documents made of blocks, without a PDF."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.geometry import BBox
from docpipe.records import (
    Block,
    Cell,
    Document,
    Figure,
    Page,
    Region,
    Role,
    Source,
    Table,
    TextBlock,
    Word,
)

WIDTH, LINE, CHARACTER = 500.0, 12.0, 6.0


def document(pages: Sequence[Sequence[Block]], id: str = "0123456789abcdef") -> Document:
    """A document of these blocks, with a word box for each word of its text blocks."""
    return Document(
        id=id,
        name=f"{id}.pdf",
        pages=tuple(
            Page(number, str(number), 600, 5000, blocks=tuple(blocks), words=_words(blocks))
            for number, blocks in enumerate(pages, 1)
        ),
    )


def of_texts(*pages: str, id: str = "0123456789abcdef") -> Document:
    """A document with one paragraph a page; an empty text is an empty page."""
    return document(
        [[text(number, 1, page)] if page else [] for number, page in enumerate(pages, 1)], id
    )


def text(page: int, number: int, content: str, role: Role = "paragraph") -> TextBlock:
    return TextBlock(f"p{page}/text{number}", _source(page, number), content, role)


def table(
    page: int, number: int, rows: Sequence[Sequence[str]], caption: str | None = None
) -> Table:
    """A table whose first row is a header; each cell has its box."""
    cells = tuple(
        Cell(row, column, content, is_header=row == 0, region=_cell_region(page, number, row))
        for row, contents in enumerate(rows)
        for column, content in enumerate(contents)
    )
    return Table(f"p{page}/table{number}", _source(page, number), cells, caption)


def figure(page: int, number: int, caption: str | None = None) -> Figure:
    return Figure(f"p{page}/figure{number}", _source(page, number), caption)


def _source(page: int, number: int) -> Source:
    return Source(
        (Region(page, BBox(50, number * 400.0, 50 + WIDTH, number * 400.0 + 399)),), "test"
    )


def _cell_region(page: int, number: int, row: int) -> Region:
    top = number * 400.0 + row * LINE
    return Region(page, BBox(50, top, 50 + WIDTH, top + LINE))


def _words(blocks: Sequence[Block]) -> tuple[Word, ...]:
    found = []
    for block in blocks:
        if isinstance(block, TextBlock):
            box = block.source.regions[0].bbox
            x, y = box.x0, box.y0
            for word in block.text.split():
                width = min(len(word) * CHARACTER, WIDTH - 1)
                if x + width > box.x1:
                    x, y = box.x0, min(y + LINE, box.y1 - LINE)
                found.append(Word(word, BBox(x, y, x + width, y + LINE - 2)))
                x += width + CHARACTER
    return tuple(found)
