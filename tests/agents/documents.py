"""Documents for the tests of answering, made in code."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.geometry import BBox
from docpipe.records import (
    Block,
    Cell,
    Document,
    HiddenText,
    Page,
    Region,
    Role,
    Source,
    Table,
    TextBlock,
    Word,
)
from docpipe.stages import PageContent


def source(page: int, line: int) -> Source:
    return Source((Region(page, BBox(50, 40 * line, 550, 40 * line + 30)),), "test")


def text(page: int, line: int, words: str, role: Role = "paragraph") -> TextBlock:
    return TextBlock(f"p{page}/text{line}", source(page, line), words, role)


def table(page: int, line: int, rows: Sequence[Sequence[str]], caption: str | None = None) -> Table:
    cells = tuple(
        Cell(
            row,
            column,
            words,
            is_header=row == 0,
            region=Region(
                page,
                BBox(50 + 90 * column, 40 * line + row, 130 + 90 * column, 40 * line + row + 1),
            ),
        )
        for row, cells in enumerate(rows)
        for column, words in enumerate(cells)
    )
    return Table(f"p{page}/table{line}", source(page, line), cells, caption)


def document(*pages: Sequence[Block], hidden: str = "") -> Document:
    """A document of these blocks a page, with hidden text on its first page."""
    return Document(
        id="0123456789abcdef",
        name="mill.pdf",
        pages=tuple(
            Page(
                number,
                f"{number + 10}",
                600,
                800,
                blocks=tuple(blocks),
                words=_words(blocks),
                hidden=(HiddenText(source(1, 1).regions[0], hidden, "white"),)
                if number == 1
                else (),
            )
            for number, blocks in enumerate(pages, 1)
        ),
    )


def _words(blocks: Sequence[Block]) -> tuple[Word, ...]:
    """The words of text blocks, side by side in the block's box."""
    words = []
    for block in blocks:
        if isinstance(block, TextBlock):
            box = block.source.regions[0].bbox
            parts = block.text.split()
            step = box.width / max(1, len(parts))
            for at, part in enumerate(parts):
                x = box.x0 + at * step
                words.append(Word(part, BBox(x, box.y0 + 5, x + step * 0.9, box.y1 - 5)))
    return tuple(words)


def contents(found: Document) -> list[PageContent]:
    return [PageContent(found, page) for page in found.pages]
