"""Where entities stand to each other: in rows, and in blocks of lines."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.geometry import BBox, union_all
from docpipe.records import Entity

_WIDEST_GAP = 2.5  # line heights between the lines of a block, which may skip a line
_SIDE_GAP = 6.0  # line heights between parts of one line


def place(entity: Entity) -> tuple[int, BBox]:
    """The page of an entity and its box there."""
    page = entity.source.regions[0].page
    return page, union_all(r.bbox for r in entity.source.regions if r.page == page)


def reading_order(entities: Sequence[Entity]) -> list[Entity]:
    """By page, rows from top to bottom, and each row from left to right."""
    return [entity for row in rows(entities) for entity in row]


def rows(entities: Sequence[Entity]) -> list[list[Entity]]:
    """Entities on one level of a page together, each row from left to right."""
    found: list[list[Entity]] = []
    placed = sorted(entities, key=lambda entity: (place(entity)[0], place(entity)[1].center[1]))
    for entity in placed:
        if found and _level(found[-1][-1], entity):
            found[-1].append(entity)
        else:
            found.append([entity])
    return [sorted(row, key=lambda entity: place(entity)[1].x0) for row in found]


def blocks(entities: Sequence[Entity]) -> list[list[Entity]]:
    """Entities that stand together, as the lines of an address do; blocks in reading order."""
    found: list[list[Entity]] = []
    for entity in reading_order(entities):
        joined = [block for block in found if any(near(other, entity) for other in block)]
        for block in joined:
            found.remove(block)
        found.append([*(each for block in joined for each in block), entity])
    return found


def raw_text(entities: Sequence[Entity]) -> str:
    """Their texts as on the page, a line for each row."""
    return "\n".join(" ".join(entity.text for entity in row) for row in rows(entities))


def _level(one: Entity, other: Entity) -> bool:
    (page, box), (other_page, other_box) = place(one), place(other)
    return page == other_page and _share_height(box, other_box)


def _share_height(box: BBox, other: BBox) -> bool:
    smaller = min(box.height, other.height)
    return box.y_overlap(other) > 0.5 * smaller or (smaller == 0 and box.y_overlap(other) >= 0)


def near(one: Entity, other: Entity) -> bool:
    """Whether two entities may be parts of one value."""
    (page, box), (other_page, other_box) = place(one), place(other)
    if page != other_page:
        return False
    height = max(min(box.height, other_box.height), 1.0)
    gap = -box.y_overlap(other_box)
    if _share_height(box, other_box):
        return -box.x_overlap(other_box) <= _SIDE_GAP * height
    return gap <= _WIDEST_GAP * height and -box.x_overlap(other_box) <= _SIDE_GAP * height
