"""A library in memory, of two small reports made in code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.records import (
    Block,
    Cell,
    Chunk,
    Document,
    Figure,
    Hit,
    Page,
    PageHit,
    Region,
    Role,
    Source,
    Table,
    TextBlock,
)

TABLE = (("Mill", "Output", "Staff"), ("Upper mill", "1,380", "12"), ("Lower mill", "940", "31"))
OTHER_TABLE = (("Weir", "Height"), ("Stone weir", "2.4"), ("Timber weir", "1.1"))


def _source(page: int, line: int) -> Source:
    return Source((Region(page, BBox(50, 40 * line, 550, 40 * line + 30)),), "test")


def text(page: int, line: int, words: str, role: Role = "paragraph") -> TextBlock:
    level = 1 if role == "heading" else None
    return TextBlock(f"p{page}/text{line}", _source(page, line), words, role, level)


def table(page: int, line: int, rows: tuple[tuple[str, ...], ...], caption: str) -> Table:
    cells = tuple(
        Cell(
            row,
            column,
            words,
            is_header=row == 0,
            region=Region(page, BBox(50 + 90 * column, 40 * line + row, 130 + 90 * column, 900)),
        )
        for row, line_cells in enumerate(rows)
        for column, words in enumerate(line_cells)
    )
    return Table(f"p{page}/table{line}", _source(page, line), cells, caption)


def figure(page: int, line: int, caption: str) -> Figure:
    return Figure(f"p{page}/figure{line}", _source(page, line), caption)


def document(id: str, *pages: tuple[Block, ...]) -> Document:
    return Document(
        id=id,
        name=f"{id}.pdf",
        pages=tuple(
            Page(number, str(number), 600, 800, blocks=blocks)
            for number, blocks in enumerate(pages, 1)
        ),
    )


MILLS = document(
    "aaaa",
    (
        text(1, 1, "The mills of Ardle", "title"),
        text(1, 2, "The oldest wheel is the one at Kirk Bridge. Most were burnt in the war."),
        text(1, 3, "How the harvest came to the river is drawn in Figure 2 on a later sheet."),
    ),
    (
        text(2, 1, "Output and staff", "heading"),
        text(2, 2, "Both mills grind for the town."),
        table(2, 3, TABLE, "Table 1: Output and staff of both mills in tons"),
    ),
    (
        text(3, 1, "Ways of the grain", "heading"),
        figure(3, 2, "Figure 1: Carts on the northern road"),
        figure(3, 3, "Figure 2: Barges between field and granary"),
    ),
    (
        text(4, 1, "Water", "heading"),
        text(4, 2, "The deepest pond was a gift of the abbey."),
        table(4, 3, OTHER_TABLE, "Table 2: Weirs and their height in metres"),
    ),
)
BAKERS = document(
    "bbbb",
    (
        text(1, 1, "The bakers", "title"),
        text(1, 2, "The strongest yeast is a secret of the guild."),
        table(1, 3, (("Loaf", "Weight"), ("Rye loaf", "900"), ("Barley bun", "80")), "Table 1: L"),
    ),
)


class MemoryLibrary:
    """Documents without a search."""

    def __init__(self, *documents: Document) -> None:
        self._documents = {document.id: document for document in documents}

    def documents(self) -> Iterator[str]:
        return iter(self._documents)

    def document(self, id: str) -> Document:
        try:
            return self._documents[id]
        except KeyError:
            raise ConfigError(f"no document is called {id!r}", code="unknown_document") from None

    def search(self, query: str, k: int = 10, documents: Any = None) -> list[Hit]:
        return []

    def search_pages(self, query: str, k: int = 10, documents: Any = None) -> list[PageHit]:
        return []

    def chunk(self, id: str) -> Chunk:
        raise ConfigError(id, code="unknown_chunk")

    def page_image(self, document: str, page: int, dpi: float = 144) -> Any:
        raise NotImplementedError
