"""Check boxes that are printed: which count, and whether they are on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docpipe.content import page_text
from docpipe.pipeline import parse
from docpipe.records import Document


class Sheet:
    """A page in the making."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pdf = pymupdf.open()
        self.page: Any = self.pdf.new_page(width=500, height=600)

    def box(self, x: float, y: float, size: float = 10.0) -> None:
        self.page.draw_rect((x, y, x + size, y + size), color=(0, 0, 0), width=0.7)

    def text(self, x: float, y: float, text: str, **more: Any) -> None:
        self.page.insert_text((x, y), text, fontsize=10, **more)

    def read(self) -> Document:
        self.pdf.save(self.path)
        return parse(self.path, ocr="off", strict=True)


@pytest.fixture
def sheet(tmp_path: Path) -> Iterator[Sheet]:
    made = Sheet(tmp_path / "marks.pdf")
    yield made
    made.pdf.close()


def states(document: Document) -> list[tuple[str, str | None]]:
    assert all(field.kind == "checkbox" for field in document.form_fields)
    return [(field.name, field.state) for field in document.form_fields]


def test_crosses_and_ticks_turn_drawn_boxes_on(sheet: Sheet) -> None:
    for row, label in enumerate(("Cross", "Letter", "Tick", "Empty")):
        sheet.box(50, 100 + 20 * row)
        sheet.text(66, 109 + 20 * row, label)
    sheet.page.draw_line((50, 100), (60, 110))
    sheet.page.draw_line((60, 100), (50, 110))
    sheet.text(51.5, 129, "X")
    sheet.page.draw_line((51, 145), (54, 149))
    sheet.page.draw_line((54, 149), (60, 140))
    document = sheet.read()
    assert states(document) == [("Cross", "on"), ("Letter", "on"), ("Tick", "on"), ("Empty", "off")]
    assert page_text(document.pages[0]).split("\n\n") == [
        "☒ Cross",
        "☒ Letter",
        "☒ Tick",
        "☐ Empty",
    ]


def test_boxes_of_four_lines_count(sheet: Sheet) -> None:
    for x, label in ((50, "Yes"), (100, "No")):
        for start, end in (((0, 0), (9, 0)), ((0, 9), (9, 9)), ((0, 0), (0, 9)), ((9, 0), (9, 9))):
            first, last = (x + start[0], 100 + start[1]), (x + end[0], 100 + end[1])
            sheet.page.draw_line(first, last, width=0.5)
        sheet.text(x + 14, 109, label)
    assert states(sheet.read()) == [("Yes", "off"), ("No", "off")]


def test_box_glyphs_count(sheet: Sheet) -> None:
    shown = "☒ Annual report ☐ Transition report"
    sheet.page.insert_htmlbox((50, 100, 400, 130), f"<p style='font-size:10px'>{shown}</p>")
    document = sheet.read()
    assert states(document) == [("Annual report", "on"), ("Transition report", "off")]
    assert page_text(document.pages[0]) == shown


def test_hollow_bullets_are_no_boxes(sheet: Sheet) -> None:
    items = "".join(f"<p style='font-size:10px'>□ Point {n} of the list</p>" for n in range(4))
    sheet.page.insert_htmlbox((50, 100, 400, 300), items)
    assert sheet.read().form_fields == ()


@pytest.mark.parametrize("filled", [True, False])
def test_squares_without_a_use_are_no_boxes(sheet: Sheet, filled: bool) -> None:
    if filled:  # the legend of a chart
        for row in range(3):
            box = (50, 100 + 20 * row, 60, 110 + 20 * row)
            sheet.page.draw_rect(box, color=(0, 0, 0), fill=(0.2, 0.4 + 0.1 * row, 0.8))
            sheet.text(66, 109 + 20 * row, f"Series {row}")
    else:  # places for letters, in a row
        for place in range(8):
            sheet.box(50 + 12 * place, 100, 12)
        sheet.text(150, 110, "Date")
    assert sheet.read().form_fields == ()


def test_cells_of_a_grid_are_no_boxes(sheet: Sheet) -> None:
    for row in range(5):
        sheet.page.draw_line((50, 100 + 14 * row), (200, 100 + 14 * row))
        sheet.text(68, 111 + 14 * row, f"line {row}")
    for x in (50, 64, 200):
        sheet.page.draw_line((x, 100), (x, 156))
    assert sheet.read().form_fields == ()


def test_long_labels_are_read_with_their_box(sheet: Sheet) -> None:
    for row, text in enumerate(("I have read the rules of", "I pay the contribution by")):
        sheet.box(50, 100 + 30 * row, 9)
        sheet.text(64, 108 + 30 * row, text)
        sheet.text(64, 120 + 30 * row, "the end of the year")
    text = page_text(sheet.read().pages[0])
    assert "☐ I have read the rules of the end of the year" in text
