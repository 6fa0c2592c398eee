"""Another parser's formulas, tables and figures, read from the page's image by a recogniser."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from docpipe import registry
from docpipe.errors import ModelError
from docpipe.geometry import BBox
from docpipe.parsers.native.layout import LayoutModel
from docpipe.records import (
    Cell,
    Figure,
    Formula,
    Issue,
    OutlineEntry,
    Page,
    Region,
    Source,
    Table,
    TextBlock,
)
from docpipe.stages import Draft, ElementRecognizer, PageFacts, PageView, Parser, Recognized

if TYPE_CHECKING:
    from PIL import Image

STAGE = "elements"
Kind = Literal["table", "formula", "diagram"]

_MARGIN = 3.0  # points around a crop
_INSIDE = 0.7  # of a block's area, from which it is part of a formula's region
_LABEL = re.compile(r"\(([A-Z]?\d{1,3}(?:\.\d{1,3})*[a-z]?)\)\s*$")  # an equation's number
_MOST = 500  # rows or columns a span may have
_MAX_PIXELS = 8_000_000


class ElementParser:
    """Reads pages with the parser `base`, then tables and display formulas of them anew.

    `recognizer` reads them, with its own `options`. Tables are those that `base` found; formulas
    too, and those that PyMuPDF's layout model sees on pages of PDFs. Of the kind "diagram" are all
    figures: what the recogniser makes of one becomes its description. What the recogniser is less
    sure of than `least` stays as `base` has it. `dpi` is the resolution of the crops.
    """

    def __init__(
        self,
        recognizer: str = "docfusion",
        options: dict[str, Any] | None = None,
        *,
        base: str = "native",
        base_options: dict[str, Any] | None = None,
        kinds: tuple[Kind, ...] = ("table", "formula"),
        least: float = 0.8,
        dpi: float = 144.0,
    ) -> None:
        self._base: Parser = registry.build("parser", base, base_options or {})
        self._recognizer: ElementRecognizer = registry.build(
            "recognizer", recognizer, options or {}
        )
        self._kinds = kinds
        self._least = least
        self._dpi = dpi
        self._layout = LayoutModel() if "formula" in kinds else None

    def read_page(self, page: PageView) -> PageFacts:
        facts = self._base.read_page(page)
        drafts = list(facts.drafts)
        issues: tuple[Issue, ...] = ()
        if "table" in self._kinds:
            drafts = self._tables_anew(page, drafts)
        if "diagram" in self._kinds:
            drafts = self._figures_described(page, drafts)
        if "formula" in self._kinds:
            boxes, issues = self._formula_boxes(page, drafts)
            drafts = self._with_formulas(page, drafts, boxes)
        return msgspec.structs.replace(facts, drafts=tuple(drafts), issues=(*facts.issues, *issues))

    def compose(self, facts: Sequence[PageFacts], outline: Sequence[OutlineEntry]) -> list[Page]:
        return self._base.compose(facts, outline)

    def _tables_anew(self, page: PageView, drafts: Sequence[Draft]) -> list[Draft]:
        places = [at for at, draft in enumerate(drafts) if isinstance(draft.block, Table)]
        boxes = [drafts[at].block.source.regions[0].bbox for at in places]
        changed = list(drafts)
        for at, result in zip(places, self._read(page, boxes, "table"), strict=True):
            cells = html_cells(result.text)
            block = drafts[at].block
            if isinstance(block, Table) and cells and self._is_sure(result):
                source = Source(block.source.regions, STAGE, result.confidence)
                changed[at] = Draft(msgspec.structs.replace(block, cells=cells, source=source))
        return changed

    def _figures_described(self, page: PageView, drafts: Sequence[Draft]) -> list[Draft]:
        places = [at for at, draft in enumerate(drafts) if isinstance(draft.block, Figure)]
        boxes = [drafts[at].block.source.regions[0].bbox for at in places]
        changed = list(drafts)
        for at, result in zip(places, self._read(page, boxes, "diagram"), strict=True):
            block, said = drafts[at].block, result.text.strip()
            if isinstance(block, Figure) and said and self._is_sure(result):
                changed[at] = Draft(msgspec.structs.replace(block, description=said))
        return changed

    def _formula_boxes(
        self, page: PageView, drafts: Sequence[Draft]
    ) -> tuple[list[BBox], tuple[Issue, ...]]:
        """Boxes of formulas, and what kept the layout model from finding some."""
        known = [
            draft.block.source.regions[0].bbox
            for draft in drafts
            if isinstance(draft.block, Formula)
        ]
        try:
            regions = self._layout.regions(page) if self._layout else []
        except ModelError as error:
            return known, (Issue(STAGE, error.code, error.message, page.number),)
        sheet = (page.width, page.height)
        seen = [region.bbox.clip(*sheet) for region in regions if region.kind == "formula"]
        new = [box for box in seen if not any(box.intersection(other) > 0 for other in known)]
        return [*known, *new], ()

    def _with_formulas(
        self, page: PageView, drafts: Sequence[Draft], boxes: Sequence[BBox]
    ) -> list[Draft]:
        """Drafts with each formula in place of the blocks that are part of it. A region that no
        block, or a part of one only, lies in is left alone: no text may be lost."""
        inside = [_blocks_inside(drafts, box) for box in boxes]
        wanted = [at for at, own in enumerate(inside) if own]
        results = self._read(page, [boxes[at] for at in wanted], "formula")
        replaced: dict[int, Draft] = {}
        gone: set[int] = set()
        for at, result in zip(wanted, results, strict=True):
            own = [place for place in inside[at] if place not in gone]
            if not own or not self._is_sure(result) or not result.text.strip():
                continue
            source = Source((Region(page.number, boxes[at]),), STAGE, result.confidence)
            block = Formula(
                f"p{page.number}/formula{at + 1}",
                source,
                result.text.strip(),
                _label([drafts[place] for place in own]),
            )
            replaced[own[0]] = Draft(block)
            gone |= set(own)
        return [
            replaced.get(at, draft)
            for at, draft in enumerate(drafts)
            if at in replaced or at not in gone
        ]

    def _read(self, page: PageView, boxes: Sequence[BBox], kind: Kind) -> list[Recognized]:
        if not boxes:
            return []
        return self._recognizer.recognize([self._crop(page, box) for box in boxes], kind)

    def _crop(self, page: PageView, box: BBox) -> Image.Image:
        clip = box.expand(_MARGIN).clip(page.width, page.height)
        dots = max(clip.area, 1.0) * (self._dpi / 72) ** 2
        return page.render(self._dpi * min(1.0, math.sqrt(_MAX_PIXELS / dots)), clip)

    def _is_sure(self, result: Recognized) -> bool:
        return result.confidence is None or result.confidence >= self._least


def _blocks_inside(drafts: Sequence[Draft], box: BBox) -> list[int]:
    """The text blocks and formulas that are part of a formula's region; none where it cuts one."""
    found: list[int] = []
    for at, draft in enumerate(drafts):
        own = draft.block.source.regions[0].bbox
        share = own.intersection(box) / max(own.area, 1e-6)
        if share >= _INSIDE and isinstance(draft.block, TextBlock | Formula):
            found.append(at)
        elif share > 1 - _INSIDE:
            return []
    return found


def _label(drafts: Sequence[Draft]) -> str | None:
    """The number that an equation ends with."""
    texts = [draft.block.text for draft in drafts if isinstance(draft.block, TextBlock)]
    match = _LABEL.search(" ".join(texts))
    return match[1] if match else None


def html_cells(html: str) -> tuple[Cell, ...]:
    """The cells of the first table in `html`; none without text."""
    reader = _TableReader()
    reader.feed(html)
    reader.close()
    return tuple(reader.cells) if any(cell.text for cell in reader.cells) else ()


class _TableReader(HTMLParser):
    """Cells with their places, which spans of cells before them move."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[Cell] = []
        self._taken: set[tuple[int, int]] = set()
        self._row = -1
        self._open: tuple[bool, int, int] | None = None  # header, row span, column span
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._end_cell()
            self._row += 1
        elif tag in ("td", "th"):
            self._end_cell()
            self._row = max(self._row, 0)
            spans = dict(attrs)
            self._open = (tag == "th", _span(spans.get("rowspan")), _span(spans.get("colspan")))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._text.append(data)

    def _end_cell(self) -> None:
        if self._open is None:
            return
        header, rows, columns = self._open
        column = 0
        while (self._row, column) in self._taken:
            column += 1
        text = " ".join("".join(self._text).split())
        self.cells.append(Cell(self._row, column, text, rows, columns, header))
        self._taken |= {
            (self._row + down, column + across) for down in range(rows) for across in range(columns)
        }
        self._open, self._text = None, []


def _span(value: str | None) -> int:
    return min(max(int(value), 1), _MOST) if value and value.isdigit() else 1
