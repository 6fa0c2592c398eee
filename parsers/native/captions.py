"""Captions attached to the figure or table they stand at."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from docpipe.geometry import BBox
from docpipe.records import Figure, Region, Table, TextBlock
from docpipe.stages import Draft

_REACH = 3.5  # how far a caption may be from its figure, in the page's font size
_TABLE = re.compile(r"^tab", re.IGNORECASE)


def attach_captions(drafts: Sequence[Draft], em: float) -> list[Draft]:
    """`drafts` with each caption that stands right above or below a figure or table made part of
    it; the caption's box becomes the block's second region."""
    owners: dict[int, int] = {}
    for index, draft in enumerate(drafts):
        block = draft.block
        if isinstance(block, TextBlock) and block.role == "caption":
            owner = _owner(block, drafts, em, owners)
            if owner is not None:
                owners[owner] = index
    attached = {
        owner: _with_caption(drafts[owner], drafts[caption]) for owner, caption in owners.items()
    }
    gone = set(owners.values())
    return [attached.get(index, draft) for index, draft in enumerate(drafts) if index not in gone]


def _owner(
    caption: TextBlock, drafts: Sequence[Draft], em: float, owners: dict[int, int]
) -> int | None:
    """The nearest figure (or table, for a table's caption) above or below that has none yet."""
    kind = Table if _TABLE.match(caption.text) else Figure
    box = caption.source.regions[0].bbox
    best: int | None = None
    nearest = _REACH * em
    for index, draft in enumerate(drafts):
        if isinstance(draft.block, kind) and index not in owners:
            distance = _distance(box, draft.block.source.regions[0].bbox)
            if distance < nearest:
                best, nearest = index, distance
    return best


def _distance(caption: BBox, other: BBox) -> float:
    """The vertical distance of boxes above each other; infinite for others."""
    if caption.x_overlap(other) < 0.5 * min(caption.width, other.width):
        return float("inf")
    return max(0.0, -caption.y_overlap(other))


def _with_caption(draft: Draft, caption: Draft) -> Draft:
    block, text = draft.block, caption.block
    assert isinstance(block, Figure | Table)
    assert isinstance(text, TextBlock)
    regions: tuple[Region, ...] = block.source.regions + text.source.regions
    source = msgspec.structs.replace(block.source, regions=regions)
    return msgspec.structs.replace(
        draft, block=msgspec.structs.replace(block, caption=text.text, source=source)
    )
