"""Levels of headings: one level a style, numbering and bookmarks having the last word."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence

import msgspec

from docpipe.parsers.native.heading_signs import names_section
from docpipe.parsers.native.markers import numbering_depth
from docpipe.records import TextBlock
from docpipe.stages import Draft

MAX_LEVEL = 6
_LETTER = re.compile(r"[^\W\d_]")
_DIVISION = re.compile(
    r"^(?:part|teil|partie|parte)\s+(?:[ivxl]+|\d{1,2}|one|two|three|four)\b", re.I
)
_ITEM = re.compile(
    r"^(?:item|article|artikel|chapter|kapitel|chapitre|section|note|appendix)\s", re.I
)

Place = tuple[int, int]


class _Look(msgspec.Struct, frozen=True, order=True):
    """How a heading is set; sorts from the most prominent to the least.

    Divisions ("Part II", "Item 5") come before other headings of their size.
    """

    smallness: float
    division: int
    lower: bool
    light: bool
    italic: bool


def heading_levels(
    pages: Sequence[Sequence[Draft]],
    marks: dict[Place, int | None],
    title: Place | None,
) -> dict[Place, int]:
    """The level of every heading in `marks`, where a bookmark's level may stand already."""
    texts = {place: _text(pages, place) for place in marks}
    looks = {place: _look(pages, place, texts[place]) for place in marks}
    depths = {place: numbering_depth(text) for place, text in texts.items()}
    offset = 1 if title is not None and not _numbered_alike(title, looks, depths) else 0
    by_look = _levels_of_looks(looks, depths, title, offset)
    levels: dict[Place, int] = {}
    for place, outlined in marks.items():
        if outlined is not None:
            level = outlined
        elif depths[place]:
            level = depths[place] + offset
        elif 1 in depths.values() and names_section(texts[place]):
            level = 1 + offset
        else:
            level = by_look[looks[place]]
        levels[place] = max(1, min(level, MAX_LEVEL))
    if title is not None:
        levels[title] = 1
    return levels


def _levels_of_looks(
    looks: dict[Place, _Look],
    depths: dict[Place, int],
    title: Place | None,
    offset: int,
) -> dict[_Look, int]:
    """Each look one below the next more prominent; the depth of its numbers where it has any.

    A look used once opens no level of its own.
    """
    counts = Counter(looks.values())
    numbered: defaultdict[_Look, list[int]] = defaultdict(list)
    for place, depth in depths.items():
        if depth:
            numbered[looks[place]].append(depth + offset)
    levels: dict[_Look, int] = {}
    level = 0
    for look in sorted(counts):
        if numbered[look]:
            level = statistics.mode(numbered[look])
        elif title is not None and look == looks[title] and counts[look] == 1:
            level = max(level, 1)
        elif counts[look] > 1 or level == 0:
            level += 1
        levels[look] = min(level, MAX_LEVEL)
    return levels


def _numbered_alike(title: Place, looks: dict[Place, _Look], depths: dict[Place, int]) -> bool:
    """Whether numbered headings are set like the title, so that it is one of them."""
    return any(looks[place] == looks[title] for place, depth in depths.items() if depth)


def _text(pages: Sequence[Sequence[Draft]], place: Place) -> str:
    block = pages[place[0]][place[1]].block
    return block.text if isinstance(block, TextBlock) else ""


def _look(pages: Sequence[Sequence[Draft]], place: Place, text: str) -> _Look:
    style = pages[place[0]][place[1]].style
    if style is None:
        return _Look(0.0, 2, False, False, False)
    letters = _LETTER.findall(text)
    division = 0 if _DIVISION.match(text) else 1 if _ITEM.match(text) else 2
    return _Look(
        -round(style.size * 2) / 2,
        division,
        not all(letter.isupper() for letter in letters),
        not style.bold,
        style.italic,
    )
