"""Tables of a page: where they are and what stands in which cell, from rules and words.

`find_tables` reads one page; `continues` and `joined` put tables together over page breaks.
"""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.geometry import BBox
from docpipe.parsers.native.tables.aligned import aligned
from docpipe.parsers.native.tables.charts import chart_boxes
from docpipe.parsers.native.tables.continued import continues, joined
from docpipe.parsers.native.tables.doubt import has_values, is_crammed, is_ruled_table
from docpipe.parsers.native.tables.grid import Grid, to_table
from docpipe.parsers.native.tables.heads import with_head, with_tail
from docpipe.parsers.native.tables.lattice import Lattice, components, lattice
from docpipe.parsers.native.tables.layout import Token, line_height, lines_of, tokens_of
from docpipe.parsers.native.tables.ruled import fill, fill_one_column
from docpipe.parsers.native.tables.rules import Rule, Rules, find_rules
from docpipe.parsers.native.tables.structure import structure
from docpipe.parsers.native.tables.turned import Sheet, by_direction, is_label, with_words
from docpipe.parsers.native.tables.zones import between_rules
from docpipe.records import Table, Word

BACKGROUND = 0.7  # of the page: a rectangle this large is its ground

__all__ = ["continues", "find_tables", "joined"]


def find_tables(page: Sheet, words: Sequence[Word]) -> list[Table]:
    """The tables of a page, top to bottom, ids `p{page}/table{n}`, without captions.

    `words` are the page's visible words. Cells of a table cover its whole grid, empty ones too.
    """
    area = page.width * page.height
    drawings = [d for d in page.drawings() if d.kind != "rect" or d.bbox.area < BACKGROUND * area]
    grids: list[Grid] = []
    groups = by_direction(page, words)
    for turn, group in groups:
        if is_label(turn, group):
            continue
        tokens = tokens_of(turn.words(group))
        turned = turn.drawings(drawings)
        rules = find_rules(turned)
        found = _find(tokens, rules, chart_boxes(turned, rules, tokens))
        for grid in map(turn.grid_back, found):
            for other, others in groups:
                grid = with_words(grid, other, others) if other != turn else grid
            grids.append(grid)
    grids.sort(key=lambda grid: (grid.box.y0, grid.box.x0))
    return [to_table(grid, page.number, number) for number, grid in enumerate(grids, 1)]


def _find(tokens: list[Token], rules: Rules, charts: list[BBox]) -> list[Grid]:
    height = line_height(tokens)
    tokens = [token for token in tokens if not _inside(charts, *token.center)]
    if len(tokens) < 4:
        return []
    rules = Rules(
        [r for r in rules.horizontal if not _inside(charts, (r.start + r.end) / 2, r.at)],
        [r for r in rules.vertical if not _inside(charts, r.at, (r.start + r.end) / 2)],
    )
    drawn = drawn_cells(tokens, rules, height)
    grids = [grid for grid in drawn if has_values(grid)]
    others, horizontal = _outside(grids, tokens, rules.horizontal)
    zones = list(between_rules(others, horizontal, grids))
    grids = [grid for grid in drawn if grid in grids or not _is_head(grid, zones)]
    grids += [z for z in zones if not any(z.box.intersection(grid.box) for grid in grids)]
    tokens, horizontal = _outside(grids, tokens, rules.horizontal)
    grids = [with_tail(with_head(grid, tokens, rules.horizontal), tokens) for grid in grids]
    tokens, horizontal = _outside(grids, tokens, horizontal)
    labels = [chart.expand(2 * height) for chart in charts]
    loose = aligned([t for t in tokens if not _inside(labels, *t.center)], horizontal)
    for grid in loose:
        if not any(grid.box.intersection(other.box) for other in grids):
            outside, _ = _outside([grid], tokens, [])
            grids.append(with_head(grid, outside, rules.horizontal))
    return [grid for grid in grids if not any(grid.box.intersection(c) > 0 for c in charts)]


def _is_head(grid: Grid, zones: Sequence[Grid]) -> bool:
    """Whether drawn cells are the head of a table that horizontal rules hold together."""
    return any(
        has_values(zone)
        and zone.box.contains(grid.box, 6.0)
        and grid.box.height < 0.4 * zone.box.height
        for zone in zones
    )


def drawn_cells(tokens: list[Token], rules: Rules, height: float) -> list[Grid]:
    """Tables of drawn cells; of two inside one another the outer."""
    grids: list[Grid] = []
    shapes = [(shape, part) for part in components(rules) if (shape := lattice(part))]
    for shape, component in sorted(shapes, key=lambda pair: pair[0].ys[0] - pair[0].ys[-1]):
        box = BBox.of(shape.xs[0], shape.ys[0], shape.xs[-1], shape.ys[-1])
        if any(grid.box.contains(box, 3.0) for grid in grids):
            continue
        inside = [token for token in tokens if box.contains_point(*token.center)]
        grid = _fill(shape, component.horizontal, inside, height) if inside else None
        if grid:
            grids.append(grid)
    return grids


def _fill(shape: Lattice, rules: Sequence[Rule], tokens: list[Token], height: float) -> Grid | None:
    """The cells of a lattice; by alignment where only its rows or its head are drawn."""
    grid = fill(shape, tokens) if len(shape.xs) > 2 else None
    if len(shape.xs) > 2 and not (grid and is_crammed(grid)):
        return grid
    within = [rule for rule in rules if shape.ys[0] + 1 < rule.at < shape.ys[-1] - 1]
    by_alignment = structure(lines_of(tokens), within, height)
    if by_alignment and is_ruled_table(by_alignment):
        return by_alignment
    return grid or fill_one_column(shape, tokens)


def _outside(
    grids: Sequence[Grid], tokens: list[Token], rules: Sequence[Rule]
) -> tuple[list[Token], list[Rule]]:
    """The words and rules that are not part of a table."""
    boxes: list[BBox] = [grid.box.expand(1.0) for grid in grids]
    return (
        [t for t in tokens if not _inside(boxes, *t.center)],
        [rule for rule in rules if not _inside(boxes, (rule.start + rule.end) / 2, rule.at)],
    )


def _inside(boxes: Sequence[BBox], x: float, y: float) -> bool:
    return any(box.contains_point(x, y) for box in boxes)
