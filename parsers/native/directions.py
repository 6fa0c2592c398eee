"""Directions of writing, and frames in which each of them runs to the right."""

from __future__ import annotations

from collections.abc import Callable

from docpipe.geometry import BBox


def axis(direction: tuple[float, float]) -> tuple[float, float]:
    """The direction, snapped to the page's axes where it is within some 3 degrees of one."""
    x, y = direction
    if abs(y) < 0.05:
        return (1.0, 0.0) if x > 0 else (-1.0, 0.0)
    if abs(x) < 0.05:
        return (0.0, 1.0) if y > 0 else (0.0, -1.0)
    return round(x, 1), round(y, 1)


def frame(direction: tuple[float, float]) -> Callable[[BBox], BBox]:
    """Maps boxes to a frame where this direction runs to the right and lines run down."""
    match direction:
        case (1.0, 0.0):
            return lambda box: box
        case (-1.0, 0.0):
            return lambda box: BBox(-box.x1, -box.y1, -box.x0, -box.y0)
        case (0.0, 1.0):
            return lambda box: BBox(box.y0, -box.x1, box.y1, -box.x0)
        case (0.0, -1.0):
            return lambda box: BBox(-box.y1, box.x0, -box.y0, box.x1)
    cos, sin = direction

    def turn(box: BBox) -> BBox:
        x, y = box.center
        along, across = x * cos + y * sin, y * cos - x * sin
        half = max(min(box.width, box.height) / 2, 0.5)
        return BBox(along - half, across - half, along + half, across + half)

    return turn
