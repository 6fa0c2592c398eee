"""What every source of training data gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, get_args

import msgspec

from docpipe.geometry import BBox
from docpipe.records import Cell

if TYPE_CHECKING:
    from PIL import Image

Task = Literal["layout", "text", "formula", "table"]
TASKS: tuple[Task, ...] = get_args(Task)

LABELS = (
    "Text",
    "Title",
    "Section",
    "List",
    "Table",
    "Cap",
    "Math",
    "Picture",
    "Header",
    "Footer",
    "Footnote",
)
"""Names of what stands on a page; those the paper shows are Text, Section, Table, Cap, Math,
Picture and Header."""


class LayoutBox(msgspec.Struct, frozen=True, array_like=True):
    """Something on a page; the box is in pixels of the page image."""

    label: str
    box: BBox


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """An image and what is to be read from it.

    `text` is what a crop says: plain text, or LaTeX of a formula or table; `boxes` what stands on a
    page, from top to bottom; `cells` the grid of a table where it is known, with the
    places of the cells in pixels of the image where these are. `name` tells samples of
    a source apart, and samples of one `group` come from one document.
    """

    task: Task
    image: Image.Image
    text: str = ""
    boxes: tuple[LayoutBox, ...] = ()
    cells: tuple[Cell, ...] = ()
    name: str = ""
    group: str = ""


class SampleSource(Protocol):
    """Samples by number, made or read when they are asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: int) -> Sample: ...


def top_down(boxes: Sequence[LayoutBox]) -> tuple[LayoutBox, ...]:
    """In the order of their top edges, then left edges."""
    return tuple(sorted(boxes, key=lambda item: (item.box.y0, item.box.x0)))
