"""What the model's regions say about a page's tables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from docpipe.geometry import BBox
from docpipe.parsers.native.layout.doubt import is_unsure
from docpipe.parsers.native.layout.model import LayoutRegion
from docpipe.parsers.native.tables.grid import Grid, to_table
from docpipe.parsers.native.tables.layout import line_height, lines_of, text_of, tokens_of
from docpipe.parsers.native.tables.rules import find_rules
from docpipe.parsers.native.tables.structure import structure
from docpipe.records import Table, Word
from docpipe.stages import PageView

_SURE = 0.8  # of the model, to add a table
_LIKELY = 0.7  # of the model, to call text what the rules took for a table
_TEXT = {"text", "title", "section-header", "list-item", "caption", "footnote", "formula"}
_PAGE_NUMBER = re.compile(r"(?:^|[\s.…])(\d{1,4}|[ivxlc]+)$", re.IGNORECASE)


def judged_tables(
    page: PageView, tables: Sequence[Table], words: Sequence[Word], regions: Sequence[LayoutRegion]
) -> list[Table]:
    """`tables` without the unsure ones that the model takes for text, and with those that it alone
    sees, read by rules from `words`; their confidence is the model's. Top to bottom."""
    kept = [table for table in tables if not (is_unsure(table) and _is_text(table, regions))]
    taken = [table.source.regions[0].bbox for table in kept]
    for region in regions:
        if region.kind != "table" or region.confidence < _SURE or _is_taken(region.bbox, taken):
            continue
        grid = _read(page, words, region)
        if grid is not None and not _is_contents(grid):
            kept.append(to_table(grid, page.number, len(kept) + 1))
            taken.append(grid.box)
    return sorted(kept, key=lambda table: table.source.regions[0].bbox.y0)


def _is_text(table: Table, regions: Sequence[LayoutRegion]) -> bool:
    """Whether the model sees text, and no table, where a table was found."""
    box = table.source.regions[0].bbox
    tables = sum(r.bbox.intersection(box) for r in regions if r.kind == "table")
    texts = sum(
        r.bbox.intersection(box) for r in regions if r.kind in _TEXT and r.confidence > _LIKELY
    )
    return tables < 0.1 * box.area and texts > 0.3 * box.area


def _is_taken(box: BBox, taken: Sequence[BBox]) -> bool:
    return any(other.intersection(box) > 0.05 * min(other.area, box.area) for other in taken)


def _read(page: PageView, words: Sequence[Word], region: LayoutRegion) -> Grid | None:
    inside = [word for word in words if region.bbox.contains_point(*word.bbox.center)]
    tokens = tokens_of(inside)
    if len(tokens) < 4:
        return None
    rules = [
        rule
        for rule in find_rules(page.drawings()).horizontal
        if region.bbox.contains_point((rule.start + rule.end) / 2, rule.at)
    ]
    grid = structure(lines_of(tokens), rules, line_height(tokens))
    return grid._replace(confidence=region.confidence) if grid else None


def _is_contents(grid: Grid) -> bool:
    """Whether the rows are entries of a table of contents: their last cells count pages upwards.

    The model takes those for tables."""
    rows: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for slot in grid.slots:
        if slot.tokens:
            rows[slot.row].append((slot.column, text_of(slot.tokens)))
    ends = [_PAGE_NUMBER.search(max(rows[row])[1]) for row in sorted(rows)]
    numbers = [int(end[1]) for end in ends if end and end[1].isdigit()]
    return (
        grid.columns <= 3
        and sum(end is not None for end in ends) > 0.6 * len(rows)
        and len(numbers) > 2
        and numbers == sorted(numbers)
    )
