"""Headings and their levels, from the bookmarks, numbering and fonts of the whole document."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest

import msgspec

from docpipe.parsers.native.continuation import merged
from docpipe.parsers.native.heading_signs import (
    MAX_LENGTH,
    TITLE,
    Body,
    body_of,
    is_contents,
    is_contents_title,
    is_heading,
    label_styles,
)
from docpipe.parsers.native.levels import MAX_LEVEL, Place, heading_levels
from docpipe.parsers.native.markers import numbering_depth
from docpipe.records import OutlineEntry, TextBlock
from docpipe.stages import Draft, Style

_KEY = re.compile(r"[\W_]+")
_PREFACE = re.compile(
    r"^(?:\d\.?\s*)?(?:abstract|summary|introduction|zusammenfassung|kurzfassung|einleitung|"
    r"résumé|resumen|resumo)\b",
    re.IGNORECASE,
)
_CHAPTER = re.compile(r"^(?:chapter|part|section|appendix|unit|kapitel|teil|chapitre)$", re.I)
_COUNT = re.compile(
    r"^(?:\d{1,3}|[ivxlc]+|[a-z]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"(?:thir|four|fif|six|seven|eigh|nine)teen|twenty)$",
    re.IGNORECASE,
)
_PAGE_AT_END = re.compile(r"\s+(?:\d{1,4}|[ivxlc]{1,7})$")
_ENDS = (".", "?", "!", ":")

Marks = dict[Place, int | None]


def mark_headings(pages: list[list[Draft]], outline: Sequence[OutlineEntry]) -> list[list[Draft]]:
    """`pages` with headings typed and levelled, and the title of the first page."""
    body = body_of(pages)
    if body is None:
        return pages
    marks = _marks(pages, outline, body)
    title = _title(pages, marks, body)
    _drop_entries(pages, marks)
    _drop_authors(pages, marks, title)
    if title is not None:
        marks.setdefault(title, None)
    levels = heading_levels(pages, marks, title)
    return [
        _joined(
            [
                _as_heading(draft, levels.get((page, index)), (page, index) == title)
                for index, draft in enumerate(drafts)
            ]
        )
        for page, drafts in enumerate(pages)
    ]


def _marks(pages: Sequence[Sequence[Draft]], outline: Sequence[OutlineEntry], body: Body) -> Marks:
    """Where headings stand, with the level of the bookmark that points there."""
    bookmarks = _outline_levels(outline)
    labels = label_styles(pages, body)
    marks: Marks = {}
    for page, drafts in enumerate(pages):
        contents = is_contents(drafts)
        for index, (draft, below) in enumerate(zip_longest(drafts, drafts[1:])):
            level = _outlined(draft, page, bookmarks)
            if level is not None:
                marks[page, index] = level
            elif _names_contents(draft) or (
                is_heading(draft, body, below, labels) and not (contents and _is_small(draft, body))
            ):
                marks[page, index] = None
    return marks


def _names_contents(draft: Draft) -> bool:
    block = draft.block
    return isinstance(block, TextBlock) and (
        block.role == "paragraph" and is_contents_title(block.text)
    )


def _is_small(draft: Draft, body: Body) -> bool:
    """Whether a would-be heading is set like an entry, on a page of contents."""
    return draft.style is not None and draft.style.size < TITLE * body.size


def _text(draft: Draft) -> str:
    return draft.block.text if isinstance(draft.block, TextBlock) else ""


def _as_heading(draft: Draft, level: int | None, is_title: bool) -> Draft:
    if level is None or not isinstance(draft.block, TextBlock):
        return draft
    block = msgspec.structs.replace(
        draft.block, role="title" if is_title else "heading", level=level
    )
    return msgspec.structs.replace(draft, block=block)


def _outline_levels(outline: Sequence[OutlineEntry]) -> dict[str, list[tuple[int | None, int]]]:
    """Page (0-based) and level of each bookmark, by its title."""
    titles: defaultdict[str, list[tuple[int | None, int]]] = defaultdict(list)
    for entry in outline:
        page = None if entry.page is None else entry.page - 1
        titles[_key(entry.title)].append((page, min(entry.level, MAX_LEVEL)))
    return titles


def _outlined(
    draft: Draft,
    page: int,
    titles: dict[str, list[tuple[int | None, int]]],
) -> int | None:
    """The level of the bookmark that points at this block."""
    block = draft.block
    if not titles or not isinstance(block, TextBlock) or len(block.text) > MAX_LENGTH:
        return None
    if block.role not in ("paragraph", "list_item"):
        return None
    key = _key(block.text)
    for at, level in titles.get(key, ()) if key else ():
        if at is None or at == page:
            return level
    return None


def _key(text: str) -> str:
    return _KEY.sub("", text.casefold())


def _title(pages: Sequence[Sequence[Draft]], marks: Marks, body: Body) -> Place | None:
    """The largest heading of the first page with any, where it is larger than all others."""
    first = min((page for page, _ in marks), default=None)
    if first is None or first > 1:
        return None
    sizes = {
        (page, index): style.size
        for page, index in marks
        if (style := pages[page][index].style) is not None
    }
    largest = max(sizes.values(), default=0.0)
    if largest < TITLE * body.size:
        return None
    on_first = [key for key, size in sizes.items() if key[0] == first and size >= largest - 0.5]
    return min(on_first, default=None)


def _drop_entries(pages: Sequence[Sequence[Draft]], marks: Marks) -> None:
    """Takes away what is a list of contents in large type: its texts, but for the numbers of pages
    behind them, are headings later on."""
    later: dict[str, int] = {}
    for page, index in marks:
        later[_key(_text(pages[page][index]))] = page
    contents = {page for page, _ in marks if is_contents(pages[page])}
    for page, index in list(marks):
        text = _text(pages[page][index])
        entry = _PAGE_AT_END.sub("", text)
        listed = page in contents and later[_key(text)] > page
        if listed or (entry != text and later.get(_key(entry), 0) > page):
            del marks[page, index]


def _drop_authors(pages: Sequence[Sequence[Draft]], marks: Marks, title: Place | None) -> None:
    """Takes away names between the title and the abstract of a paper."""
    if title is None:
        return
    after = [place for place in marks if place[0] == title[0] and place > title]
    ends = [place for place in after if _PREFACE.match(_text(pages[place[0]][place[1]]))]
    for place in after:
        smaller = _size(pages, place) < 0.94 * _size(pages, title)
        if ends and place < ends[0] and marks[place] is None and smaller:
            del marks[place]


def _size(pages: Sequence[Sequence[Draft]], place: Place) -> float:
    style = pages[place[0]][place[1]].style
    return style.size if style else 0.0


def _joined(drafts: Sequence[Draft]) -> list[Draft]:
    """The blocks of a page, with headings that go on in the next line made one."""
    result: list[Draft] = []
    for draft in drafts:
        if result and _goes_on(result[-1], draft):
            result[-1] = merged(result[-1], draft)
        else:
            result.append(draft)
    return result


def _goes_on(above: Draft, below: Draft) -> bool:
    first, second = above.block, below.block
    if not (isinstance(first, TextBlock) and isinstance(second, TextBlock)):
        return False
    if first.role not in ("title", "heading") or second.role != "heading":
        return False
    if above.style is None or below.style is None:
        return False
    box, other = first.source.regions[-1].bbox, second.source.regions[0].bbox
    gap = (other.y0 - box.y1) / above.style.size
    if _CHAPTER.match(first.text) and _COUNT.match(second.text):
        return -0.5 < gap < 3.0
    return (
        _set_alike(above.style, below.style, first.role == "title")
        and -0.5 < gap < 0.6
        and box.x_overlap(other) > 0
        and len(first.text) + len(second.text) < MAX_LENGTH
        and not first.text.endswith((".", "?", "!") if first.role == "title" else _ENDS)
        and not numbering_depth(second.text)
        and not second.text[:1].isdigit()
    )


def _set_alike(one: Style, other: Style, is_title: bool) -> bool:
    """Whether two lines are set as one heading; a title may have words in another font."""
    if one == other or not is_title:
        return one == other
    return abs(one.size - other.size) < 0.06 * one.size and one.italic == other.italic
