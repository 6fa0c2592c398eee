"""What all exports share: clean characters, the order of blocks, plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docpipe.content import block_text, body_blocks
from docpipe.records import Block, Document, Figure, Page, Table, TextBlock

_LINE_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """`text` without control characters but tab and line feed, encodable as UTF-8."""
    text = _LINE_BREAKS.sub("\n", text)
    return _SURROGATES.sub("\ufffd", _UNPRINTABLE.sub("", text))


def one_line(text: str) -> str:
    """`text` with every run of white space as one blank."""
    return " ".join(clean(text).split())


def lines(text: str) -> list[str]:
    """The lines of `text` that are not blank, stripped, tabs as blanks."""
    stripped = (line.replace("\t", " ").strip() for line in clean(text).split("\n"))
    return [line for line in stripped if line]


def page_flow(page: Page, *, furniture: bool = False) -> list[Block]:
    """The blocks of a page in reading order, footnotes after the rest.

    Left out: running headers and footers (unless `furniture`), and caption blocks that only repeat
    the caption of a table or figure of the page.
    """
    blocks = list(page.blocks if furniture else body_blocks(page))
    captions = {block.caption for block in blocks if isinstance(block, Table | Figure)}
    kept = [block for block in blocks if not _is_repeated_caption(block, captions)]
    return sorted(kept, key=_after_the_rest)


def _is_repeated_caption(block: Block, captions: set[str | None]) -> bool:
    return isinstance(block, TextBlock) and block.role == "caption" and block.text in captions


def _after_the_rest(block: Block) -> int:
    """Sort key (0, 1 or 2): the body, footnotes, the running footer."""
    role = block.role if isinstance(block, TextBlock) else ""
    return {"footnote": 1, "page_footer": 2}.get(role, 0)


def document_flow(document: Document, *, furniture: bool = False) -> Iterator[Block]:
    """The blocks of all pages, as `page_flow` orders them."""
    for page in document.pages:
        yield from page_flow(page, furniture=furniture)


def heading_shift(document: Document) -> int:
    """What to add to heading levels so that they stand below the title, if there is one."""
    blocks = [block for page in document.pages for block in page.blocks]
    texts = [block for block in blocks if isinstance(block, TextBlock)]
    has_title = any(block.role == "title" for block in texts)
    levels = [block.level or 1 for block in texts if block.role == "heading"]
    return 1 if has_title and min(levels, default=2) == 1 else 0


def to_text(document: Document) -> str:
    """Reading text without running headers and footers, blocks separated by a blank line."""
    texts = ("\n".join(lines(block_text(block))) for block in document_flow(document))
    return "".join(f"{text}\n\n" for text in texts if text).rstrip("\n") + "\n"
