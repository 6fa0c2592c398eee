"""Values written into charts over years: a number that stands over its year on the axis."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from docpipe.agents.passages import Passage
from docpipe.content import block_text
from docpipe.records import Block, Figure, Page, TextBlock, Word
from docpipe.stages import PageContent

_YEAR = re.compile(r"(?:19|20)\d\d|['’]\d\d")
_VALUE = re.compile(r"[$€£]?\d[\d.,]*%?")
_FEWEST_YEARS = 3
_ABOVE = 250.0  # points over an axis where the values of a chart may stand
_BESIDE = 0.35  # of the distance of two years: how far off its year a value may stand
_ALONE = 6.0  # points to the next word on its line
_CAPTION = 200


def chart_points(content: PageContent) -> Iterator[Passage]:
    """A passage for each value that stands over a year, under the caption of its chart."""
    page = content.page
    values: list[Word] | None = None
    for axis in _axes(page):
        values = values or [word for word in page.words if _is_value(word, page)]
        caption = _caption(page, axis)
        step = (axis[-1].bbox.center[0] - axis[0].bbox.center[0]) / (len(axis) - 1)
        for year in axis:
            over = [value for value in values if _stands_over(value, year, _BESIDE * step)]
            if len(over) == 1:  # of several series, none says which is which
                yield from _point(content, over[0], f"{caption} / {year.text}")


def _is_value(word: Word, page: Page) -> bool:
    """Whether a word is a number that stands alone, not in a line of text."""
    if not _VALUE.fullmatch(word.text) or _YEAR.fullmatch(word.text):
        return False
    beside = word.bbox.expand(_ALONE)
    return not any(
        other is not word
        and not _VALUE.fullmatch(other.text)
        and other.bbox.y_overlap(word.bbox) > 0.5 * word.bbox.height
        and other.bbox.x_overlap(beside) > 0
        for other in page.words
    )


def _stands_over(value: Word, year: Word, beside: float) -> bool:
    (x, y), (year_x, year_y) = value.bbox.center, year.bbox.center
    return abs(x - year_x) <= beside and 0 < year_y - y <= _ABOVE


def _axes(page: Page) -> Iterator[list[Word]]:
    """Rising years side by side on one line."""
    years = [word for word in page.words if _YEAR.fullmatch(word.text)]
    while years:
        middle = years[0].bbox.center[1]
        line = [year for year in years if abs(year.bbox.center[1] - middle) < 3]
        years = [year for year in years if year not in line]
        line.sort(key=lambda word: word.bbox.x0)
        rising = all(a.text < b.text for a, b in itertools.pairwise(line))
        if len(line) >= _FEWEST_YEARS and rising:
            yield line


def _caption(page: Page, axis: list[Word]) -> str:
    """The caption or heading nearest to an axis."""
    x, y = axis[len(axis) // 2].bbox.center

    def distance(block: Block) -> float:
        box = block.source.regions[0].bbox
        return abs(box.center[1] - y) + 0.3 * abs(box.center[0] - x)

    captions = [block for block in page.blocks if block.source.regions and _is_caption(block)]
    near = min(captions, key=distance, default=None)
    if near is None:
        return ""
    said = near.caption if isinstance(near, Figure) else block_text(near)
    return (said or "")[:_CAPTION]


def _is_caption(block: Block) -> bool:
    match block:
        case Figure():
            return bool(block.caption)
        case TextBlock():
            return block.role in ("caption", "heading")
        case _:
            return False


def _point(content: PageContent, value: Word, context: str) -> Iterator[Passage]:
    """The value as a passage of the block that it stands in."""
    form = re.compile(rf"(?<![\w.,]){re.escape(value.text)}(?![\w%]|[.,]\d)")
    for block in content.page.blocks:
        inside = any(
            region.bbox.contains_point(*value.bbox.center) for region in block.source.regions
        )
        found = form.search(block_text(block)) if inside else None
        if found:
            start, end = found.span()
            yield Passage(content, block, start, end, found.group(), "point", context)
            return
