"""Pages drawn in code and read by the native parser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pymupdf

from docpipe.parsers.native import NativeParser
from docpipe.pdf import open_document
from docpipe.records import OutlineEntry, Page, TextBlock
from docpipe.stages import PageFacts

LOREM = (
    "The committee met in the morning to discuss the new bridge over the river. Several members "
    "asked how long the work would take and whether the old crossing could stay open. The engineer "
    "answered that traffic would move to the northern lane for about two months."
)


def facts_of(
    build: Callable[[pymupdf.Document], None],
) -> tuple[list[PageFacts], list[OutlineEntry]]:
    """The facts of each page of the document that `build` draws, and its outline."""
    drawn = pymupdf.open()
    build(drawn)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.pdf"
        drawn.save(path)
        parser = NativeParser()
        with open_document(path) as document:
            numbers = range(1, document.page_count + 1)
            return [parser.read_page(document.page(n)) for n in numbers], document.outline()


def read(build: Callable[[pymupdf.Document], None]) -> list[Page]:
    """The pages of the document that `build` draws."""
    return NativeParser().compose(*facts_of(build))


def texts(page: Page) -> list[str]:
    """The text blocks of a page, in order, without furniture."""
    return [
        block.text
        for block in page.blocks
        if isinstance(block, TextBlock) and block.role not in ("page_header", "page_footer")
    ]


def roles(page: Page) -> dict[str, str]:
    """The role of each text block by its text."""
    return {block.text: block.role for block in page.blocks if isinstance(block, TextBlock)}


def column(
    page: pymupdf.Page,
    x: float,
    y: float,
    width: float,
    text: str,
    size: float = 10,
    **style: object,
) -> float:
    """Sets a paragraph line by line, left-aligned; the y below its last line."""
    font = pymupdf.Font(str(style.get("fontname", "helv")))
    for line in wrapped(text.split(), font, size, width):
        page.insert_text((x, y), line, fontsize=size, **style)
        y += 1.2 * size
    return y


def wrapped(words: Sequence[str], font: pymupdf.Font, size: float, width: float) -> list[str]:
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.text_length(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def prose(words: int, start: int = 0) -> str:
    """That many words of running text, different for each start."""
    parts = LOREM.split()
    return " ".join(parts[(start + index) % len(parts)] for index in range(words))
