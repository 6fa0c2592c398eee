"""Running headers and footers, found by repetition over pages, and page numbers.

Only blocks at the very top or bottom of a page come into question, and only what repeats there,
with numbers changing, or a lone page number is furniture: where a block stands is never enough.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Literal

import msgspec

from docpipe.records import Role, TextBlock
from docpipe.stages import Draft, PageFacts, Style

Edge = Literal["top", "bottom"]

_DEPTH = 4  # blocks from the edge that may be furniture
_ZONE = 0.2  # of the page height, from each edge
_MAX_LENGTH = 250
_LONG = 8  # pages from which one repetition may be chance
_TITLES = 3  # repetitions nearby that make large text, such as the title of slides, furniture
_EVERYWHERE = 0.3  # of the pages: what stands on so many is no title of them
_NEAR_PAGES = 4  # repetitions may be this many pages apart
_CHANGING = 0.4  # of the pages with a running head that changes
_FEWEST_BESIDE = 3  # blocks that turned text in the margin stands beside
_Y_TOLERANCE = 9.0
_NUMBER = r"(?:\d{1,4}|[ivxlc]{1,7})"
_PAGE_NUMBER = re.compile(
    rf"^(?:(?:page|p\.|seite|página|pagina|pg\.?)\s*)?[-–—|•\[(]?\s*({_NUMBER})\s*[-–—|•\])]?"
    rf"(?:\s*(?:of|/|von|de|sur)\s*{_NUMBER})?$",
    re.IGNORECASE,
)
_NUMBER_AT_END = re.compile(rf"^({_NUMBER})\s.*\D|\D.*\s({_NUMBER})$", re.IGNORECASE)
_SURE = 6  # page numbers in a row
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_MAX_RUNNING = 120  # characters of a running title with a page number
_LETTER = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"\d+(?:\.\d+)*|\b[ivxlc]+\b")


class _Candidate(msgspec.Struct):
    page: int
    index: int
    edge: Edge
    y: float
    text: str
    style: Style | None
    lines: int
    role: Role

    @property
    def size(self) -> float:
        return self.style.size if self.style else 0.0


def mark_furniture(pages: list[list[Draft]], facts: Sequence[PageFacts]) -> list[list[Draft]]:
    """`pages` with running text typed page_header or page_footer."""
    candidates = [
        candidate
        for number, (drafts, page) in enumerate(zip(pages, facts, strict=True))
        for candidate in _at_edges(number, drafts, page.height)
    ]
    large = 1.2 * _usual_size(pages)
    roles: dict[tuple[int, int], Role] = {}
    for candidate in _repeated(candidates, len(pages), large):
        roles[candidate.page, candidate.index] = _role(candidate.edge)
    neighbours: defaultdict[tuple[int, Edge], list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        neighbours[candidate.page, candidate.edge].append(candidate)
    changing = ((candidate, False) for candidate in _changing(candidates, len(pages), large))
    for candidate, sure in (*_page_numbers(candidates, len(pages), large), *changing):
        if sure or _is_outermost(candidate, neighbours[candidate.page, candidate.edge], roles):
            roles[candidate.page, candidate.index] = _role(candidate.edge)
    _spare_lone_bodies(pages, roles)
    for number, drafts in enumerate(pages):
        for index in _in_margins(drafts):
            roles[number, index] = "page_header"
    return [
        [_retyped(draft, roles.get((number, index))) for index, draft in enumerate(drafts)]
        for number, drafts in enumerate(pages)
    ]


def _spare_lone_bodies(
    pages: Sequence[Sequence[Draft]], roles: dict[tuple[int, int], Role]
) -> None:
    """Takes back the furniture of the pages of a short document where nothing else would be left,
    page numbers aside: the line is then what they say. Long ones have empty pages."""
    for number, drafts in enumerate(pages if len(pages) < _LONG else ()):
        taken = [index for index in range(len(drafts)) if (number, index) in roles]
        if len(taken) == len(drafts):
            for index in taken:
                block = drafts[index].block
                if isinstance(block, TextBlock) and not _PAGE_NUMBER.match(block.text):
                    del roles[number, index]


def _in_margins(drafts: Sequence[Draft]) -> list[int]:
    """Turned text beside everything else on its page: stamps and tabs."""
    turned = [index for index, draft in enumerate(drafts) if draft.style and draft.style.turned]
    others = [
        draft.block.source.regions[0].bbox
        for draft in drafts
        if not (draft.style and draft.style.turned)
    ]
    if not turned or len(others) < _FEWEST_BESIDE:
        return []
    left, right = min(box.x0 for box in others), max(box.x1 for box in others)
    boxes = {index: drafts[index].block.source.regions[0].bbox for index in turned}
    return [index for index, box in boxes.items() if box.x1 < left or box.x0 > right]


def _role(edge: Edge) -> Role:
    return "page_header" if edge == "top" else "page_footer"


def _retyped(draft: Draft, role: Role | None) -> Draft:
    if role is None or not isinstance(draft.block, TextBlock):
        return draft
    return msgspec.structs.replace(draft, block=msgspec.structs.replace(draft.block, role=role))


def _at_edges(number: int, drafts: Sequence[Draft], height: float) -> Iterator[_Candidate]:
    """The text blocks nearest to the top and bottom edge of a page."""
    boxes = [(index, draft.block.source.regions[0].bbox) for index, draft in enumerate(drafts)]
    by_top = sorted(boxes, key=lambda entry: entry[1].y0)
    by_bottom = sorted(boxes, key=lambda entry: -entry[1].y1)
    edges: list[tuple[Edge, int, float]] = []
    edges += [("top", index, box.y0) for index, box in by_top[:_DEPTH]]
    edges += [("bottom", index, box.y1) for index, box in by_bottom[:_DEPTH]]
    for edge, index, y in edges:
        block, style = drafts[index].block, drafts[index].style
        if not isinstance(block, TextBlock) or len(block.text) > _MAX_LENGTH:
            continue
        near = y < _ZONE * height if edge == "top" else y > (1 - _ZONE) * height
        if near or _PAGE_NUMBER.match(block.text):
            lines = (block.raw or "").count("\n") + 1
            yield _Candidate(number, index, edge, y, block.text, style, lines, block.role)


def _usual_size(pages: Sequence[Sequence[Draft]]) -> float:
    """The font size of most running text."""
    sizes: Counter[float] = Counter()
    for drafts in pages:
        for draft in drafts:
            if isinstance(draft.block, TextBlock) and draft.style:
                sizes[draft.style.size] += len(draft.block.text)
    return max(sizes, key=lambda size: (sizes[size], size), default=0.0)


def _repeated(candidates: Sequence[_Candidate], pages: int, large: float) -> Iterator[_Candidate]:
    """Candidates whose text, numbers aside, stands at the same height on pages nearby. What is
    set `large` (in points) is a title, unless it stands on many pages."""
    groups: defaultdict[tuple[Edge, str], list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        groups[candidate.edge, _DIGITS.sub("#", candidate.text.casefold())].append(candidate)
    times = 1 if pages < _LONG else 2
    titles = max(1, min(_TITLES, pages - 1))
    for (_, key), group in groups.items():
        if not _LETTER.search(key):
            continue
        texts = Counter(candidate.text for candidate in group)
        often = max(_EVERYWHERE * pages, _TITLES + 1)
        for index, candidate in enumerate(group):
            around = group[max(0, index - 6) : index] + group[index + 1 : index + 7]
            is_title = candidate.size > large and texts[candidate.text] < often
            needed = titles if is_title else times
            if sum(_repeats(candidate, other) for other in around) >= needed:
                yield candidate


def _page_numbers(
    candidates: Sequence[_Candidate], pages: int, large: float
) -> Iterator[tuple[_Candidate, bool]]:
    """Candidates that are a page number, or a title beside one, and count on with the pages; and
    whether so many do that it need not be the outermost text."""
    offsets: Counter[tuple[Edge, int]] = Counter()
    for candidate in candidates:
        for number in _numbers(candidate.text):
            offsets[candidate.edge, number - candidate.page] += 1
    for candidate in candidates:
        alone = _PAGE_NUMBER.match(candidate.text) is not None
        seen = max(
            (offsets[candidate.edge, n - candidate.page] for n in _numbers(candidate.text)),
            default=0,
        )
        if not alone and candidate.size > large:
            continue  # the number and name of a chapter
        if seen >= (2 if alone else 3) or (alone and pages == 1):
            yield candidate, alone and seen >= _SURE


def _changing(candidates: Sequence[_Candidate], pages: int, large: float) -> Iterator[_Candidate]:
    """Candidates that stand alone where most pages have one line of their style and nothing else:
    running heads that name the chapter or section."""
    if pages < _LONG:
        return
    places: defaultdict[tuple[Edge, int, str], list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.style is not None and candidate.size <= large:
            font = f"{candidate.style.font} {candidate.style.size:.1f}"
            for y in {round(candidate.y / 4), round((candidate.y + 2) / 4)}:
                places[candidate.edge, y, font].append(candidate)
    for group in places.values():
        single = [candidate for candidate in group if _is_running(candidate)]
        texts = Counter(_DIGITS.sub("#", candidate.text.casefold()) for candidate in single)
        if len(single) >= max(0.9 * len(group), _CHANGING * pages) and len(texts) < 0.7 * len(
            single
        ):
            yield from single


def _is_running(candidate: _Candidate) -> bool:
    return (
        candidate.lines == 1
        and candidate.role == "paragraph"
        and len(candidate.text) <= _MAX_RUNNING
        and _LETTER.search(candidate.text) is not None
    )


def _numbers(text: str) -> list[int]:
    """The page numbers a text may show: all of it, or at its start or end."""
    alone = _PAGE_NUMBER.match(text)
    if alone:
        return [_value(alone[1])]
    if len(text) > _MAX_RUNNING:
        return []
    return [_value(part) for found in _NUMBER_AT_END.findall(text) for part in found if part]


def _value(number: str) -> int:
    if number.isdigit():
        return int(number)
    digits = [_ROMAN[char] for char in number.casefold()]
    pairs = zip_longest(digits, digits[1:], fillvalue=0)
    return sum(-digit if digit < following else digit for digit, following in pairs)


def _repeats(one: _Candidate, other: _Candidate) -> bool:
    return 0 < abs(one.page - other.page) <= _NEAR_PAGES and abs(one.y - other.y) <= _Y_TOLERANCE


def _is_outermost(
    candidate: _Candidate,
    neighbours: Sequence[_Candidate],
    roles: dict[tuple[int, int], Role],
) -> bool:
    """Whether only furniture stands between a block and its edge of the page."""
    for other in neighbours:
        beyond = other.y < candidate.y - 4 if candidate.edge == "top" else other.y > candidate.y + 4
        if beyond and (other.page, other.index) not in roles:
            return False
    return True
