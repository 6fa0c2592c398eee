"""Paragraphs, lists, footnotes, captions and figures of one page."""

from __future__ import annotations

import io

import pymupdf
from PIL import Image

from docpipe.geometry import BBox
from docpipe.parsers.native.blocks import drafts_from_lines
from docpipe.parsers.native.lines import Line
from docpipe.records import Figure, TextBlock, Word
from tests.parsers.native.pages import column, prose, read, roles, texts


def test_paragraphs_part_at_space_and_at_indents() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        y = column(page, 50, 100, 400, f"Spaced {prose(60)}.")
        y = column(page, 50, y + 10, 400, f"Apart {prose(60, 9)}.")
        page.insert_text(
            (50, y + 20),
            "No indent here but this line is the first of its paragraph, and fills the column.",
            fontsize=10,
        )
        page.insert_text((50, y + 32), "It ends early.", fontsize=10)
        page.insert_text(
            (70, y + 44),
            "Indented text begins the next one and goes on for some more words",
            fontsize=10,
        )
        page.insert_text((50, y + 56), "until here.", fontsize=10)

    (page,) = read(build)
    starts = [text.split()[0] for text in texts(page)]
    assert starts == ["Spaced", "Apart", "No", "Indented"]


def test_list_items_are_blocks_of_their_own() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        column(page, 50, 90, 400, f"{prose(40)}:")
        page.insert_text((60, 200), "1. The first point is long enough to need", fontsize=10)
        page.insert_text((74, 212), "a second line of text.", fontsize=10)
        page.insert_text((60, 224), "2. The second point.", fontsize=10)
        page.insert_text((80, 236), "(a) A point below it.", fontsize=10)
        page.insert_text((60, 248), "- A dash counts too.", fontsize=10)

    (page,) = read(build)
    items = [text for text, role in roles(page).items() if role == "list_item"]
    assert items == [
        "1. The first point is long enough to need a second line of text.",
        "2. The second point.",
        "(a) A point below it.",
        "- A dash counts too.",
    ]


def test_footnotes_and_code() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        column(page, 50, 100, 400, f"{prose(120)}.", size=11)
        page.insert_text((50, 400), "def area(r):", fontname="cour", fontsize=10)
        page.insert_text((50, 412), "    return 3 * r * r", fontname="cour", fontsize=10)
        page.insert_text((50, 740), "1 See the report of the commission for details.", fontsize=8)

    (page,) = read(build)
    found = roles(page)
    assert found["1 See the report of the commission for details."] == "footnote"
    assert found["def area(r):\n    return 3 * r * r"] == "code"


def picture(width: int = 60, height: int = 40) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (width, height), "navy").save(stream, "PNG")
    return stream.getvalue()


def test_a_picture_gets_its_caption_and_stands_in_order() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        y = column(page, 50, 80, 450, f"Before {prose(50)}.")
        page.insert_image(pymupdf.Rect(150, y, 400, y + 150), stream=picture())
        page.insert_text((150, y + 165), "Figure 1: The bridge seen from the north", fontsize=9)
        column(page, 50, y + 200, 450, f"After {prose(50)}.")

    (page,) = read(build)
    before, figure, after = page.blocks
    assert isinstance(before, TextBlock)
    assert isinstance(figure, Figure)
    assert isinstance(after, TextBlock)
    assert figure.caption == "Figure 1: The bridge seen from the north"
    assert (figure.id, before.id, after.id) == ("p1/figure1", "p1/text1", "p1/text2")
    assert before.text.startswith("Before")


def test_labels_of_a_chart_describe_it_and_stay_out_of_the_text() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        column(page, 50, 80, 450, f"{prose(70)}.")
        page.draw_rect(pymupdf.Rect(90, 290, 450, 520))
        for index in range(6):
            x = 120 + 50 * index
            page.draw_rect(pymupdf.Rect(x, 480 - 25 * index, x + 30, 480), fill=(0, 0.4, 0.8))
            page.insert_text((x, 500), f"Y{2015 + index}", fontsize=8)
        column(page, 50, 580, 450, f"{prose(70, 4)}.")

    (page,) = read(build)
    (figure,) = [block for block in page.blocks if isinstance(block, Figure)]
    assert figure.description is not None
    assert "Y2015" in figure.description
    assert not any("Y2015" in text for text in texts(page))


def test_a_tinted_box_with_text_is_no_figure() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.draw_rect(pymupdf.Rect(40, 80, 520, 260), fill=(0.9, 0.9, 1))
        column(page, 50, 100, 450, f"{prose(90)}.")

    (page,) = read(build)
    assert [type(block) for block in page.blocks] == [TextBlock]


def test_lines_of_any_maker_become_drafts() -> None:
    def line(text: str, y: float, size: float = 10) -> Line:
        box = BBox(50, y, 50 + 5 * len(text), y + size)
        words = tuple(Word(part, box) for part in text.split())
        return Line(text, words, box, size)

    drafts = drafts_from_lines(
        [line("A recog-", 100), line("nised line.", 112), line("• An item", 150)],
        page=4,
        width=600,
        height=800,
        stage="ocr",
    )
    first, second = (draft.block for draft in drafts)
    assert isinstance(first, TextBlock)
    assert isinstance(second, TextBlock)
    assert first.raw == "A recog-\nnised line."
    assert first.source.stage == "ocr"
    assert first.source.regions[0].page == 4
    assert (second.role, second.raw) == ("list_item", None)


def _pairs(page: pymupdf.Page, rows: list[tuple[str, str]]) -> None:
    for number, (label, value) in enumerate(rows):
        page.insert_text((300, 100 + 16 * number), label, fontsize=10)
        page.insert_text((400, 100 + 16 * number), value, fontsize=10)


def test_labels_are_read_with_the_values_beside_them() -> None:
    rows = [
        ("Invoice number", "2024-0871"),
        ("Invoice date", "12 June 2024"),
        ("Your order", "PO 5563"),
    ]
    (page,) = read(lambda pdf: _pairs(pdf.new_page(), rows))
    assert texts(page) == [" ".join(row) for row in rows]


def test_short_lines_in_columns_are_no_labels() -> None:
    rows = [("Ada Byron", "Oslo"), ("Bo Chen", "Paris"), ("Cy Diaz", "Rome"), ("Di Evans", "Bern")]
    (page,) = read(lambda pdf: _pairs(pdf.new_page(), rows))
    assert "Ada Byron Oslo" not in texts(page)
