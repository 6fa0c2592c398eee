"""Words with the style they are set in, each drawn word once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from docpipe.geometry import BBox
from docpipe.records import Word
from docpipe.stages import TextSpan

UPRIGHT = (1.0, 0.0)
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
    grid: defaultdict[tuple[int, int], list[TextSpan]] = defaultdict(list)
    for span in spans:
        for cell in _cells(span.bbox):
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
        starts = _spans_at(word.bbox.x0 + 0.5, y, grid)
        size = max([size, *(start.size for start in starts if start.line == span.line)])
    run = runs.setdefault((span.block, span.line), len(runs))
    return StyledWord(word, size, span.bold, span.italic, span.font, span.direction, run)


def _spans_at(x: float, y: float, grid: dict[tuple[int, int], list[TextSpan]]) -> list[TextSpan]:
    return [
        span
        for span in grid.get((int(x // _CELL), int(y // _CELL)), ())
        if span.bbox.contains_point(x, y)
    ]


def _cells(box: BBox) -> Iterator[tuple[int, int]]:
    columns = range(int(box.x0 // _CELL), int(box.x1 // _CELL) + 1)
    for row in range(int(box.y0 // _CELL), int(box.y1 // _CELL) + 1):
        for column in columns:
            yield column, row


def drop_duplicates(words: Sequence[Word]) -> list[Word]:
    """`words` without those drawn again on top of themselves (fake bold, shadows)."""
    seen: defaultdict[str, list[BBox]] = defaultdict(list)
    kept: list[Word] = []
    for word in words:
        twins = seen[word.text]
        if any(_is_redrawn(box, word.bbox) for box in twins[-50:]):
            continue
        twins.append(word.bbox)
        kept.append(word)
    return kept


def _is_redrawn(first: BBox, second: BBox) -> bool:
    nudge = 0.15 * min(first.height, first.width)
    return (
        abs(first.x0 - second.x0) <= nudge
        and abs(first.y0 - second.y0) <= nudge
        and abs(first.x1 - second.x1) <= nudge
    )
