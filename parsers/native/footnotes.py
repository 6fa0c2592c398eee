"""Footnotes of a page behind its text, so that no column is parted by those of another."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from docpipe.records import TextBlock
from docpipe.stages import Draft

_GAP = 1.5  # between the notes of a column, in font sizes


def footnotes_last(drafts: Sequence[Draft]) -> list[Draft]:
    """`drafts` in their order, the footnotes last. What stands right above a footnote in the same
    type is the rest of one from the page before."""
    marked = list(drafts)
    for index in range(len(marked) - 1, 0, -1):
        if _is_note(marked[index]) and _goes_on(marked[index - 1], marked[index]):
            block = msgspec.structs.replace(marked[index - 1].block, role="footnote")
            marked[index - 1] = msgspec.structs.replace(marked[index - 1], block=block)
    return [draft for draft in marked if not _is_note(draft)] + list(filter(_is_note, marked))


def _is_note(draft: Draft) -> bool:
    return isinstance(draft.block, TextBlock) and draft.block.role == "footnote"


def _goes_on(above: Draft, note: Draft) -> bool:
    block, style = above.block, above.style
    if not isinstance(block, TextBlock) or block.role not in ("paragraph", "list_item"):
        return False
    if style is None or note.style is None:
        return False
    box, below = block.source.regions[0].bbox, note.block.source.regions[0].bbox
    return (
        abs(style.size - note.style.size) < 0.3
        and -0.5 < (below.y0 - box.y1) / style.size < _GAP
        and box.x_overlap(below) > 0.5 * min(box.width, below.width)
    )
