"""Pages of facts made one document: furniture, headings, joins, ids."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from docpipe.parsers.native.continuation import join_paragraphs, join_tables
from docpipe.parsers.native.furniture import mark_furniture
from docpipe.parsers.native.headings import mark_headings
from docpipe.parsers.native.hyphens import Vocabulary, join_lines
from docpipe.parsers.native.references import mark_references
from docpipe.records import Block, Figure, Formula, OutlineEntry, Page, Table, TextBlock
from docpipe.stages import Draft, PageFacts


def compose_pages(facts: Sequence[PageFacts], outline: Sequence[OutlineEntry]) -> list[Page]:
    """The pages of a document, from facts of any parser, in linear time.

    The steps, each a function from drafts a page to drafts a page: running headers and footers,
    headings and their levels, the list of references, lines joined to text, paragraphs and tables
    that go on in the next column or page.
    """
    pages = [list(page.drafts) for page in facts]
    pages = mark_furniture(pages, facts)
    pages = mark_headings(pages, outline)
    pages = mark_references(pages)
    vocabulary = Vocabulary.of(pages)
    pages = join_paragraphs(pages, vocabulary)
    pages = [[_with_joined_lines(draft, vocabulary) for draft in drafts] for drafts in pages]
    pages = join_tables(pages)
    return [
        _page(page, [draft.block for draft in drafts])
        for page, drafts in zip(facts, pages, strict=True)
    ]


def _with_joined_lines(draft: Draft, vocabulary: Vocabulary) -> Draft:
    """The text of the block's lines; `raw` is kept only where hyphens were undone."""
    block = draft.block
    if not isinstance(block, TextBlock) or block.raw is None:
        return draft
    if block.role == "code":
        changed = msgspec.structs.replace(block, text=block.raw, raw=None)
    else:
        text, undone = join_lines(block.raw.split("\n"), vocabulary)
        changed = msgspec.structs.replace(block, text=text, raw=block.raw if undone else None)
    return msgspec.structs.replace(draft, block=changed)


def _page(page: PageFacts, blocks: Sequence[Block]) -> Page:
    return Page(
        number=page.number,
        label=page.label,
        width=page.width,
        height=page.height,
        rotation=page.rotation,
        words=page.words,
        blocks=tuple(_numbered(page.number, blocks)),
        quality=page.quality,
        links=page.links,
        annotations=page.annotations,
        hidden=page.hidden,
    )


def _numbered(page: int, blocks: Sequence[Block]) -> list[Block]:
    """Ids by kind, in reading order: p3/text1, p3/table1, p3/text2."""
    counts: dict[str, int] = {}
    numbered: list[Block] = []
    for block in blocks:
        kind = _kind(block)
        counts[kind] = counts.get(kind, 0) + 1
        numbered.append(msgspec.structs.replace(block, id=f"p{page}/{kind}{counts[kind]}"))
    return numbered


def _kind(block: Block) -> str:
    match block:
        case TextBlock():
            return "text"
        case Table():
            return "table"
        case Formula():
            return "formula"
        case Figure():
            return "figure"
