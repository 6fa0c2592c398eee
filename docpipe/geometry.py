"""Boxes in the one coordinate system docpipe uses, and conversions from the others.

Everywhere in docpipe a box is in PDF points (1/72 inch), origin at the top left of the page as it
is displayed (after page rotation), y growing downwards. Pixels, 0-1000 grids and bottom-left boxes
are converted here, at the edge.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec


class BBox(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A rectangle `[x0, y0, x1, y1]` in points, top-left origin, `x0 <= x1` and `y0 <= y1`."""

    x0: float
    y0: float
    x1: float
    y1: float

    def __post_init__(self) -> None:
        if not (
            math.isfinite(self.x0 + self.y0 + self.x1 + self.y1)
            and self.x0 <= self.x1
            and self.y0 <= self.y1
        ):
            raise ValueError(
                f"not a box: [{self.x0}, {self.y0}, {self.x1}, {self.y1}] "
                "(finite numbers with x0 <= x1 and y0 <= y1 expected)"
            )

    @classmethod
    def of(cls, x0: float, y0: float, x1: float, y1: float) -> BBox:
        """The box with these two opposite corners, whichever way round, rounded to 0.01 pt."""
        left, right = round(float(x0), 2), round(float(x1), 2)
        top, bottom = round(float(y0), 2), round(float(y1), 2)
        if left > right:
            left, right = right, left
        if top > bottom:
            top, bottom = bottom, top
        return cls(left, top, right, bottom)

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def center(self) -> tuple[float, float]:
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def contains_point(self, x: float, y: float) -> bool:
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1

    def contains(self, other: BBox, tolerance: float = 0.0) -> bool:
        return (
            self.x0 - tolerance <= other.x0
            and self.y0 - tolerance <= other.y0
            and other.x1 <= self.x1 + tolerance
            and other.y1 <= self.y1 + tolerance
        )

    def intersection(self, other: BBox) -> float:
        """Area shared with `other`, in square points."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return width * height if width > 0 and height > 0 else 0.0

    def x_overlap(self, other: BBox) -> float:
        """Length of the shared x range; negative when there is a gap."""
        return min(self.x1, other.x1) - max(self.x0, other.x0)

    def y_overlap(self, other: BBox) -> float:
        """Length of the shared y range; negative when there is a gap."""
        return min(self.y1, other.y1) - max(self.y0, other.y0)

    def union(self, other: BBox) -> BBox:
        return BBox(
            min(self.x0, other.x0),
            min(self.y0, other.y0),
            max(self.x1, other.x1),
            max(self.y1, other.y1),
        )

    def clip(self, width: float, height: float) -> BBox:
        """The part of the box on a page of this size (an edge point when it lies outside)."""
        return BBox(
            min(max(self.x0, 0.0), width),
            min(max(self.y0, 0.0), height),
            min(max(self.x1, 0.0), width),
            min(max(self.y1, 0.0), height),
        )

    def expand(self, margin: float) -> BBox:
        return BBox.of(self.x0 - margin, self.y0 - margin, self.x1 + margin, self.y1 + margin)


def union_all(boxes: Iterable[BBox]) -> BBox:
    """The smallest box around all `boxes`. Raises ValueError when there is none."""
    boxes = list(boxes)
    if not boxes:
        raise ValueError("union_all needs at least one box")
    return BBox(
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )


def from_pixels(x0: float, y0: float, x1: float, y1: float, dpi: float) -> BBox:
    """A box from pixels of a page image rendered at `dpi`."""
    scale = 72.0 / dpi
    return BBox.of(x0 * scale, y0 * scale, x1 * scale, y1 * scale)


def to_pixels(box: BBox, dpi: float) -> tuple[int, int, int, int]:
    """The box in whole pixels of a page image rendered at `dpi`, rounded outwards."""
    scale = dpi / 72.0
    return (
        math.floor(box.x0 * scale),
        math.floor(box.y0 * scale),
        math.ceil(box.x1 * scale),
        math.ceil(box.y1 * scale),
    )
