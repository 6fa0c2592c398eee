"""Tables set sideways: their words and rules turned upright, and the result turned back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from docpipe.geometry import BBox
from docpipe.parsers.native.tables.grid import Grid, Slot
from docpipe.records import Word
from docpipe.stages import Drawing, PageView, TextSpan

FEWEST_LETTERS = 60  # sideways letters on a page that may be a table rather than a label

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

    def drawings(self, drawings: Sequence[Drawing]) -> Sequence[Drawing]:
        if self.direction == "right":
            return drawings
        return [Drawing(d.kind, self.box(d.bbox), d.stroke, d.fill, d.width) for d in drawings]

    def grid_back(self, grid: Grid) -> Grid:
        """Cells where they stand on the page; their words stay turned, in reading order."""
        slots: list[Slot] = [slot._replace(box=self.box_back(slot.box)) for slot in grid.slots]
        return grid._replace(slots=slots)


def by_direction(page: PageView, words: Sequence[Word]) -> list[tuple[Turn, list[Word]]]:
    """The words of each direction that a table may be set in, turned upright."""
    sideways = [(way, span) for span in page.spans() if (way := _way(span.direction)) != "right"]
    upright = Turn("right", page.width, page.height)
    if sum(len(span.text) for _, span in sideways) < FEWEST_LETTERS:
        return [(upright, list(words))]
    groups: dict[Direction, list[Word]] = {"right": [], "up": [], "down": []}
    for word in words:
        groups[_way_of(word, sideways)].append(word)
    turned = []
    for way, group in groups.items():
        turn = Turn(way, page.width, page.height)
        turned.append((turn, [Word(word.text, turn.box(word.bbox)) for word in group]))
    return turned


def _way(direction: tuple[float, float]) -> Direction:
    x, y = direction
    if abs(y) <= abs(x):
        return "right"
    return "up" if y < 0 else "down"


def _way_of(word: Word, sideways: Sequence[tuple[Direction, TextSpan]]) -> Direction:
    x, y = word.bbox.center
    return next((way for way, span in sideways if span.bbox.contains_point(x, y)), "right")
