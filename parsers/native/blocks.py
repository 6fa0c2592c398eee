"""Blocks from lines: what every parser does once it has lines, whether drawn or recognised.

`drafts_from_lines` is the whole way: reading order, paragraphs, roles that one page can tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docpipe.geometry import BBox, union_all
from docpipe.parsers.native.captions import attach_captions
from docpipe.parsers.native.columns import Item, reading_order
from docpipe.parsers.native.footnotes import footnotes_last
from docpipe.parsers.native.labelled import labelled_rows
from docpipe.parsers.native.line_text import is_rtl
from docpipe.parsers.native.lines import Line, body_size, is_monospaced, merge_lines, text_size
from docpipe.parsers.native.markers import list_marker
from docpipe.parsers.native.paragraphs import split_paragraphs
from docpipe.parsers.native.roles import page_role
from docpipe.parsers.native.words import UPRIGHT
from docpipe.records import Region, Source, TextBlock
from docpipe.stages import Draft, Style

_PROSE = re.compile(r"(?:[^\W\d_]+['’]?[^\W\d_]*[,.;:]? ){5}")


def drafts_from_lines(
    lines: Sequence[Line],
    *,
    page: int,
    width: float,
    height: float,
    stage: str,
    placed: Sequence[Draft] = (),
) -> list[Draft]:
    """The blocks of a page in reading order, with the roles that one page can tell.

    `placed` are tables and figures whose words are not among `lines`; each is put where it
    stands. Labels beside their values are read row by row. `stage` names the maker in every
    block's source. `raw` of a text block is its lines, joined by newlines: `compose` needs them to
    undo hyphenation.
    """
    em = body_size(line for line in lines if line.direction == UPRIGHT)
    rows, lines = labelled_rows(lines, page, stage)
    placed = [*placed, *rows]
    upright = [line for line in lines if line.direction == UPRIGHT]
    items = [Item(index, line.bbox) for index, line in enumerate(upright)]
    items += [
        Item(len(upright) + index, draft.block.source.regions[0].bbox, solid=True)
        for index, draft in enumerate(placed)
    ]
    drafts: list[Draft] = []
    sheet = BBox(0.0, 0.0, width, height)
    large = text_size(upright, em)
    maker = _Maker(page, stage, em, large, sheet, _is_typewritten(upright))
    rtl = 2 * sum(is_rtl(line.text) for line in upright) > len(upright)
    for leaf in reading_order(items, em, rtl):
        run: list[Line] = []
        for index in leaf:
            if index < len(upright):
                run.append(upright[index])
            else:
                drafts += maker.drafts(run)
                drafts.append(placed[index - len(upright)])
                run = []
        drafts += maker.drafts(run)
    for group in _turned(lines):
        drafts += maker.drafts(group, turned=True)
    return footnotes_last(attach_captions(drafts, em))


def _is_typewritten(lines: Sequence[Line]) -> bool:
    """Whether most running text of a page is prose in a typewriter face."""
    total = sum(len(line.text) for line in lines)
    mono = [line for line in lines if is_monospaced(line)]
    prose = sum(len(line.text) for line in mono if _PROSE.search(line.text))
    return prose > 0.6 * total


def _turned(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that do not run to the right, those of one direction together."""
    groups: dict[tuple[float, float], list[Line]] = {}
    for line in lines:
        if line.direction != UPRIGHT:
            groups.setdefault(line.direction, []).append(line)
    return list(groups.values())


class _Maker:
    """Makes drafts of the lines of one page."""

    def __init__(
        self, page: int, stage: str, em: float, large: float, sheet: BBox, typewritten: bool
    ) -> None:
        self._page = page
        self._stage = stage
        self._em = em
        self._large = large
        self._sheet = sheet
        self._typewritten = typewritten
        self._count = 0

    def drafts(self, lines: Sequence[Line], turned: bool = False) -> list[Draft]:
        rows = list(lines) if turned else join_rows(lines)
        blocks = split_paragraphs(rows, self._em, turned=turned, typewritten=self._typewritten)
        return [self._draft(block) for block in blocks]

    def _draft(self, lines: Sequence[Line]) -> Draft:
        self._count += 1
        longest = max(lines, key=lambda line: len(line.text))
        text = " ".join(line.text for line in lines)
        usual = self._em if list_marker(lines[0].text) else self._large
        role = page_role(lines, usual, self._sheet, typewritten=self._typewritten)
        shown = _indented(lines) if role == "code" else [line.text for line in lines]
        raw = "\n".join(shown) if len(lines) > 1 else None
        regions = (Region(self._page, union_all(line.bbox for line in lines)),)
        block = TextBlock(
            id=f"p{self._page}/text{self._count}",
            source=Source(regions, self._stage),
            text=text,
            role=role,
            raw=raw,
        )
        bold = all(line.bold for line in lines)
        turned = longest.direction != UPRIGHT
        return Draft(block, Style(longest.size, bold, longest.italic, longest.font, turned))


def _indented(lines: Sequence[Line]) -> list[str]:
    """The lines of a piece of code, with blanks for their indentation."""
    left = min(line.bbox.x0 for line in lines)
    return [" " * round((line.bbox.x0 - left) / (0.6 * line.size)) + line.text for line in lines]


def join_rows(lines: Sequence[Line]) -> list[Line]:
    """Lines of one column from top to bottom, with those side by side made one."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.bbox.y0 + line.bbox.y1):
        if rows and _side_by_side(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    for row in rows:
        row.sort(key=lambda line: line.bbox.x0)
    return [row[0] if len(row) == 1 else merge_lines(row) for row in rows]


def _side_by_side(row: Sequence[Line], line: Line) -> bool:
    last = row[-1].bbox
    overlap = last.y_overlap(line.bbox)
    return overlap > 0.55 * min(last.height, line.bbox.height) and all(
        other.bbox.x_overlap(line.bbox) <= 1.0 for other in row
    )
