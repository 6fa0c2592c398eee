"""A parser's formulas and tables read anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from docpipe.config import load
from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.parsers.docfusion.tabular import to_html
from docpipe.parsers.elements import ElementParser, html_cells
from docpipe.parsers.native.layout.model import LayoutRegion
from docpipe.pdf import open_document
from docpipe.pipeline import Pipeline
from docpipe.records import Block, Cell, Figure, Formula, Region, Source, Table, TextBlock
from docpipe.registry import build
from docpipe.stages import Draft, ElementKind, PageFacts, PageView, Recognized
from docpipe.testing import FakePage, FakeParser, check_parser

CELLS = (Cell(0, 0, "a", 2, 1, True), Cell(0, 1, "b", is_header=True), Cell(1, 1, "c"))


class Says:
    """A recogniser of the given answers."""

    def __init__(self, confidence: float | None = 0.9, **answers: str) -> None:
        self.answers, self.confidence = answers, confidence
        self.sizes: list[tuple[int, int]] = []

    def recognize(self, crops: Sequence[Image.Image], kind: ElementKind) -> list[Recognized]:
        self.sizes += [crop.size for crop in crops]
        return [Recognized(self.answers.get(kind, ""), self.confidence) for _ in crops]


class Sees:
    """A layout model that sees formulas at the given boxes."""

    def __init__(self, *boxes: BBox) -> None:
        self.boxes = boxes

    def regions(self, page: PageView) -> list[LayoutRegion]:
        return [LayoutRegion("formula", box, 0.9) for box in self.boxes]


class Drafts(FakeParser):
    """A parser of the given blocks."""

    def __init__(self, *blocks: Block) -> None:
        self.blocks = blocks

    def read_page(self, page: PageView) -> PageFacts:
        return PageFacts(
            number=page.number,
            label=page.label,
            width=page.width,
            height=page.height,
            drafts=tuple(map(Draft, self.blocks)),
        )


def source(box: BBox) -> Source:
    return Source((Region(1, box),), "base", 0.5)


def text(box: BBox, says: str) -> TextBlock:
    return TextBlock("p1/text1", source(box), says, "paragraph")


def parser(says: Says, *blocks: Block, sees: Sees | None = None) -> ElementParser:
    made = ElementParser("fake", base="fake", kinds=("table",))
    made._base, made._recognizer = Drafts(*blocks), says
    if sees is not None:
        made._kinds, made._layout = ("table", "formula"), sees  # type: ignore[assignment]
    return made


def read(made: ElementParser) -> list[Block]:
    return [draft.block for draft in made.read_page(FakePage(())).drafts]


TABLE = Table("p1/table1", source(BBox(50, 50, 250, 100)), (Cell(0, 0, "base"),), "Table 1")
LINE = BBox(100, 200, 300, 220)


def test_it_keeps_the_promises_of_a_parser() -> None:
    check_parser(ElementParser("fake", base="native"))


def test_a_table_gets_the_cells_that_were_read() -> None:
    says = Says(table=to_html(CELLS))
    [table] = read(parser(says, TABLE))
    assert isinstance(table, Table)
    assert table.cells == CELLS
    assert table.caption == "Table 1"
    assert (table.source.stage, table.source.confidence) == ("elements", 0.9)
    assert table.source.regions == TABLE.source.regions
    assert says.sizes == [(412, 112)]  # 206 x 56 points at 144 dpi


@pytest.mark.parametrize(
    "says",
    [Says(0.5, table=to_html(CELLS)), Says(table="<table></table>"), Says(table="no table")],
)
def test_a_doubtful_or_empty_reading_changes_nothing(says: Says) -> None:
    assert read(parser(says, TABLE)) == [TABLE]


def test_a_figure_is_described_by_what_was_read_of_it() -> None:
    figure = Figure("p1/figure1", source(BBox(50, 50, 250, 100)), "Figure 1")
    for says, description in (
        (Says(diagram="a --> b "), "a --> b"),
        (Says(0.5, diagram="?"), None),
    ):
        made = parser(says, TABLE, figure)
        made._kinds = ("diagram",)
        [table, found] = read(made)
        assert table == TABLE
        assert isinstance(found, Figure)
        assert (found.description, found.caption) == (description, "Figure 1")
        assert found.source == figure.source


def test_a_formula_takes_the_place_of_its_text() -> None:
    before, after = text(BBox(50, 150, 350, 190), "where"), text(BBox(50, 230, 350, 260), "holds")
    parts = [text(BBox(100, 200, 220, 220), "E = mc2"), text(BBox(280, 203, 300, 215), "(3.1a)")]
    made = parser(Says(formula=" E=mc^{2} "), before, *parts, after, sees=Sees(LINE))
    blocks = read(made)
    assert [blocks[0], blocks[2]] == [before, after]
    formula = blocks[1]
    assert isinstance(formula, Formula)
    assert (formula.latex, formula.label) == ("E=mc^{2}", "3.1a")
    assert formula.source.regions == (Region(1, LINE),)


@pytest.mark.parametrize(
    ("blocks", "says"),
    [
        ((text(BBox(50, 150, 350, 260), "a paragraph around it"),), Says(formula="x")),
        ((text(BBox(50, 180, 350, 212), "half in it"),), Says(formula="x")),
        ((text(LINE, "E = mc2"),), Says(0.1, formula="x")),
        ((text(LINE, "E = mc2"),), Says(formula="  ")),
    ],
)
def test_no_text_is_lost_to_a_formula(blocks: tuple[Block, ...], says: Says) -> None:
    assert read(parser(says, *blocks, sees=Sees(LINE))) == list(blocks)


def test_formulas_of_the_base_parser_are_read_once() -> None:
    known = Formula("p1/formula1", source(LINE), "?")
    says = Says(formula="x")
    [formula] = read(parser(says, known, sees=Sees(BBox(99, 199, 301, 221))))
    assert isinstance(formula, Formula)
    assert formula.latex == "x"
    assert len(says.sizes) == 1


def test_formulas_of_a_real_page_are_seen(tmp_path: Path) -> None:
    """The layout model runs on pages of PDFs; text around a formula stays."""
    path = tmp_path / "formula.pdf"
    with pymupdf.open() as made:
        page = made.new_page(width=400, height=300)
        page.insert_text((50, 60), "The energy of a body at rest is given by the well-known")
        page.insert_text((150, 95), "E = m c² + ∑ αᵢ", fontname="tiro", fontsize=14)
        page.insert_text((50, 130), "where c is the speed of light in a vacuum.")
        made.save(path)
    made_parser = ElementParser("fake", base="native")
    made_parser._recognizer = Says(formula="E=mc^{2}")
    with open_document(path) as document:
        facts = made_parser.read_page(document.page(1))
    said = " ".join(
        draft.block.latex if isinstance(draft.block, Formula) else draft.block.text
        for draft in facts.drafts
        if isinstance(draft.block, Formula | TextBlock)
    )
    assert "The energy" in said
    assert "speed of light" in said
    assert not facts.issues


def test_it_is_configured_like_any_parser(tmp_path: Path) -> None:
    (tmp_path / "docpipe.toml").write_text(
        '[parser]\nname = "elements"\nrecognizer = "fake"\nkinds = ["table"]\n'
        'base_options = { layout = "fast" }\n'
    )
    config = load(tmp_path / "docpipe.toml")
    assert isinstance(Pipeline(config).parser, ElementParser)
    assert isinstance(build("parser", "elements", {"kinds": ["table"]}), ElementParser)
    with pytest.raises(ConfigError, match="kinds"):
        build("parser", "elements", {"kinds": ["picture"]})


def test_html_is_read_with_its_spans() -> None:
    html = (
        "<p>before</p><table><tr><th rowspan=2>a</th><th>b &amp; b</th></tr>"
        "<tr><td>c<br>d</td></tr><tr><td colspan='x'>e<td>f</table>"
    )
    assert [(c.row, c.column, c.text, c.row_span, c.is_header) for c in html_cells(html)] == [
        (0, 0, "a", 2, True),
        (0, 1, "b & b", 1, True),
        (1, 1, "cd", 1, False),
        (2, 0, "e", 1, False),
        (2, 1, "f", 1, False),
    ]
    assert html_cells("") == ()


@given(st.text(alphabet="<>/trdhable =\"'3&;", max_size=60))
def test_no_html_breaks_reading(html: str) -> None:
    places = [(cell.row, cell.column) for cell in html_cells(html)]
    assert len(set(places)) == len(places)


def test_cells_survive_html() -> None:
    assert html_cells(to_html(CELLS)) == CELLS
