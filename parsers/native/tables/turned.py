"""Tables set sideways: their words and rules turned upright, and the result turned back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, Protocol

from docpipe.geometry import BBox
from docpipe.parsers.native.tables.grid import Grid, Slot
from docpipe.parsers.native.tables.layout import Token
from docpipe.records import Word
from docpipe.stages import Drawing, TextSpan

FEWEST_LETTERS = 60  # sideways letters on a page that may be a table rather than a label
CELL = 32.0  # points: edge of the grid cells by which spans are found

Direction = Literal["right", "up", "down"]
Box = tuple[float, float, float, float]


class Turn(NamedTuple):
    """From a page to one on which text of `direction` runs to the right, and back."""

    direction: Direction
    width: float
    height: float

    def box(self, box: BBox) -> BBox:
        match self.direction:
            case "right":
                return box
            case "up":
                return BBox(self.height - box.y1, box.x0, self.height - box.y0, box.x1)
            case "down":
                return BBox(box.y0, self.width - box.x1, box.y1, self.width - box.x0)

    def box_back(self, box: Box) -> Box:
        x0, y0, x1, y1 = box
        match self.direction:
            case "right":
                return box
            case "up":
                return y0, self.height - x1, y1, self.height - x0
            case "down":
                return self.width - y1, x0, self.width - y0, x1

    def words(self, words: Sequence[Word]) -> list[Word]:
        return [Word(word.text, self.box(word.bbox)) for word in words]

    def drawings(self, drawings: Sequence[Drawing]) -> Sequence[Drawing]:
        if self.direction == "right":
            return drawings
        return [Drawing(d.kind, self.box(d.bbox), d.stroke, d.fill, d.width) for d in drawings]

    def grid_back(self, grid: Grid) -> Grid:
        """Cells where they stand on the page; their words stay turned, in reading order."""
        slots: list[Slot] = [slot._replace(box=self.box_back(slot.box)) for slot in grid.slots]
        return grid._replace(slots=slots)


class Sheet(Protocol):
    """What of a page its tables are found by."""

    @property
    def number(self) -> int: ...
    @property
    def width(self) -> float: ...
    @property
    def height(self) -> float: ...
    def drawings(self) -> list[Drawing]: ...
    def spans(self) -> list[TextSpan]: ...


def by_direction(page: Sheet, words: Sequence[Word]) -> list[tuple[Turn, list[Word]]]:
    """The words of a page by the direction they run in."""
    sideways: dict[tuple[int, int], list[tuple[Direction, BBox]]] = {}
    for span in page.spans():
        if (way := _way(span.direction)) != "right":
            for cell in _cells(span.bbox.clip(page.width, page.height)):
                sideways.setdefault(cell, []).append((way, span.bbox))
    groups: dict[Direction, list[Word]] = {}
    for word in words:
        x, y = word.bbox.center
        under = sideways.get((int(x // CELL), int(y // CELL)), ())
        way = next((way for way, box in under if box.contains_point(x, y)), "right")
        groups.setdefault(way, []).append(word)
    return [(Turn(way, page.width, page.height), group) for way, group in groups.items()]


def _cells(box: BBox) -> Iterator[tuple[int, int]]:
    for column in range(int(box.x0 // CELL), int(box.x1 // CELL) + 1):
        for row in range(int(box.y0 // CELL), int(box.y1 // CELL) + 1):
            yield column, row


def is_label(turn: Turn, words: Sequence[Word]) -> bool:
    """Whether words run sideways and are too few for a table."""
    return turn.direction != "right" and sum(len(w.text) for w in words) < FEWEST_LETTERS


def with_words(grid: Grid, turn: Turn, words: Sequence[Word]) -> Grid:
    """The grid with the words of another direction that stand in its cells."""
    slots = list(grid.slots)
    for word in words:
        x, y = word.bbox.center
        for index, slot in enumerate(slots):
            x0, y0, x1, y1 = slot.box
            if x0 <= x <= x1 and y0 <= y <= y1:
                box = turn.box(word.bbox)
                token = Token(box.x0, box.y0, box.x1, box.y1, word.text)
                slots[index] = slot._replace(tokens=(*slot.tokens, token))
                break
    return grid._replace(slots=slots)


def _way(direction: tuple[float, float]) -> Direction:
    x, y = direction
    if abs(y) <= abs(x):
        return "right"
    return "up" if y < 0 else "down"
