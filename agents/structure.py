"""Counts of a document's own parts: figures, tables, pages, chapters, sections.

Parts are counted by their numbers ("Table 3"), so that a caption and a mention are one. Only what
is numbered can be counted from text; a question with further conditions is left to other means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from docpipe.agents.question import Element, Question
from docpipe.agents.terms import content_words, fold
from docpipe.content import block_text, body_blocks
from docpipe.records import Block, Document, Page, TextBlock

_LABELS: dict[Element, re.Pattern[str]] = {
    "figure": re.compile(
        r"^(?:fig(?:ure|\.)?|chart|diagram)\s*(\d+(?:[.-]\d+)?|[A-Z]\.?\d+)\b", re.I
    ),
    "table": re.compile(r"^table\s*(\d+(?:[.-]\d+)?|[A-Z]\.?\d+)\b", re.I),
    "chapter": re.compile(r"^(?:chapter|section)\s*(\d+|[ivx]+)\b", re.I),
}
_OWN_WORDS = frozenset(
    content_words(
        "figures tables charts diagrams images graphs plots pages chapters sections total number "
        "entire whole included contained present article document main overall course book file"
    )
)
_RANGE = re.compile(r"pages?\s*(\d+)\s*(?:to|-|–|and|through)\s*(?:page\s*)?(\d+)", re.I)


class Part(msgspec.Struct, frozen=True):
    """A numbered part of a document and the block that carries its number."""

    page: Page
    block: Block
    label: str


def counted_parts(question: Question, document: Document) -> list[Part] | None:
    """The parts a question counts, in order; None when it counts nothing of the kind.

    "How many tables are in the document", optionally "from page 3 to page 10".
    """
    element = question.element
    pages = page_range(question, document)
    if element is None and pages == document.pages:
        return _numbered_things(question, document)
    if element is None or element not in _LABELS or pages is None:
        return None
    if not _OWN_WORDS.issuperset(set(content_words(_RANGE.sub(" ", question.text)))):
        return None
    parts: dict[str, Part] = {}
    for page in pages:
        for part in _parts(page, element):
            parts.setdefault(fold(part.label), part)
    return list(parts.values()) or None


def _numbered_things(question: Question, document: Document) -> list[Part] | None:
    """Things that a document numbers from 1 on, such as "Quiz #1" or "Exercise 4"."""
    thing = question.focus[-1] if question.kind == "count" and question.focus else ""
    asked = set(content_words(_RANGE.sub(" ", question.text)))
    if len(thing) < 3 or not asked <= _OWN_WORDS | {thing}:
        return None
    label = re.compile(
        rf"\b{re.escape(thing)}\w{{0,3}}\s*(?:#|no\.?\s*)?(\d{{1,2}})(?![\d.,%])", re.I
    )
    parts: dict[int, Part] = {}
    for page in document.pages:
        for block in body_blocks(page):
            for match in label.finditer(block_text(block)):
                parts.setdefault(int(match[1]), Part(page, block, match[1]))
    whole = len(parts) > 1 and sorted(parts) == list(range(1, len(parts) + 1))
    return [parts[number] for number in sorted(parts)] if whole else None


def page_range(question: Question, document: Document) -> tuple[Page, ...] | None:
    """The pages a question limits itself to, all where it names no range; None for others."""
    match = _RANGE.search(question.text)
    if match is None:
        return document.pages if not question.pages else None
    first, last = int(match[1]), int(match[2])
    return document.pages[first - 1 : last] or None if 0 < first <= last else None


def _parts(page: Page, element: Element) -> Iterator[Part]:
    """The parts labelled at the start of a caption, or of a heading for chapters."""
    roles = ("title", "heading") if element == "chapter" else ("caption", "paragraph", "heading")
    for block in body_blocks(page):
        if isinstance(block, TextBlock) and block.role not in roles:
            continue
        match = _LABELS[element].match(block_text(block))
        if match and (element == "chapter" or _is_caption(block, match)):
            yield Part(page, block, match[1])


def _is_caption(block: Block, match: re.Match[str]) -> bool:
    """A caption starts with its label, then a mark; a sentence may start "Figure 3 shows"."""
    if isinstance(block, TextBlock) and block.role != "caption":
        return bool(re.match(r"\s*[:.|–—]", match.string[match.end() :]))
    return True
