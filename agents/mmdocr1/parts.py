"""Pages known by a document's own order: its figures and tables, its contents, what goes on over a
page break."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docpipe.agents.mmdocr1.leads import home
from docpipe.agents.mmdocr1.state import State
from docpipe.agents.structure import page_range
from docpipe.agents.tools import PageKey
from docpipe.content import block_text, body_blocks, find_page, is_furniture
from docpipe.records import Block, Page, Table, TextBlock

_MOST = 8
_FRONT = 20  # pages among which a table of contents is looked for
_CONTENTS = re.compile(r"\btable of contents\b|\bhow many (?:main )?chapters\b", re.I)
_IS_CONTENTS = re.compile(r"(?:table of )?contents", re.I)


def part_pages(state: State) -> list[PageKey]:
    """The pages with figures or tables, in the range that a question names, where it asks how many
    there are and they stand on few pages."""
    document, kind = home(state), state.asked.element
    if document is None or kind not in ("figure", "table"):
        return []
    pages = page_range(state.asked, state.tools.library.document(document)) or ()
    numbers = {page.number for page in pages}
    parts = state.tools.outline(document)
    found = dict.fromkeys(part.page for part in parts if part.kind == kind and part.page in numbers)
    return [(document, page) for page in found] if len(found) <= _MOST else []


def contents_pages(state: State) -> list[PageKey]:
    """The page headed "Contents" where a question asks about the table of contents."""
    document = home(state)
    if document is None or not _CONTENTS.search(state.asked.text):
        return []
    pages = state.tools.library.document(document).pages[:_FRONT]
    return [
        (document, page.number)
        for page in pages
        for block in page.blocks
        if _IS_CONTENTS.fullmatch(block_text(block).strip())
    ][:1]


def goes_on(state: State, keys: Sequence[PageKey], *, always: bool = False) -> Iterator[PageKey]:
    """The pages on which a list, table or sentence of these pages goes on, or `always` the next."""
    for document, number in keys:
        whole = state.tools.library.document(document)
        page, after = find_page(whole, number), find_page(whole, number + 1)
        if page and after and (always or _is_continued(page, after)):
            yield document, number + 1


def title_of(page: Page) -> str:
    """The first title or heading of a page, or else its first line if that is short."""
    blocks = [block for block in page.blocks if isinstance(block, TextBlock)]
    heads = [block.text for block in blocks if block.role in ("title", "heading")]
    lines = heads or [block.text for block in blocks[:1] if not is_furniture(block)]
    return " ".join(lines[0].split()) if lines and len(lines[0]) < 80 else ""


def _is_continued(page: Page, after: Page) -> bool:
    blocks, following = list(body_blocks(page)), list(body_blocks(after))
    if not blocks or not following:
        return False
    last, first = blocks[-1], following[0]
    if isinstance(last, Table) and isinstance(first, Table):
        return last.shape[1] == first.shape[1]
    return (_is_item(last) and _is_item(first)) or _breaks_off(last, first)


def _is_item(block: Block) -> bool:
    return isinstance(block, TextBlock) and block.role == "list_item"


def _breaks_off(last: Block, first: Block) -> bool:
    """Whether a sentence goes on over the break."""
    end, start = block_text(last).rstrip(), block_text(first)
    return bool(end) and end[-1] not in ".!?:" and start[:1].islower()
