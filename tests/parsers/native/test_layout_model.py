"""Tables that the layout model finds or denies, and when it is asked."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docpipe.content import block_text
from docpipe.errors import ModelError
from docpipe.geometry import BBox
from docpipe.parsers.native import NativeParser
from docpipe.parsers.native.layout import LayoutModel, LayoutRegion, is_doubtful, judged_tables
from docpipe.parsers.native.tables import find_tables
from docpipe.pdf import open_document
from docpipe.records import Table, Word
from docpipe.stages import PageFacts
from docpipe.testing import FakePage

PROSE = (
    "The committee met in the morning to discuss the new bridge over the river and several members "
    "asked how long the work would take and whether the old crossing could stay open. "
)


def draw_prose_table(page: pymupdf.Page, caption: str) -> None:
    """Two columns, the right one of running text, between a rule above and one below."""
    page.insert_textbox((72, 60, 520, 130), PROSE * 2, fontsize=10)
    page.draw_line((100, 196), (500, 196))
    for left, right in (("Question", "Method"),):
        page.insert_text((103, 209), left, fontsize=9, fontname="hebo")
        page.insert_text((183, 209), right, fontsize=9, fontname="hebo")
    page.draw_line((100, 214), (500, 214))
    for row, label in enumerate(("Committee", "Bridge", "River", "Crossing")):
        y = 216 + 34 * row
        page.insert_text((103, y + 9), label, fontsize=9)
        page.insert_textbox((183, y - 1, 496, y + 40), PROSE[row * 4 :][:140], fontsize=9)
    page.draw_line((100, 352), (500, 352))
    page.insert_text((200, 368), caption, fontsize=10)
    page.insert_textbox((72, 400, 520, 500), PROSE * 2, fontsize=10)


@pytest.fixture(scope="session")
def prose_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("layout") / "table.pdf"
    with pymupdf.open() as pdf:
        draw_prose_table(pdf.new_page(), "Table 6: Examples of what was said.")
        draw_prose_table(pdf.new_page(), "Examples of what was said.")
        pdf.save(path)
    return path


@pytest.fixture(scope="session")
def model() -> LayoutModel:
    return LayoutModel()


def facts(path: Path, parser: NativeParser, page: int = 1) -> PageFacts:
    with open_document(path) as document:
        return parser.read_page(document.page(page))


def tables(facts: PageFacts) -> list[Table]:
    return [draft.block for draft in facts.drafts if isinstance(draft.block, Table)]


def test_the_model_names_the_regions_of_a_page(prose_table: Path, model: LayoutModel) -> None:
    with open_document(prose_table) as document:
        regions = model.regions(document.page(1))
    kinds = [region.kind for region in regions]
    assert {"text", "table", "caption"} <= set(kinds)
    assert all(0.0 <= region.confidence <= 1.0 for region in regions)
    table = next(region for region in regions if region.kind == "table")
    assert BBox(95, 190, 505, 360).contains(table.bbox)


def test_a_table_of_prose_is_found_by_the_model_alone(prose_table: Path) -> None:
    assert tables(facts(prose_table, NativeParser("fast"))) == []
    [table] = tables(facts(prose_table, NativeParser("model")))
    assert table.shape == (5, 2)
    assert table.source.confidence is not None
    assert table.source.confidence > 0.8


def test_auto_asks_the_model_where_a_caption_names_a_table_that_is_missing(
    prose_table: Path,
) -> None:
    parser = NativeParser("auto")
    assert len(tables(facts(prose_table, parser, page=1))) == 1
    assert tables(facts(prose_table, parser, page=2)) == []  # nothing tells that one is missing


def test_no_word_is_lost_or_written_twice(prose_table: Path) -> None:
    def words(mode: Any) -> Counter[str]:
        drafts = facts(prose_table, NativeParser(mode)).drafts
        return Counter(
            " ".join(block_text(draft.block) for draft in drafts).replace("|", " ").split()
        )

    assert words("model") == words("fast")


def test_turned_pages_and_images_have_no_regions(tmp_path: Path, model: LayoutModel) -> None:
    with pymupdf.open() as pdf:
        draw_prose_table(page := pdf.new_page(), "Table 6: Examples.")
        page.set_rotation(90)
        pdf.save(tmp_path / "turned.pdf")
    with open_document(tmp_path / "turned.pdf") as document:
        assert model.regions(document.page(1)) == []
    assert model.regions(FakePage(["of no PDF"])) == []


def test_a_failing_model_costs_nothing_but_an_issue(
    prose_table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: LayoutModel, page: object) -> list[LayoutRegion]:
        raise ModelError("the layout model failed: out of memory")

    monkeypatch.setattr(LayoutModel, "regions", fail)
    found = facts(prose_table, NativeParser("model"))
    assert [(issue.code, issue.page) for issue in found.issues] == [("model", 1)]
    assert found.drafts == facts(prose_table, NativeParser("fast")).drafts


@pytest.mark.parametrize("kind", ["text", "list-item", "caption"])
def test_an_unsure_table_that_the_model_takes_for_text_is_none(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "aligned.pdf"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for row in range(5):
            for column in range(4):
                page.insert_text((100 + 90 * column, 100 + 15 * row), f"{row}{column}.5")
        pdf.save(path)
    with open_document(path) as document:
        view = document.page(1)
        found = find_tables(view, view.words())
        [table] = found
        box = table.source.regions[0].bbox
        text = [LayoutRegion(kind, box, 0.95)]
        assert judged_tables(view, found, view.words(), text) == []
        assert judged_tables(view, found, view.words(), [LayoutRegion(kind, box, 0.4)]) == found
        assert judged_tables(view, found, view.words(), [LayoutRegion("table", box, 0.9)]) == found
        assert judged_tables(view, found, view.words(), []) == found


def test_a_table_of_contents_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "contents.pdf"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for row, title in enumerate(("Preface", "The bridge", "The river", "Crossing", "Index")):
            page.insert_text((100, 100 + 15 * row), title)
            page.insert_text((400, 100 + 15 * row), str(3 + 7 * row))
        pdf.save(path)
    with open_document(path) as document:
        view = document.page(1)
        region = LayoutRegion("table", BBox(95, 85, 430, 170), 0.98)
        assert judged_tables(view, [], view.words(), [region]) == []


def _words(*texts: str) -> list[Word]:
    return [Word(text, BBox(50.0 * i, 10.0, 50.0 * i + 48, 20.0)) for i, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "doubt"),
    [
        (("Table", "6:", "Examples"), True),
        (("Tabelle", "2", "Beispiele"), True),
        (("see", "Table", "6"), False),
        (("Table", "manners", "matter"), False),
        ((), False),
    ],
)
def test_a_caption_without_a_table_is_doubt(texts: tuple[str, ...], doubt: bool) -> None:
    assert is_doubtful([], _words(*texts)) is doubt


@pytest.mark.parametrize("mode", ["fast", "auto"])
def test_plain_pages_are_read_without_onnxruntime(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "plain.pdf"
    with pymupdf.open() as pdf:
        pdf.new_page().insert_textbox((72, 60, 520, 200), PROSE * 3)
        pdf.save(path)
    code = (
        "import sys; from pathlib import Path; from docpipe.pdf import open_document; "
        "from docpipe.parsers.native import NativeParser; "
        f"document = open_document(Path({str(path)!r})); "
        f"facts = NativeParser({mode!r}).read_page(document.page(1)); "
        "print(len(facts.words) > 50, 'onnxruntime' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
