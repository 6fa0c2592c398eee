"""Evidence that is true by construction, and the check that it is.

`cite` makes an Evidence from a range of a block's text; `verify` keeps of an answer's evidence only
what stands verbatim in the block it names, and withdraws an answer that is left without any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from docpipe.content import block_text, locate
from docpipe.errors import ConfigError
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


def check(evidence: Evidence, document: Document) -> Evidence | None:
    """The evidence with its true page, label and boxes; None when its block lacks the quote.

    A quote that stands several times in the block is kept where the evidence has it, if it is one
    of these places.
    """
    places = list(_places(evidence, document))
    return evidence if evidence in places else next(iter(places), None)


def verify(answer: Answer, document: Callable[[str], Document]) -> Answer:
    """The answer with only true evidence; not answerable when an answer has none left.

    `document` gives a document by id and raises KeyError or ConfigError for one that it lacks.
    """
    checked = (_checked(item, document) for item in answer.evidence)
    kept = tuple(item for item in checked if item is not None)
    if answer.answerable and not kept:
        return Answer(UNSUPPORTED, None, "none", False, (), 0.0, answer.trajectory)
    return msgspec.structs.replace(answer, evidence=kept)


def _checked(evidence: Evidence, document: Callable[[str], Document]) -> Evidence | None:
    try:
        return check(evidence, document(evidence.document))
    except (KeyError, ConfigError):
        return None


def _places(evidence: Evidence, document: Document) -> Iterator[Evidence]:
    """Where the quote stands in the block it names, each as evidence."""
    if not evidence.quote.strip() or evidence.document != document.id:
        return
    for page in document.pages:
        for block in page.blocks:
            if block.id != evidence.block:
                continue
            start = block_text(block).find(evidence.quote)
            while start >= 0:
                end = start + len(evidence.quote)
                yield cite(document, page, block, start, end, evidence.score)
                start = block_text(block).find(evidence.quote, start + 1)
