"""The parser: with random weights, and with a reader that says what the test wants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from docpipe.config import Config, StageConfig
from docpipe.draw import draw_page
from docpipe.errors import ModelError
from docpipe.geometry import BBox
from docpipe.parsers.docfusion.config import Task
from docpipe.parsers.docfusion.parser import DocFusionParser
from docpipe.parsers.docfusion.reader import Block
from docpipe.parsers.docfusion.reading import Reading
from docpipe.parsers.docfusion.weights import save
from docpipe.pipeline import Pipeline
from docpipe.records import Cell, Document, Figure, Formula, Page, Table, TextBlock
from docpipe.registry import build
from docpipe.testing import FakePage, check_parser
from tests.parsers.docfusion.models import small_config, small_model, small_tiny

WIDTH, HEIGHT = 400.0, 300.0
LATEX = r"\begin{tabular}{lc} Mill & Year \\ \midrule North & 1921 \\ \end{tabular}"


class Script:
    """A reader that finds the given blocks, and reads what stands beside each."""

    config = small_config()

    def __init__(
        self,
        *blocks: tuple[str, tuple[float, float, float, float], str],
        confidence: float = 0.8,
    ) -> None:
        self.blocks = blocks
        self.confidence = confidence
        self.asked: list[tuple[Task, int]] = []

    def layout(self, page: Image.Image, width: float, height: float) -> list[Block]:
        return [Block(label, BBox(*box), 0.9) for label, box, _ in self.blocks]

    def read(self, crops: Sequence[Image.Image], task: Task) -> list[Reading]:
        kinds: dict[str, Task] = {"Table": "table", "Math": "formula", "Picture": "layout"}
        self.asked.append((task, len(crops)))
        own = sorted(
            (box[1], box[0], text)
            for label, box, text in self.blocks
            if kinds.get(label, "text") == task
        )
        return [Reading(text, self.confidence, True) for _, _, text in own][: len(crops)]


PAGE = (
    ("Section", (40.0, 20.0, 200.0, 40.0), "2.1 The mills"),
    ("Text", (40.0, 50.0, 360.0, 90.0), "North ground 1,250 ton-\nnes of wheat."),
    ("Math", (100.0, 100.0, 300.0, 130.0), r"E=mc^{2}"),
    ("Table", (40.0, 150.0, 360.0, 200.0), LATEX),
    ("Cap", (40.0, 204.0, 300.0, 216.0), "Table 1: Mills and years."),
    ("Picture", (40.0, 230.0, 200.0, 280.0), ""),
    ("Footer", (190.0, 285.0, 210.0, 295.0), "7"),
)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    save(folder, small_model())
    return folder


def scripted(weights: Path, script: Script, **options: Any) -> DocFusionParser:
    parser = DocFusionParser(weights, **options)
    parser._reader = script  # type: ignore[assignment]
    return parser


def parsed(parser: DocFusionParser, page: FakePage) -> Page:
    return parser.compose([parser.read_page(page)], ())[0]


def of_kind(page: Page, kind: type) -> list[Any]:
    return [block for block in page.blocks if isinstance(block, kind)]


@pytest.mark.parametrize("config", [small_config(), small_tiny()])
@pytest.mark.parametrize("text", ["page", "image"])
def test_it_keeps_the_promises_of_a_parser(tmp_path: Path, config: Any, text: Any) -> None:
    save(tmp_path, small_model(config))
    check_parser(DocFusionParser(tmp_path, beams=1, text=text))


def test_a_scanned_page_becomes_typed_blocks(weights: Path) -> None:
    page = parsed(scripted(weights, Script(*PAGE)), FakePage((), width=WIDTH, height=HEIGHT))
    texts = [(block.role, block.text) for block in of_kind(page, TextBlock)]
    assert texts == [
        ("heading", "2.1 The mills"),
        ("paragraph", "North ground 1,250 tonnes of wheat."),
        ("page_footer", "7"),
    ]
    assert of_kind(page, TextBlock)[0].level == 2
    [formula] = of_kind(page, Formula)
    assert formula.latex == "E=mc^{2}"
    assert formula.source.stage == "docfusion"
    assert formula.source.confidence == pytest.approx(0.72)
    [table] = of_kind(page, Table)
    assert table.caption == "Table 1: Mills and years."
    assert table.cells == (
        Cell(0, 0, "Mill", is_header=True),
        Cell(0, 1, "Year", is_header=True),
        Cell(1, 0, "North"),
        Cell(1, 1, "1921"),
    )
    assert of_kind(page, Figure)[0].source.regions[0].bbox == BBox(40, 230, 200, 280)
    assert page.quality.route == "ocr"


def test_words_of_a_scanned_page_stand_in_their_blocks(weights: Path) -> None:
    page = parsed(scripted(weights, Script(*PAGE)), FakePage((), width=WIDTH, height=HEIGHT))
    words = {word.text: word for word in page.words}
    assert {"North", "1,250", "wheat."} <= words.keys()
    block = BBox(40.0, 50.0, 360.0, 90.0).expand(4.1)
    assert all(block.contains(words[text].bbox) for text in ("North", "1,250", "wheat."))
    assert words["North"].bbox.y1 <= words["wheat."].bbox.y0 + 0.1


def test_text_layers_are_trusted_and_no_word_is_lost(weights: Path) -> None:
    lines = ["The mill ground wheat.", "", "", "", "", "", "Nobody found this line of the page."]
    source = FakePage(lines)
    box = (60.0, 60.0, 400.0, 90.0)
    script = Script(("Section", box, "misread"))
    page = parsed(scripted(weights, script), source)
    assert script.asked == []
    assert [(block.role, block.text) for block in of_kind(page, TextBlock)] == [
        ("heading", lines[0]),
        ("paragraph", lines[-1]),
    ]
    assert [word.text for word in page.words] == " ".join(lines).split()
    assert page.quality.route == "text_layer"


@pytest.mark.parametrize(("confidence", "kind"), [(0.9, Formula), (0.5, TextBlock)])
def test_a_doubtful_formula_gives_way_to_the_text_layer(
    weights: Path, confidence: float, kind: type
) -> None:
    script = Script(("Math", (60.0, 60.0, 400.0, 90.0), "E=mc^{2}"), confidence=confidence)
    [block] = parsed(scripted(weights, script), FakePage(["E = mc2"])).blocks
    assert isinstance(block, kind)


def test_text_is_read_from_the_image_where_that_is_wanted(weights: Path) -> None:
    script = Script(("Text", (60.0, 60.0, 400.0, 90.0), "as read"))
    page = parsed(scripted(weights, script, text="image"), FakePage(["as printed"]))
    assert [block.text for block in of_kind(page, TextBlock)] == ["as read"]
    assert [word.text for word in page.words] == ["as", "read"]


def test_paragraphs_that_were_read_go_on_on_the_next_page(weights: Path) -> None:
    box = (40.0, 50.0, 360.0, 90.0)
    first = scripted(
        weights,
        Script(("Title", (40.0, 10.0, 360.0, 40.0), "Mills"), ("Text", box, "the mill was")),
    )
    second = scripted(
        weights,
        Script(("Text", box, "sold in May."), ("Section", (40.0, 120.0, 300.0, 135.0), "After it")),
    )
    facts = [
        parser.read_page(FakePage((), number, width=WIDTH, height=HEIGHT))
        for number, parser in enumerate((first, second), 1)
    ]
    pages = first.compose(facts, ())
    said = [(block.role, block.text) for page in pages for block in of_kind(page, TextBlock)]
    assert said == [
        ("title", "Mills"),
        ("paragraph", "the mill was sold in May."),
        ("heading", "After it"),
    ]


def test_columns_are_read_one_after_the_other(weights: Path) -> None:
    columns = [
        ("Text", (x, y, x + 160.0, y + 60.0), f"{name}{at}.")
        for name, x in (("L", 30.0), ("R", 210.0))
        for at, y in enumerate((20.0, 90.0, 160.0), 1)
    ]
    script = Script(*sorted(columns, key=lambda block: (block[1][1], block[1][0])))
    page = parsed(scripted(weights, script), FakePage((), width=WIDTH, height=HEIGHT))
    assert [block.text for block in of_kind(page, TextBlock)] == [
        *("L1.", "L2.", "L3."),
        *("R1.", "R2.", "R3."),
    ]


def test_repeated_and_empty_boxes_are_dropped(weights: Path) -> None:
    box = (40.0, 50.0, 360.0, 90.0)
    near = (41.0, 50.0, 360.0, 91.0)
    flat = (40.0, 120.0, 360.0, 120.5)
    script = Script(("Text", box, "once"), ("Text", near, "twice"), ("Text", flat, "flat"))
    page = parsed(scripted(weights, script), FakePage((), width=WIDTH, height=HEIGHT))
    assert len(page.blocks) == 1


def test_what_cannot_be_read_as_a_table_is_text_and_nothing_is_nothing(weights: Path) -> None:
    script = Script(
        ("Math", (40.0, 20.0, 360.0, 50.0), ""),
        ("Text", (40.0, 60.0, 360.0, 90.0), " "),
        ("Table", (40.0, 100.0, 360.0, 130.0), r"\begin{tabular}{"),
        ("Unheard-of", (40.0, 150.0, 360.0, 180.0), "plain"),
    )
    page = parsed(scripted(weights, script), FakePage((), width=WIDTH, height=HEIGHT))
    texts = [(block.role, block.text) for block in of_kind(page, TextBlock)]
    assert ("paragraph", "plain") in texts
    assert not of_kind(page, Table)
    assert not of_kind(page, Formula)


def scan(path: Path) -> Path:
    """A page that is only a picture, and one with text."""
    with pymupdf.open() as made, pymupdf.open() as drawn:
        page = drawn.new_page(width=WIDTH, height=HEIGHT)
        page.insert_text((40, 60), "Printed on paper, then scanned.")
        picture = page.get_pixmap(dpi=100).tobytes("png")
        made.new_page(width=WIDTH, height=HEIGHT).insert_image(page.rect, stream=picture)
        text = made.new_page(width=WIDTH, height=HEIGHT)
        text.insert_text((40, 60), "This page has a text layer of its own.")
        made.save(path)
    return path


def configured(weights: Path, stage: str) -> Config:
    options = {"weights": str(weights), "beams": 1}
    return Config(**{stage: StageConfig("docfusion", options)})


def test_as_the_parser_it_reads_whole_documents(tmp_path: Path, weights: Path) -> None:
    path = scan(tmp_path / "scan.pdf")
    document = Pipeline(configured(weights, "parser")).parse(path)
    assert [page.quality.route for page in document.pages][1] == "text_layer"
    assert "text layer" in " ".join(word.text for word in document.pages[1].words)
    assert not document.issues
    picture = draw_page(
        Image.new("RGB", (400, 300)), document.pages[0], dpi=72, layers=("blocks", "order")
    )
    assert picture.width == 400


def test_as_the_ocr_it_reads_only_scanned_pages(tmp_path: Path, weights: Path) -> None:
    path = scan(tmp_path / "scan.pdf")
    pipeline = Pipeline(configured(weights, "ocr"))
    script = Script(("Text", (30.0, 40.0, 300.0, 70.0), "Printed on paper, then scanned."))
    pipeline.ocr._reader = script  # type: ignore[attr-defined]
    document: Document = pipeline.parse(path)
    stages = [{block.source.stage for block in page.blocks} for page in document.pages]
    assert stages == [{"docfusion"}, {"native"}]
    assert script.asked == [("text", 1)]


def test_it_says_that_it_needs_weights() -> None:
    with pytest.raises(ModelError, match="missing"):
        build("parser", "docfusion", {"weights": "/nowhere"})
