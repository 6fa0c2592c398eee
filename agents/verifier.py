"""Evidence that is true by construction, and the check that it is.

`cite` makes an Evidence from a range of a block's text; `verify` keeps of an answer's evidence only
what stands verbatim in the block it names, and withdraws an answer that is left without any.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from docpipe.content import block_text, locate
from docpipe.records import Answer, Block, Document, Evidence, Page

UNSUPPORTED = "Not answerable: no quotation from the documents supports the answer."


def cite(
    document: Document, page: Page, block: Block, start: int, end: int, score: float
) -> Evidence:
    """Evidence for characters `start` to `end` of `block_text(block)`, a block of `page`.

    Page and label are those of the first region, as a block may go over several pages.
    """
    regions = locate(document, block, start, end)
    number = regions[0].page if regions else page.number
    return Evidence(
        document=document.id,
        page=number,
        page_label=document.pages[number - 1].label,
        block=block.id,
        regions=regions,
        quote=block_text(block)[start:end],
        score=score,
    )


def is_true(evidence: Evidence, document: Document) -> bool:
    """Whether the quote stands verbatim in the block and page it names."""
    found = _find(document, evidence.block)
    if found is None or not evidence.quote.strip() or evidence.document != document.id:
        return False
    page, block = found
    text = block_text(block)
    start = text.find(evidence.quote)
    while start >= 0:
        true = cite(document, page, block, start, start + len(evidence.quote), evidence.score)
        if true == evidence:
            return True
        start = text.find(evidence.quote, start + 1)
    return False


def verify(answer: Answer, document: Callable[[str], Document]) -> Answer:
    """The answer with only true evidence; not answerable when an answer has none left.

    `document` gives a document by id and may raise KeyError for one that does not exist.
    """
    kept = tuple(item for item in answer.evidence if _holds(item, document))
    if answer.answerable and not kept:
        return Answer(UNSUPPORTED, None, "none", False, (), 0.0, answer.trajectory)
    return msgspec.structs.replace(answer, evidence=kept)


def _holds(evidence: Evidence, document: Callable[[str], Document]) -> bool:
    try:
        return is_true(evidence, document(evidence.document))
    except KeyError:
        return False


def _find(document: Document, id: str) -> tuple[Page, Block] | None:
    return next(
        ((page, block) for page in document.pages for block in page.blocks if block.id == id), None
    )
