"""What is printed beside, above and inside a box: the words that label it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from docpipe.geometry import BBox
from docpipe.records import Word

_WORD_GAP = 0.5  # in heights of a word: the largest gap inside a label
_REACH = 2.2  # in heights: how far from its check box a label begins


class Nearby:
    """The printed words of a page, to be asked what stands around a box."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = sorted(words, key=lambda word: word.bbox.y0 + word.bbox.y1)
        self._heights = [word.bbox.center[1] for word in self._words]
        self._tallest = max((word.bbox.height for word in words), default=0.0)

    def between(self, top: float, bottom: float) -> list[Word]:
        """Words whose centre is between two heights."""
        first, last = bisect_left(self._heights, top), bisect_right(self._heights, bottom)
        return self._words[first:last]

    def inside(self, box: BBox) -> list[Word]:
        return [w for w in self.between(box.y0, box.y1) if box.contains_point(*w.bbox.center)]

    def row(self, box: BBox, share: float = 0.45) -> list[Word]:
        """Words on the row of a box, from left to right: `share` of their height on its level."""
        slack = self._tallest / 2
        found = [
            word
            for word in self.between(box.y0 - slack, box.y1 + slack)
            if word.bbox.y_overlap(box) > share * min(word.bbox.height, box.height)
        ]
        return sorted(found, key=lambda word: word.bbox.x0)

    def beside(
        self, box: BBox, without: Sequence[Word] = (), stops: Sequence[BBox] = ()
    ) -> tuple[Word, ...]:
        """The label of a check box: the phrase right of it, or the one left of it when that is
        clearly nearer. `stops` are other boxes, which end a label."""
        row = [word for word in self.row(box) if word not in without]
        right = phrase([w for w in row if w.bbox.x0 > box.center[0]], box, stops)
        left = phrase([w for w in row if w.bbox.x1 < box.center[0]][::-1], box, stops)
        if right and left:
            gap_right, gap_left = gap(box, right[0].bbox), gap(box, left[0].bbox)
            return tuple(left[::-1] if 2 * gap_left + 2 < gap_right else right)
        return tuple(right or left[::-1])


def phrase(
    words: Sequence[Word], box: BBox, stops: Sequence[BBox] = (), reach: float = _REACH
) -> list[Word]:
    """The first of `words`, given from the box outwards, that follow one another closely."""
    found: list[Word] = []
    last = box
    for word in words:
        limit = (_WORD_GAP if found else reach) * word.bbox.height
        if gap(last, word.bbox) > limit or any(_is_between(s, last, word.bbox) for s in stops):
            break
        found.append(word)
        last = word.bbox
    return found


def gap(one: BBox, other: BBox) -> float:
    """The distance across, 0 where they overlap."""
    return max(0.0, -one.x_overlap(other))


def _is_between(stop: BBox, one: BBox, other: BBox) -> bool:
    left, right = (one, other) if one.x0 <= other.x0 else (other, one)
    x, y = stop.center
    return left.center[0] < x < right.center[0] and right.y0 - 2 <= y <= right.y1 + 2
