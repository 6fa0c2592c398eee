"""Words with the style they are set in, each drawn word once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from docpipe.geometry import BBox
from docpipe.records import Word
from docpipe.stages import TextSpan

UPRIGHT = (1.0, 0.0)
_START = 0.5  # of a word, where its first letter is
_CELL = 24.0  # edge of the grid cells used to find neighbours, in points


class StyledWord(msgspec.Struct, frozen=True, gc=False):
    """A word, its font, and the number of the drawn line it belongs to (-1 when unknown)."""

    word: Word
    size: float
    bold: bool = False
    italic: bool = False
    font: str = ""
    direction: tuple[float, float] = UPRIGHT
    run: int = -1


def style_words(words: Sequence[Word], spans: Sequence[TextSpan]) -> list[StyledWord]:
    """`words` in their order, with the style of the span under each one's centre."""
    asked = {
        _cell(x, word.bbox.center[1])
        for word in words
        for x in (word.bbox.center[0], word.bbox.x0 + _START)
    }
    grid: defaultdict[tuple[int, int], list[TextSpan]] = defaultdict(list)
    for span in spans:
        for cell in _cells(span.bbox, asked):
            grid[cell].append(span)
    runs: dict[tuple[int, int], int] = {}
    return [_style(word, grid, runs) for word in words]


def _style(
    word: Word,
    grid: dict[tuple[int, int], list[TextSpan]],
    runs: dict[tuple[int, int], int],
) -> StyledWord:
    under = _spans_at(*word.bbox.center, grid)
    if not under:
        return StyledWord(word, max(word.bbox.height * 0.8, 1.0))
    matching = [span for span in under if word.text in span.text] or under
    span = min(matching, key=lambda span: span.bbox.area)
    size = span.size
    if word.text not in span.text and word.text.isupper():
        # Small capitals: the large first letter tells the size.
        y = word.bbox.center[1]
        starts = _spans_at(word.bbox.x0 + _START, y, grid)
        size = max([size, *(start.size for start in starts if start.line == span.line)])
    run = runs.setdefault((span.block, span.line), len(runs))
    return StyledWord(word, size, span.bold, span.italic, span.font, span.direction, run)


def _spans_at(x: float, y: float, grid: dict[tuple[int, int], list[TextSpan]]) -> list[TextSpan]:
    return [span for span in grid.get(_cell(x, y), ()) if span.bbox.contains_point(x, y)]


def _cell(x: float, y: float) -> tuple[int, int]:
    return int(x // _CELL), int(y // _CELL)


def _cells(box: BBox, asked: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The cells under a box, of those that are asked for. Damaged files have boxes as large as a
    country, so that not all their cells can be gone through."""
    columns = range(int(box.x0 // _CELL), int(box.x1 // _CELL) + 1)
    rows = range(int(box.y0 // _CELL), int(box.y1 // _CELL) + 1)
    if len(columns) * len(rows) > len(asked):
        yield from (cell for cell in asked if cell[0] in columns and cell[1] in rows)
    else:
        yield from ((column, row) for row in rows for column in columns if (column, row) in asked)


def drop_duplicates(words: Sequence[Word]) -> list[Word]:
    """`words` without those drawn again on top of themselves (fake bold, shadows)."""
    seen: defaultdict[tuple[str, int, int], list[BBox]] = defaultdict(list)
    kept: list[Word] = []
    for word in words:
        x, y, reach = word.bbox.x0, word.bbox.y0, 0.2 * min(word.bbox.height, word.bbox.width)
        cells = {_cell(a, b) for a in (x - reach, x + reach) for b in (y - reach, y + reach)}
        twins = (box for cell in cells for box in seen.get((word.text, *cell), ())[-50:])
        if any(_is_redrawn(box, word.bbox) for box in twins):
            continue
        seen[word.text, *_cell(x, y)].append(word.bbox)
        kept.append(word)
    return kept


def _is_redrawn(first: BBox, second: BBox) -> bool:
    nudge = 0.15 * min(first.height, first.width)
    return (
        abs(first.x0 - second.x0) <= nudge
        and abs(first.y0 - second.y0) <= nudge
        and abs(first.x1 - second.x1) <= nudge
    )
