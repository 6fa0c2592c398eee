"""Headings and their levels, from the bookmarks, numbering and fonts of the whole document."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest

import msgspec

from docpipe.content import FURNITURE
from docpipe.parsers.native.markers import (
    is_bullet,
    is_caption,
    is_contents_entry,
    numbering_depth,
)
from docpipe.records import OutlineEntry, TextBlock
from docpipe.stages import Draft, Style

MAX_LEVEL = 6
_MAX_LENGTH = 200
_LARGER = 1.15  # of the body size: surely a heading
_TITLE = 1.3
_CONTENTS = re.compile(
    r"^(?:table of )?contents$|^inhalt(?:sverzeichnis)?$|^sommaire$|^índice$|^目录$|^目次$", re.I
)
_WORD = re.compile(r"[^\W\d_]{3}|[\u2e80-\u9fff\uac00-\ud7af]")
_KEY = re.compile(r"[\W_]+")
_AFFILIATION = re.compile(r"[∗*†‡§¶]")  # marks behind the names of authors
_LETTERS = re.compile(r"[^\W\d_]")


class _Body(msgspec.Struct, frozen=True):
    """How most of the text is set."""

    size: float
    bold: bool
    font: str


def mark_headings(pages: list[list[Draft]], outline: Sequence[OutlineEntry]) -> list[list[Draft]]:
    """`pages` with headings typed and levelled, and the title of the first page."""
    body = _body(pages)
    if body is None:
        return pages
    titles = _outline_levels(outline)
    marks: dict[tuple[int, int], int | None] = {}
    for page, drafts in enumerate(pages):
        context = _context(drafts)
        for index, (draft, below) in enumerate(zip_longest(drafts, drafts[1:])):
            level = _outlined(draft, page, titles)
            if level is not None:
                marks[page, index] = level
            elif _is_heading(draft, body, below, context):
                marks[page, index] = None
    title = _title(pages, marks, body)
    levels = _levels(pages, marks, title)
    return [
        [
            _as_heading(draft, levels.get((page, index)), (page, index) == title)
            for index, draft in enumerate(drafts)
        ]
        for page, drafts in enumerate(pages)
    ]


def _as_heading(draft: Draft, level: int | None, is_title: bool) -> Draft:
    if level is None or not isinstance(draft.block, TextBlock):
        return draft
    block = msgspec.structs.replace(
        draft.block, role="title" if is_title else "heading", level=level
    )
    return msgspec.structs.replace(draft, block=block)


def _body(pages: Sequence[Sequence[Draft]]) -> _Body | None:
    sizes: Counter[tuple[float, bool, str]] = Counter()
    for drafts in pages:
        for draft in drafts:
            block, style = draft.block, draft.style
            if isinstance(block, TextBlock) and style and block.role in ("paragraph", "list_item"):
                sizes[round(style.size * 2) / 2, style.bold, style.font] += len(block.text)
    if not sizes:
        return None
    by_size: Counter[float] = Counter()
    for (size, _, _), count in sizes.items():
        by_size[size] += count
    size = max(by_size, key=lambda key: (by_size[key], key))
    _, bold, font = max((key for key in sizes if key[0] == size), key=lambda key: (sizes[key], key))
    return _Body(size, bold, font)


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
    if not titles or not isinstance(block, TextBlock) or len(block.text) > _MAX_LENGTH:
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


def _is_heading(draft: Draft, body: _Body, below: Draft | None, context: _Context) -> bool:
    block, style = draft.block, draft.style
    if not isinstance(block, TextBlock) or style is None:
        return False
    if block.role not in ("paragraph", "list_item") or not _reads_like_one(block, style, body):
        return False
    if context.contents and style.size < _TITLE * body.size:
        return _CONTENTS.match(block.text) is not None
    if style.size >= _LARGER * body.size:
        return True
    lines = (block.raw or "").count("\n") + 1
    if style.size < 0.95 * body.size or lines > 2 or below is None:
        return False
    return _stands_out(block, style, body, below)


def _stands_out(block: TextBlock, style: Style, body: _Body, below: Draft) -> bool:
    """Whether a short block of body size is set apart by weight, capitals, number or font."""
    if style.bold and not body.bold:
        return True
    if _is_upper(block.text):
        return len(block.text) < 80 and style.size >= body.size - 0.25
    other_font = _family(style.font) != _family(body.font)
    if numbering_depth(block.text) > 1 and len(block.text) < 80:
        return other_font or style.size > 1.04 * body.size
    return (
        other_font
        and not style.italic
        and style.size > 1.04 * body.size
        and block.raw is None
        and block.text[:1].isupper()
        and below.style is not None
        and _family(below.style.font) == _family(body.font)
    )


def _family(font: str) -> str:
    return re.split(r"[-,+]", font)[0].casefold()


def _reads_like_one(block: TextBlock, style: Style, body: _Body) -> bool:
    """Whether the words could be a heading: not a bullet, a caption, a formula, a sentence."""
    text = block.text
    if len(text) > _MAX_LENGTH or is_bullet(text) or is_caption(text) or is_contents_entry(text):
        return False
    letters = _LETTERS.findall(text)
    if len(letters) < max(2, 0.5 * len(text.replace(" ", ""))) or not _WORD.search(text):
        return False
    if style.turned or len(_AFFILIATION.findall(text)) > 1:
        return False
    if text.endswith((",", ";")) or (
        text.endswith(".") and len(text) > 60 and style.size < 1.5 * body.size
    ):
        return False
    return not (letters[0].islower() and style.size < 1.3 * body.size)


def _is_upper(text: str) -> bool:
    letters = _LETTERS.findall(text)
    return len(letters) >= 4 and all(letter.isupper() for letter in letters)


class _Context(msgspec.Struct, frozen=True):
    """What a page is: a list of contents names headings that stand elsewhere."""

    contents: bool


def _context(drafts: Sequence[Draft]) -> _Context:
    texts = [
        draft.block.text
        for draft in drafts
        if isinstance(draft.block, TextBlock) and draft.block.role not in FURNITURE
    ]
    entries = sum(is_contents_entry(text) for text in texts)
    return _Context(entries >= 4 or any(_CONTENTS.match(text) for text in texts))


def _title(
    pages: Sequence[Sequence[Draft]], marks: dict[tuple[int, int], int | None], body: _Body
) -> tuple[int, int] | None:
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
    if largest < _TITLE * body.size:
        return None
    on_first = [key for key, size in sizes.items() if key[0] == first and size >= largest - 0.5]
    return min(on_first, default=None)


def _levels(
    pages: Sequence[Sequence[Draft]],
    marks: dict[tuple[int, int], int | None],
    title: tuple[int, int] | None,
) -> dict[tuple[int, int], int]:
    """Levels by rank of style, with numbering and bookmarks having the last word."""
    ranks = _style_ranks(pages[page][index] for page, index in marks)
    offset = 1 if title is not None and _alone_in_style(pages, marks, title) else 0
    levels: dict[tuple[int, int], int] = {}
    for (page, index), outlined in marks.items():
        draft = pages[page][index]
        style = draft.style
        rank = ranks[_style_key(style)] if style else 1
        depth = numbering_depth(draft.block.text) if isinstance(draft.block, TextBlock) else 0
        if outlined is not None:
            level = outlined
        elif depth:
            level = depth + offset
        else:
            level = rank
        levels[page, index] = max(1, min(level, MAX_LEVEL))
    if title is not None:
        levels[title] = 1
    return levels


def _alone_in_style(
    pages: Sequence[Sequence[Draft]],
    marks: dict[tuple[int, int], int | None],
    title: tuple[int, int],
) -> bool:
    style = pages[title[0]][title[1]].style
    return style is not None and not any(
        (other := pages[page][index].style) is not None
        and _style_key(other) == _style_key(style)
        and numbering_depth(getattr(pages[page][index].block, "text", ""))
        for page, index in marks
    )


def _style_key(style: Style) -> tuple[float, bool]:
    return round(style.size * 2) / 2, style.bold


def _style_ranks(drafts: Iterator[Draft]) -> dict[tuple[float, bool], int]:
    """The level of each style by its size; a style used once ranks with the next larger one."""
    counts = Counter(_style_key(draft.style) for draft in drafts if draft.style)
    ranks: dict[tuple[float, bool], int] = {}
    rank = 0
    for key in sorted(counts, reverse=True):
        if counts[key] > 1 or rank == 0:
            rank += 1
        ranks[key] = min(rank, MAX_LEVEL)
    return ranks
