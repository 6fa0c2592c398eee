"""Builders for small documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from docpipe.geometry import BBox
from docpipe.records import (
    Block,
    Cell,
    Document,
    Link,
    Page,
    Region,
    Role,
    Source,
    Table,
    TextBlock,
    Word,
)

BOX = BBox(50, 50, 250, 100)
SOURCE = Source((Region(1, BOX),), "test")


@pytest.fixture
def text() -> Callable[..., TextBlock]:
    """text("Hello", "heading", 2): a text block."""
    made: list[TextBlock] = []

    def build(text: str, role: Role = "paragraph", level: int | None = None) -> TextBlock:
        made.append(TextBlock(f"p1/text{len(made) + 1}", SOURCE, text, role, level))
        return made[-1]

    return build


@pytest.fixture
def table() -> Callable[..., Table]:
    """table(["H1", "H2"], ["a", "b"]): a table whose first row is a header."""

    def build(*rows: list[str], **fields: Any) -> Table:
        cells = [
            Cell(row, column, text, is_header=row == 0)
            for row, texts in enumerate(rows)
            for column, text in enumerate(texts)
        ]
        return Table("p1/table1", SOURCE, tuple(cells), **fields)

    return build


@pytest.fixture
def document() -> Callable[..., Document]:
    """document(block, …, links=…): a document of one page."""

    def build(
        *blocks: Block, links: tuple[Link, ...] = (), words: tuple[Word, ...] = ()
    ) -> Document:
        page = Page(1, "i", 600, 800, blocks=blocks, links=links, words=words)
        return Document(id="0" * 16, name="small.pdf", pages=(page,))

    return build
