"""Figures: the labels around them, the panels under one caption, diagrams that look like tables."""

from __future__ import annotations

import pymupdf
import pytest

from docpipe.content import block_text
from docpipe.parsers.native.markers import is_caption
from docpipe.records import Figure, Table
from tests.parsers.native.pages import column, prose, read, roles, texts


def _chart(page: pymupdf.Page, x: float, y: float, name: str) -> None:
    """A line chart of 120 by 80 points with ticks, names of axes and a title, in small type."""
    page.draw_rect(pymupdf.Rect(x, y, x + 120, y + 80))
    points = [(x + 20 * n, y + 70 - (n * n) % 37) for n in range(7)]
    page.draw_polyline([pymupdf.Point(*point) for point in points])
    page.draw_bezier((x, y + 60), (x + 30, y + 10), (x + 60, y + 90), (x + 120, y + 20))
    for n in range(4):
        page.insert_text((x - 14, y + 78 - 20 * n), str(20 * n), fontsize=7)
        page.insert_text((x + 30 * n, y + 90), f"{n}-shot", fontsize=7)
    page.insert_text((x + 40, y + 100), name, fontsize=7)
    page.insert_text((x - 20, y + 60), "F1 score", fontsize=7, rotate=90)


def test_ticks_and_panels_under_one_caption_are_one_figure() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        y = column(page, 60, 70, 450, f"Before {prose(60)}.") + 30
        _chart(page, 90, y, "First set")
        _chart(page, 310, y, "Second set")
        page.insert_text((60, y + 125), "Figure 2: Results on both sets by shots", fontsize=10)
        column(page, 60, y + 160, 450, f"After {prose(60)}.")

    (page,) = read(build)
    (figure,) = [block for block in page.blocks if isinstance(block, Figure)]
    assert figure.caption == "Figure 2: Results on both sets by shots"
    assert [text.split()[0] for text in texts(page)] == ["Before", "After"]
    for label in ("First set", "Second set", "3-shot", "F1 score"):
        assert label in (figure.description or "")


def test_a_running_head_near_a_photograph_is_no_label() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((60, 40), "150", fontsize=8)
        page.insert_text((300, 40), "Smith and Jones", fontsize=8)
        pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 40, 30), False)
        page.insert_image(pymupdf.Rect(60, 46, 460, 250), pixmap=pixels)
        column(page, 60, 290, 450, f"{prose(80)}.")

    (page,) = read(build)
    (figure,) = [block for block in page.blocks if isinstance(block, Figure)]
    assert figure.description is None


def test_a_diagram_of_boxes_above_the_caption_of_a_figure_is_no_table() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        y = column(page, 60, 70, 450, f"Before {prose(60)}.") + 30
        for row in range(3):
            for at, text in enumerate(("Sentence", f"k{row}", f"{row}/6")):
                box = pymupdf.Rect(90 + 120 * at, y + 24 * row, 210 + 120 * at, y + 24 + 24 * row)
                page.draw_rect(box)
                page.insert_text((box.x0 + 8, box.y0 + 15), text, fontsize=8)
        page.insert_text((60, y + 88), "Figure 1: How precision is counted", fontsize=10)
        column(page, 60, y + 120, 450, f"After {prose(60)}.")

    (page,) = read(build)
    assert not [block for block in page.blocks if isinstance(block, Table)]
    (figure,) = [block for block in page.blocks if isinstance(block, Figure)]
    assert figure.caption == "Figure 1: How precision is counted"


@pytest.mark.parametrize(
    ("text", "caption"),
    [
        ("Table 3: Results", True),
        ("Figure 12. The bridge", True),
        ("Table A.1 Sizes of sets", True),
        ("Fig. 4", True),
        ("Table 3 lists the results of both runs", False),
        ("Figure 12 shows", False),
        ("Figure 3a shows", False),
        ("Table 4). The next", False),
    ],
)
def test_a_sentence_that_names_a_table_is_no_caption(text: str, caption: bool) -> None:
    assert is_caption(text) == caption


def test_the_title_on_a_coloured_banner_is_a_heading() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 40, 10), False)
        pixels.clear_with(200)
        page.insert_image(pymupdf.Rect(40, 40, 555, 150), pixmap=pixels)
        page.insert_text((60, 120), "Is the service safe?", fontsize=22)
        page.insert_text((430, 70), "Inadequate", fontsize=10)
        column(page, 60, 190, 450, f"{prose(80)}.")

    (page,) = read(build)
    assert roles(page)["Is the service safe?"] in ("title", "heading")


def test_white_fills_and_stripes_of_a_table_are_no_figure() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        y = column(page, 60, 70, 450, f"Before {prose(40)}.")
        for row, cells in enumerate((("", "Leased", "Owned"), ("Domestic", "14,393", "3,168"))):
            for at, text in enumerate(cells):
                box = pymupdf.Rect(60 + 150 * at, y + 14 * row, 210 + 150 * at, y + 14 + 14 * row)
                for part in range(3):
                    piece = pymupdf.Rect(
                        box.x0 + 50 * part, box.y0, box.x0 + 50 + 50 * part, box.y1
                    )
                    page.draw_rect(piece, color=None, fill=(1, 1, 1) if row else (0.85, 0.9, 1))
                page.insert_text((box.x0 + 3, box.y0 + 10), text, fontsize=9)
        column(page, 60, y + 60, 450, f"After {prose(40)}.")

    (page,) = read(build)
    assert not [block for block in page.blocks if isinstance(block, Figure)]


def test_rows_beside_a_picture_on_a_turned_page_keep_their_order() -> None:
    """Lines run down the sheet there: sorted as upright labels are, the rows would be undone."""
    rows = [("Reign", "959 to 975"), ("Successor", "Edward"), ("Born", "943"), ("Died", "1066")]

    def build(document: pymupdf.Document) -> None:
        page = document.new_page(width=792, height=612)
        for n in range(12):
            page.insert_text((400 - 14 * n, 60), prose(9, 9 * n), fontsize=11, rotate=270)
        picture = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 60, 70), 0)
        picture.clear_with(90)
        page.insert_image(pymupdf.Rect(560, 380, 680, 520), pixmap=picture)
        for n, (name, value) in enumerate(rows):
            page.insert_text((550 - 14 * n, 380), name, fontsize=9, rotate=270)
            page.insert_text((550 - 14 * n, 450), value, fontsize=9, rotate=270)

    (page,) = read(build)
    words = " ".join(block_text(block) for block in page.blocks)
    places = [words.find(part) for row in rows for part in row]
    assert min(places) >= 0
    assert places == sorted(places)
