"""The signs of a heading: size, weight, capitals, number or font against the body text, and words
that could be one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from docpipe.content import FURNITURE
from docpipe.parsers.native.markers import (
    is_bullet,
    is_caption,
    is_contents_entry,
    numbering_depth,
)
from docpipe.records import TextBlock
from docpipe.stages import Draft, Style

MAX_LENGTH = 200
LARGER = 1.15  # of the body size: surely a heading
TITLE = 1.3
_MAX_LINES = 4
_MIN_LABELS = 3
_LABEL_LENGTH = 80
_CONTENTS = re.compile(
    r"^(?:table of )?contents$|^inhalt(?:sverzeichnis)?$|^sommaire$|^índice$|^目录$|^目次$", re.I
)
_ADMONITION = re.compile(
    r"^(?:notes?|tips?|caution|warning|important|attention|danger|hinweis|achtung|vorsicht|"
    r"warnung|remarque|nota|importante)\s*[:!.]?$",
    re.I,
)
_WORD = re.compile(r"[^\W\d_]{3}|[\u2e80-\u9fff\uac00-\ud7af]")
_AFFILIATION = re.compile(r"[∗*†‡§¶]")  # marks behind the names of authors
_FORMULA = re.compile(r"[∈≤≥≠≈∑∏∫√⊤⊥∂∇∝\ufffd]|\S\s=\s\S.*\S=\S|^\S{1,12} = ")
_DATE = re.compile(
    r"^(?:\d{1,2}(?:st|nd|rd|th)?\.?\s+)?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez)"
    r"[a-zé]*\.?\s+(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?\d{4}$",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"^(?:abstract|introduction|background|related works?|conclusions?|references|bibliography|"
    r"works cited|literature cited|acknowledge?ments?|appendix|appendices|"
    r"zusammenfassung|einleitung|literatur(?:verzeichnis)?|danksagung|anhang|"
    r"résumé|références|remerciements|resumen|introducción|conclusiones|referencias)$",
    re.IGNORECASE,
)
_PAGE_AT_END = re.compile(r"[^\W\d_]\W*\s(\d{1,3})$")
_LETTERS = re.compile(r"[^\W\d_]")

LabelStyle = tuple[float, bool, bool, str]


class Body(msgspec.Struct, frozen=True):
    """How most of the text is set."""

    size: float
    bold: bool
    font: str


def body_of(pages: Sequence[Sequence[Draft]]) -> Body | None:
    """The size, weight and font of most characters of running text; None without any."""
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
    return Body(size, bold, font)


def names_section(text: str) -> bool:
    """Whether a text is but the name that a part of a paper or report usually has."""
    return _SECTION.match(text) is not None and text[:1].isupper()


def is_contents_title(text: str) -> bool:
    return _CONTENTS.match(text) is not None


def is_contents(drafts: Sequence[Draft]) -> bool:
    """Whether a page is a list of contents, which names headings that stand elsewhere."""
    texts = [
        draft.block.text
        for draft in drafts
        if isinstance(draft.block, TextBlock) and draft.block.role not in FURNITURE
    ]
    entries = sum(is_contents_entry(text) and text[-1].isalnum() for text in texts)
    pages = [int(match[1]) for text in texts if (match := _PAGE_AT_END.search(text))]
    listed = len(pages) >= max(3, 0.7 * len(texts)) and pages == sorted(pages)
    return listed or entries >= 4 or any(map(is_contents_title, texts))


def is_heading(
    draft: Draft, body: Body, below: Draft | None, labels: frozenset[LabelStyle]
) -> bool:
    """Whether a block is a heading, by how it is set and what it says; `below` follows it."""
    block, style = draft.block, draft.style
    if not isinstance(block, TextBlock) or style is None:
        return False
    if block.role not in ("paragraph", "list_item") or not _reads_like_one(block, style, body):
        return False
    if style.size >= LARGER * body.size:
        return True
    if below is not None and names_section(block.text) and style.size >= 0.9 * body.size:
        return True
    if style.size < 0.95 * body.size or below is None:
        return False
    labelled = _label_style(style) in labels and block.raw is None and _is_label_text(block.text)
    return labelled or _stands_out(block, style, body, below)


def _stands_out(block: TextBlock, style: Style, body: Body, below: Draft) -> bool:
    """Whether a short block of body size is set apart by weight, capitals, number or font."""
    lines = (block.raw or "").count("\n") + 1
    numbered = numbering_depth(block.text) > 1
    if lines > (_MAX_LINES if numbered or _is_upper(block.text) else 2):
        return False
    if style.bold and not body.bold:
        return True
    if _is_upper(block.text):
        return len(block.text) < 80 and style.size >= body.size - 0.25
    other_font = _family(style.font) != _family(body.font)
    if numbered and len(block.text) < 80:
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


def _reads_like_one(block: TextBlock, style: Style, body: Body) -> bool:
    """Whether the words could be a heading: not a bullet, a caption, a formula, a sentence."""
    text = block.text
    if len(text) > MAX_LENGTH or is_bullet(text) or is_caption(text) or is_contents_entry(text):
        return False
    letters = _LETTERS.findall(text)
    if len(letters) < max(2, 0.5 * len(text.replace(" ", ""))) or not _WORD.search(text):
        return False
    if any(sign.search(text) for sign in (_FORMULA, _ADMONITION, _DATE)):
        return False
    if style.turned or len(_AFFILIATION.findall(text)) > 1:
        return False
    if text.endswith((",", ";")) or (
        text.endswith((".", ":")) and len(text) > 60 and style.size < 1.5 * body.size
    ):
        return False
    return not (letters[0].islower() and style.size < 1.3 * body.size)


def label_styles(pages: Sequence[Sequence[Draft]], body: Body) -> frozenset[LabelStyle]:
    """Styles of body size that the document keeps for short lines above running text."""
    used: Counter[LabelStyle] = Counter()
    labels: defaultdict[LabelStyle, int] = defaultdict(int)
    for draft, below in _neighbours(pages):
        style = _label_style(draft.style) if draft.style else None
        if style is None or style[0] < 0.9 * body.size or _is_body(style, body):
            continue
        used[style] += 1
        labels[style] += _is_label(draft, below, body)
    return frozenset(
        style
        for style, count in labels.items()
        if count >= _MIN_LABELS and count >= 0.5 * used[style]
    )


def _neighbours(pages: Sequence[Sequence[Draft]]) -> Iterator[tuple[Draft, Draft]]:
    for drafts in pages:
        for draft, below in pairwise(drafts):
            if isinstance(draft.block, TextBlock) and draft.block.role == "paragraph":
                yield draft, below


def _is_label(draft: Draft, below: Draft, body: Body) -> bool:
    block, style, text = draft.block, draft.style, below.block
    assert isinstance(block, TextBlock)
    if style is None or below.style is None or not isinstance(text, TextBlock):
        return False
    box, other = block.source.regions[0].bbox, text.source.regions[0].bbox
    return (
        block.raw is None
        and _is_label_text(block.text)
        and _reads_like_one(block, style, body)
        and text.role in ("paragraph", "list_item")
        and _is_body(_label_style(below.style), body)
        and len(text.text) > 40
        and box.x_overlap(other) > 0
        and -1.0 < other.y0 - box.y1 < 2.5 * style.size
    )


def _is_label_text(text: str) -> bool:
    return (
        len(text) <= _LABEL_LENGTH
        and text[:1].isupper()
        and not text.endswith((".", ",", ";", ":"))
    )


def _label_style(style: Style) -> LabelStyle:
    return round(style.size * 2) / 2, style.bold, style.italic, _family(style.font)


def _is_body(style: LabelStyle, body: Body) -> bool:
    size, bold, italic, family = style
    return (
        abs(size - body.size) <= 0.5
        and bold == body.bold
        and not italic
        and family == _family(body.font)
    )


def _family(font: str) -> str:
    return re.split(r"[-,+]", font)[0].casefold()


def _is_upper(text: str) -> bool:
    letters = _LETTERS.findall(text)
    return len(letters) >= 4 and all(letter.isupper() for letter in letters)
