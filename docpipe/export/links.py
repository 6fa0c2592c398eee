"""Links and notes of a page as exports show them: where in the text, and only what is safe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docpipe.export.text import clean, one_line
from docpipe.records import Annotation, Link, Page, TextBlock

_SAFE_TARGET = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x1f]+", re.IGNORECASE)
_PAGE_TARGET = re.compile(r"#page=(\d+)")
_ON_THE_PAGE = frozenset({"freetext"})  # their text is part of the page's


class TextLink(NamedTuple):
    """Characters `start` to `end` of a text lead to `target`."""

    start: int
    end: int
    target: str


def text_links(text: str, block: TextBlock, page: Page) -> Iterator[TextLink]:
    """Links where the words under a link's box occur in `text`, in order."""
    position = 0
    for link in _links_on(block, page):
        target = safe_target(link.target)
        words = [
            word.text for word in page.words if link.region.bbox.contains_point(*word.bbox.center)
        ]
        pattern = r"\s+".join(re.escape(clean(word)) for word in words)
        found = re.compile(pattern).search(text, position) if target and words else None
        if target and found:
            yield TextLink(found.start(), found.end(), target)
            position = found.end()


def _links_on(block: TextBlock, page: Page) -> list[Link]:
    boxes = [region.bbox for region in block.source.regions if region.page == page.number]
    return [
        link
        for link in page.links
        if any(box.contains_point(*link.region.bbox.center) for box in boxes)
    ]


def safe_target(target: str) -> str | None:
    """The `href` for a link of a document; None unless it is a web or mail address or a page of
    the document (no javascript:, data:, file: or relative targets)."""
    if match := _PAGE_TARGET.fullmatch(target):
        return f"#page-{match[1]}"
    return target if _SAFE_TARGET.fullmatch(target) else None


def note_lines(page: Page) -> list[str]:
    """What a reader noted on a page, a line each: kind, the text it marks, the comment."""
    return [line for note in page.annotations if (line := _note_line(note, page.label))]


def _note_line(note: Annotation, label: str) -> str:
    text, quote = one_line(note.text), one_line(note.quote)
    if note.kind in _ON_THE_PAGE or not (text or quote):
        return ""
    kind = {"text": "note", "fileattachment": "attached file"}.get(note.kind, note.kind)
    about = f" “{quote}”" if quote else ""
    return f"{kind} on page {one_line(label)}{about}" + (f": {text}" if text else "")
