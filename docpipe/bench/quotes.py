"""Whether a quotation stands where it is shown, told by the words of the page alone.

The agent checks its quotes against the text of their block. This looks at the boxes that a person
would see marked, and at what was read off the page there: another way, so that it can fail.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from docpipe.content import find_page
from docpipe.records import Document, Evidence

_WORD = re.compile(r"\w+")
_ROUND = 1.0  # points by which a box is widened


def stands(evidence: Evidence, document: Document) -> bool:
    """Whether the words in the boxes of the evidence say its quote: letter by letter one after the
    other, or each of its words somewhere among them (a table's cells may be read in any order)."""
    if not evidence.quote.strip() or not evidence.regions:
        return False
    found = list(_words_in_boxes(evidence, document))
    if _letters(evidence.quote) in _letters("".join(found)):
        return True
    said = {word for text in found for word in _WORD.findall(_folded(text))}
    return set(_WORD.findall(_folded(evidence.quote))) <= said


def _words_in_boxes(evidence: Evidence, document: Document) -> Iterator[str]:
    for region in evidence.regions:
        page = find_page(document, region.page)
        box = region.bbox.expand(_ROUND)
        for word in page.words if page else ():
            if box.contains_point(*word.bbox.center):
                yield word.text


def _letters(text: str) -> str:
    return "".join(char for char in _folded(text) if char.isalnum())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
