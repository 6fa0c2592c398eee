"""Reading order by recursive cuts along white space.

A region is cut at its best gutter: a vertical strip with text side by side, which few boxes cross.
The boxes that do cross it (headings, figures, tables over columns) part the region into bands, each
read column by column. A region without a gutter is cut at its widest horizontal gaps, so that
parts with different columns are found; without either it is a leaf, read top to bottom.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from docpipe.geometry import BBox

_MIN_GUTTER = 0.6  # in line heights
_MIN_PARALLEL = 2.5  # of text side by side, in line heights
_NEAR = 6.0  # of the gutter, in line heights
_TAIL_GAP = 1.5  # in line heights
_AMOUNTS = 6.0  # as wide as the amounts of a receipt may be, in line heights
_MAX_DEPTH = 30
_MAX_CANDIDATES = 30
_CROWD = 1500  # items from which fewer candidates are tried


class Item(msgspec.Struct, frozen=True, gc=False):
    """A line or a solid (table, figure) to be put in order, by its index in the caller's list."""

    index: int
    box: BBox
    solid: bool = False


def reading_order(items: Sequence[Item], em: float, rtl: bool = False) -> list[list[int]]:
    """Leaf regions in reading order, each the indexes of its items from top to bottom.

    `em` is the usual line height in points; `rtl` reads columns from the right.
    """
    return [
        [item.index for item in sorted(leaf, key=lambda item: (item.box.y0, item.box.x0))]
        for leaf in _cut(list(items), max(em, 1.0), rtl, 0)
        if leaf
    ]


def _cut(items: list[Item], em: float, rtl: bool, depth: int) -> Iterator[list[Item]]:
    if len(items) < 2 or depth >= _MAX_DEPTH:
        yield items
        return
    gutter = _best_gutter(items, em)
    parts = list(_bands(items, gutter, em, rtl)) if gutter is not None else []
    if len(parts) > 1:
        for part in parts:
            yield from _cut(part, em, rtl, depth + 1)
        return
    slices = _beside(items, em) or _slices(items, em)
    if len(slices) == 1:
        yield items
        return
    leaf: list[Item] = []  # neighbouring slices without columns are one leaf again
    for part in slices:
        leaves = list(_cut(part, em, rtl, depth + 1))
        if len(leaves) == 1:
            leaf += leaves[0]
        else:
            yield leaf
            leaf = []
            yield from leaves
    yield leaf


def _beside(items: list[Item], em: float) -> list[list[Item]]:
    """The items cut above and below a block that text runs beside, as at a figure set into wider
    text; empty without one."""
    best: tuple[float, tuple[float, float], int] | None = None
    for gutter in _candidates(items, em, crossed=0.85):
        for number, (left, right, _) in enumerate(_parted(items, gutter)):
            if not (left and right):
                continue
            parallel = min(_extent(left, right), _extent(right, left))
            enough = 2 * _MIN_PARALLEL * em if best is None else best[0]
            if parallel > enough and _are_columns(left, right, gutter, em):
                best = parallel, gutter, number
    if best is None:
        return []
    bands = list(_parted(items, best[1]))
    above = [item for band in bands[: best[2]] for part in band for item in part]
    left, right, across = bands[best[2]]
    below = across + [item for band in bands[best[2] + 1 :] for part in band for item in part]
    return [part for part in (above, left + right, below) if part]


def _best_gutter(items: list[Item], em: float) -> tuple[float, float] | None:
    """The x range of the gutter with most text side by side."""
    best: tuple[float, float] | None = None
    most = 0.0
    for gutter in _candidates(items, em):
        parallel = _parallel(items, gutter, em)
        if parallel > most:
            best, most = gutter, parallel
    return best


def _candidates(items: list[Item], em: float, crossed: float = 0.35) -> list[tuple[float, float]]:
    """Strips that at most this part of the text crosses, the least crossed first."""
    events: list[tuple[float, float]] = []
    for item in items:
        weight = min(item.box.height, 3 * em)
        events += [(item.box.x0, weight), (item.box.x1, -weight)]
    events.sort()
    total = sum(weight for _, weight in events if weight > 0)
    strips = [
        strip
        for strip in _strips(events)
        if strip[2] - strip[1] >= _MIN_GUTTER * em and strip[0] <= crossed * total
    ]
    strips.sort(key=lambda strip: (strip[0], strip[1] - strip[2]))
    limit = _MAX_CANDIDATES if len(items) < _CROWD else _MAX_CANDIDATES // 4
    chosen: list[tuple[float, float]] = []
    for _, x0, x1 in strips:
        if all(abs(x0 - a) + abs(x1 - b) > 0.3 * em for a, b in chosen):
            chosen.append((x0, x1))
            if len(chosen) == limit:
                break
    return chosen


def _strips(events: list[tuple[float, float]]) -> list[tuple[float, float, float]]:
    """Coverage and x range of every strip that is covered at most so much, as wide as it can be:
    the edge of a centred line inside a gutter leaves it whole."""
    open_strips: list[tuple[float, float]] = []  # coverage and left edge, coverage falling
    strips: list[tuple[float, float, float]] = []
    covered = 0.0
    for (x, weight), (following, _) in pairwise(events):
        covered = max(0.0, covered + weight)
        if following == x:
            continue
        left = x
        while open_strips and open_strips[-1][0] < covered - 1e-6:
            level, left = open_strips.pop()
            strips.append((level, left, x))
        if not open_strips or open_strips[-1][0] > covered + 1e-6:
            open_strips.append((covered, left))
    strips += [(level, left, events[-1][0]) for level, left in open_strips]
    return strips


def _parallel(items: list[Item], gutter: tuple[float, float], em: float) -> float:
    """How much text stands side by side across the gutter, 0 when it is not one."""
    total = 0.0
    left_all: list[Item] = []
    right_all: list[Item] = []
    for left, right, _ in _parted(items, gutter):
        if left and right:
            total += min(_extent(left, right), _extent(right, left))
            left_all += left
            right_all += right
    if total < _MIN_PARALLEL * em or not _are_columns(left_all, right_all, gutter, em):
        return 0.0
    crossing = sum(min(item.box.height, 3 * em) for item in items if _side(item, gutter) == 0)
    return max(total - 0.5 * crossing, 0.0)


def _extent(items: list[Item], others: list[Item]) -> float:
    """Height of `items` beside the span of `others`."""
    top = min(item.box.y0 for item in others)
    bottom = max(item.box.y1 for item in others)
    return sum(max(0.0, min(bottom, item.box.y1) - max(top, item.box.y0)) for item in items)


def _are_columns(
    left: list[Item], right: list[Item], gutter: tuple[float, float], em: float
) -> bool:
    """Columns of text, not the two sides of a table's or form's rows.

    Rows have their two sides on one baseline and leave much of their width free.
    """
    if min(len(left), len(right)) < 2 and not any(item.solid for item in (*left, *right)):
        return False
    fill = min(_fill(left), _fill(right))
    if (
        max(_density(left), _density(right)) < 0.6
        and min(_longest_run(left, em), _longest_run(right, em)) < _MIN_PARALLEL * em
    ):
        return False
    width = min(_width(left), _width(right))
    aligned = _aligned(left, right, em)
    if aligned > 0.6 and (fill < 0.65 or width < _AMOUNTS * em):
        return False
    return not (width < 4 * em and fill < 0.4)


def _fill(items: list[Item]) -> float:
    """The width of the rows of items as a part of the width of all, wide ones counting most."""
    widths: list[float] = []
    row = -1.0
    for item in sorted(items, key=lambda item: item.box.center[1]):
        middle = item.box.center[1]
        if widths and middle - row < 0.5 * item.box.height:
            widths[-1] += item.box.width
        else:
            widths.append(item.box.width)
            row = middle
    return sum(width * width for width in widths) / max(sum(widths) * _width(items), 1.0)


def _longest_run(items: list[Item], em: float) -> float:
    """The height of the longest run of items that follow each other closely."""
    longest = 0.0
    top = bottom = -math.inf
    for item in sorted(items, key=lambda item: item.box.y0):
        if item.box.y0 - bottom > em:
            top = item.box.y0
        bottom = max(bottom, item.box.y1)
        longest = max(longest, bottom - top)
    return longest


def _density(items: list[Item]) -> float:
    """The part of the height from first to last item that items take."""
    top, bottom = min(item.box.y0 for item in items), max(item.box.y1 for item in items)
    return sum(item.box.height for item in items) / max(bottom - top, 1.0)


def _width(items: list[Item]) -> float:
    return max(item.box.x1 for item in items) - min(item.box.x0 for item in items)


def _aligned(left: list[Item], right: list[Item], em: float) -> float:
    """The part of the shorter side's items that share a baseline with the other side."""
    few, many = sorted((left, right), key=len)
    bottoms = sorted(item.box.y1 for item in many)
    shared = sum(item.box.width for item in few if _has_near(bottoms, item.box.y1, 0.2 * em))
    return shared / max(sum(item.box.width for item in few), 1.0)


def _has_near(values: list[float], value: float, tolerance: float) -> bool:
    at = bisect_left(values, value - tolerance)
    return at < len(values) and values[at] <= value + tolerance


def _side(item: Item, gutter: tuple[float, float]) -> int:
    """-1 left of the gutter, 1 right of it, 0 across."""
    if item.box.x1 <= gutter[0] + 0.5:
        return -1
    return 1 if item.box.x0 >= gutter[1] - 0.5 else 0


def _parted(
    items: list[Item], gutter: tuple[float, float]
) -> Iterator[tuple[list[Item], list[Item], list[Item]]]:
    """Bands from top to bottom: left items, right items, and below them the items across, with
    what stands beside a figure or table among these."""
    solids = [item.box for item in items if item.solid and _side(item, gutter) == 0]
    left: list[Item] = []
    right: list[Item] = []
    across: list[Item] = []
    for item in sorted(items, key=lambda item: (item.box.y0 + item.box.y1, item.box.x0)):
        side = _side(item, gutter)
        beside = any(box.y0 < item.box.center[1] < box.y1 for box in solids)
        if side == 0 or beside:
            across.append(item)
            continue
        if across:
            yield _with_tail(left, right, across)
            left, right, across = [], [], []
        (left if side < 0 else right).append(item)
    yield _with_tail(left, right, across)


def _with_tail(
    left: list[Item], right: list[Item], across: list[Item]
) -> tuple[list[Item], list[Item], list[Item]]:
    """The band, with short lines of what follows it taken to the items across: they stand on one
    side alone, below white space that goes through both columns."""
    if not (left and right and across) or across[0].solid:
        return left, right, across
    ends = max(item.box.y1 for item in left), max(item.box.y1 for item in right)
    longer = left if ends[0] > ends[1] else right
    bottom = min(ends)
    top = math.inf
    for item in sorted(longer, key=lambda item: item.box.y0):
        if item.box.y0 - bottom > _TAIL_GAP * item.box.height:
            top = item.box.y0
            break
        bottom = max(bottom, item.box.y1)
    tail = [item for item in longer if item.box.y0 >= top]
    edge = min((item.box.x0 for item in tail), default=math.inf)
    if not any(abs(item.box.x0 - edge) <= 2.0 for item in across):
        return left, right, across
    kept = [item for item in longer if item.box.y0 < top]
    bands = (kept, right) if longer is left else (left, kept)
    return *bands, tail + across


def _bands(
    items: list[Item], gutter: tuple[float, float], em: float, rtl: bool
) -> Iterator[list[Item]]:
    """The columns of each band and the items between bands, in reading order. Bands whose text
    keeps away from the gutter have other columns: they stay with the items around them."""
    rest: list[Item] = []
    for left, right, across in _parted(items, gutter):
        if left and right and _meet_at(gutter, left, right, em):
            first, second = (right, left) if rtl else (left, right)
            yield from (part for part in (rest, first, second) if part)
            rest = across
        else:
            rest += left + right + across
    if rest:
        yield rest


def _meet_at(gutter: tuple[float, float], left: list[Item], right: list[Item], em: float) -> bool:
    return (
        gutter[0] - max(item.box.x1 for item in left) < _NEAR * em
        and min(item.box.x0 for item in right) - gutter[1] < _NEAR * em
    )


def _slices(items: list[Item], em: float) -> list[list[Item]]:
    """The items, cut at the widest horizontal gaps."""
    ordered = sorted(items, key=lambda item: item.box.y0)
    gaps: list[float] = []
    bottom = ordered[0].box.y1
    for item in ordered[1:]:
        gaps.append(item.box.y0 - bottom)
        bottom = max(bottom, item.box.y1)
    widest = max(gaps)
    if widest <= 0.1 * em:
        return [items]
    slices = [[ordered[0]]]
    for gap, item in zip(gaps, ordered[1:], strict=True):
        if gap >= 0.6 * widest:
            slices.append([])
        slices[-1].append(item)
    return slices
