"""Entities set on a page as a document would have them."""

from __future__ import annotations

from docpipe.geometry import BBox
from docpipe.records import Entity, Region, Source

HEIGHT = 10.0


def entity(
    label: str, text: str, x: float, y: float, *, page: int = 1, score: float = 0.9
) -> Entity:
    """A text at (x, y) from the left and the top, 6 points a character."""
    box = BBox(x, y, x + 6.0 * max(len(text), 1), y + HEIGHT)
    id = f"p{page}/{label}@{x:g},{y:g}"
    return Entity(id, label, (), Source((Region(page, box),), "test"), text, score)
