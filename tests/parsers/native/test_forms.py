"""Values and boxes of interactive forms, in the fields and in the text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docpipe.content import block_text, locate, page_text
from docpipe.geometry import BBox
from docpipe.pipeline import parse
from docpipe.records import Document, FormField, Table

TEXT = pymupdf.PDF_WIDGET_TYPE_TEXT
CHECKBOX = pymupdf.PDF_WIDGET_TYPE_CHECKBOX
RADIO = pymupdf.PDF_WIDGET_TYPE_RADIOBUTTON


class Sheet:
    """A form in the making."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pdf = pymupdf.open()
        self.page: Any = self.pdf.new_page(width=500, height=600)

    def text(self, x: float, y: float, text: str, size: float = 10) -> None:
        self.page.insert_text((x, y), text, fontsize=size)

    def field(
        self,
        name: str,
        value: Any,
        box: tuple[float, float, float, float],
        kind: int = TEXT,
        **more: Any,
    ) -> int:
        """The xref of a new field."""
        widget = pymupdf.Widget()
        widget.field_type, widget.field_name = kind, name
        widget.rect = pymupdf.Rect(box)
        widget.text_fontsize = 10
        for key, setting in more.items():
            setattr(widget, key, setting)
        widget.field_value = value
        self.page.add_widget(widget)
        return int(widget.xref)

    def read(self) -> Document:
        self.pdf.save(self.path)
        return parse(self.path, ocr="off", strict=True)


@pytest.fixture
def sheet(tmp_path: Path) -> Iterator[Sheet]:
    made = Sheet(tmp_path / "form.pdf")
    yield made
    made.pdf.close()


def field(document: Document, name: str) -> FormField:
    return next(field for field in document.form_fields if field.name == name)


def blocks(document: Document) -> list[str]:
    return page_text(document.pages[0]).split("\n\n")


def test_values_stand_after_the_labels_left_of_them(sheet: Sheet) -> None:
    for row, (label, value) in enumerate([("Name:", "Ada Byron"), ("Town:", "London")]):
        sheet.text(50, 112 + 30 * row, label)
        sheet.field(label.lower(), value, (150, 100 + 30 * row, 350, 116 + 30 * row))
    assert blocks(sheet.read()) == ["Name: Ada Byron", "Town: London"]


def test_values_stand_after_the_labels_above_them(sheet: Sheet) -> None:
    for column, (label, value) in enumerate([("First name", "Ada"), ("Family name", "Byron")]):
        for row in range(2):
            x, y = 50 + 200 * column, 100 + 40 * row
            sheet.text(x, y, f"{label} {row}")
            sheet.field(f"{label}{row}", f"{value} {row}", (x, y + 4, x + 180, y + 20))
    document = sheet.read()
    assert not any(isinstance(block, Table) for block in document.pages[0].blocks)
    assert blocks(document) == [
        "First name 0 Ada 0\nFamily name 0 Byron 0",
        "First name 1 Ada 1\nFamily name 1 Byron 1",
    ]
    assert field(document, "First name0").label == "First name 0"


def test_values_are_located(sheet: Sheet) -> None:
    for column, (label, value) in enumerate([("First name", "Ada"), ("Family name", "Byron")]):
        x = 50 + 200 * column
        sheet.text(x, 100, label)
        sheet.field(label, value, (x, 104, x + 180, 120))
    document = sheet.read()
    (block,) = document.pages[0].blocks
    start = block_text(block).index("Byron")
    (region,) = locate(document, block, start, start + 5)
    assert BBox(250, 104, 430, 120).contains(region.bbox, 2.0)


def test_each_value_is_in_the_words_once(sheet: Sheet) -> None:
    sheet.text(50, 112, "Reference")
    sheet.field("reference", "XK-7712", (150, 100, 350, 116))
    words = [word.text for word in sheet.read().pages[0].words]
    assert words == ["Reference", "XK-7712"]


def test_a_value_without_appearance_is_read(sheet: Sheet) -> None:
    sheet.text(50, 112, "Reference")
    xref = sheet.field("reference", "XK-7712", (150, 100, 350, 116))
    sheet.pdf.xref_set_key(xref, "AP", "null")
    assert blocks(sheet.read()) == ["Reference XK-7712"]


def test_the_tooltip_labels_a_field(sheet: Sheet) -> None:
    sheet.text(50, 112, "Ref.")
    sheet.field("r", "7", (150, 100, 350, 116), field_label="Your reference")
    assert field(sheet.read(), "r").label == "Your reference"


def test_letters_in_boxes_are_one_value(sheet: Sheet) -> None:
    sheet.text(50, 112, "Number")
    comb = pymupdf.PDF_TX_FIELD_IS_COMB
    xref = sheet.field("number", "", (150, 100, 350, 116), text_maxlen=9, field_flags=comb)
    sheet.pdf.xref_set_key(xref, "V", "(123456789)")
    assert blocks(sheet.read()) == ["Number 123456789"]


def test_the_parts_of_a_number_are_read_together(sheet: Sheet) -> None:
    sheet.text(50, 112, "Account")
    for number, value in enumerate(("12345", "RT", "0001")):
        sheet.field(f"part{number}", value, (150 + 80 * number, 100, 220 + 80 * number, 116))
    document = sheet.read()
    assert blocks(document) == ["Account 12345 RT 0001"]
    assert [field.value for field in document.form_fields] == ["12345", "RT", "0001"]


def test_several_lines_are_read_in_full(sheet: Sheet) -> None:
    sheet.text(50, 95, "Remarks")
    lines = "first line\nsecond line\nthird line"
    many = pymupdf.PDF_TX_FIELD_IS_MULTILINE
    sheet.field("remarks", lines, (50, 100, 350, 180), field_flags=many)
    document = sheet.read()
    assert field(document, "remarks").value == lines
    assert blocks(document) == ["Remarks first line second line third line"]


def test_boxes_are_marks_not_letters(sheet: Sheet) -> None:
    for row, (label, on) in enumerate([("Apples", True), ("Pears", False), ("Plums", True)]):
        sheet.field(label, on, (50, 100 + 20 * row, 62, 112 + 20 * row), CHECKBOX)
        sheet.text(70, 110 + 20 * row, label)
    document = sheet.read()
    assert blocks(document) == ["☒ Apples", "☐ Pears", "☒ Plums"]
    assert [field.state for field in document.form_fields] == ["on", "off", "on"]
    assert [field.value for field in document.form_fields] == ["Yes", "Off", "Yes"]


def test_questions_keep_their_answers(sheet: Sheet) -> None:
    for row, (question, yes) in enumerate([("Do you own it?", True), ("Is it rented?", False)]):
        y = 100 + 24 * row
        sheet.text(50, y + 10, question)
        for x, label, on in ((300, "Yes", yes), (370, "No", not yes)):
            sheet.field(f"{label}{row}", on, (x, y, x + 12, y + 12), CHECKBOX)
            sheet.text(x + 18, y + 10, label)
    text = page_text(sheet.read().pages[0])
    assert "Do you own it? ☒ Yes ☐ No" in text
    assert "Is it rented? ☐ Yes ☒ No" in text


def test_each_radio_button_has_its_state(sheet: Sheet) -> None:
    for row, state in enumerate(("/Yes", "/Off")):
        xref = sheet.field("group", False, (50, 100 + 20 * row, 62, 112 + 20 * row), RADIO)
        sheet.pdf.xref_set_key(xref, "AS", state)
        sheet.pdf.xref_set_key(xref, "V", "null")
        sheet.text(70, 110 + 20 * row, f"Option {row}")
    document = sheet.read()
    assert [(field.kind, field.state) for field in document.form_fields] == [
        ("radio", "on"),
        ("radio", "off"),
    ]
    assert blocks(document) == ["☒ Option 0", "☐ Option 1"]


def test_a_choice_reads_as_what_was_chosen(sheet: Sheet) -> None:
    sheet.text(50, 112, "District")
    sheet.field(
        "district",
        "Harbour",
        (150, 100, 350, 170),
        pymupdf.PDF_WIDGET_TYPE_LISTBOX,
        choice_values=["North", "Harbour", "Hill"],
    )
    document = sheet.read()
    assert field(document, "district").value == "Harbour"
    assert blocks(document) == ["District Harbour"]
    assert document.pages[0].hidden == ()


def test_passwords_are_left_out(sheet: Sheet) -> None:
    sheet.text(50, 112, "Password")
    flag = pymupdf.PDF_TX_FIELD_IS_PASSWORD
    sheet.field("password", "hunter2", (150, 100, 350, 116), field_flags=flag)
    document = sheet.read()
    assert field(document, "password").value == ""
    assert "hunter2" not in page_text(document.pages[0])


def test_fields_that_are_not_shown_are_listed_without_a_place(sheet: Sheet) -> None:
    sheet.text(50, 112, "Name")
    xref = sheet.field("secret", "unseen", (150, 100, 350, 116))
    sheet.pdf.xref_set_key(xref, "F", "2")
    document = sheet.read()
    assert field(document, "secret") == FormField("secret", "text", "unseen")
    assert blocks(document) == ["Name"]


def test_unsigned_signatures_say_so(sheet: Sheet) -> None:
    xref = sheet.field("sign", "", (150, 100, 350, 116))
    sheet.pdf.xref_set_key(xref, "FT", "/Sig")
    found = field(sheet.read(), "sign")
    assert (found.kind, found.state) == ("signature", "unsigned")


def test_a_table_of_fields_stays_a_table(sheet: Sheet) -> None:
    xs, ys = (50, 200, 300, 400), [100 + 20 * row for row in range(5)]
    for y in ys:
        sheet.page.draw_line((xs[0], y), (xs[-1], y))
    for x in xs:
        sheet.page.draw_line((x, ys[0]), (x, ys[-1]))
    for x, head in zip(xs, ("Item", "Quantity", "Price"), strict=False):
        sheet.text(x + 4, 114, head)
    for row in range(1, 4):
        sheet.text(54, 114 + 20 * row, f"Article {row}")
        for x, value in ((200, str(row)), (300, f"{row}.50")):
            y = 100 + 20 * row
            sheet.field(f"f{x}{row}", value, (x + 1, y + 1, x + 99, y + 19))
    document = sheet.read()
    (table,) = (block for block in document.pages[0].blocks if isinstance(block, Table))
    assert [cell.text for cell in table.cells if cell.row == 2] == ["Article 2", "2", "2.50"]


def test_fields_of_a_turned_page_are_where_they_are_seen(sheet: Sheet) -> None:
    sheet.page.set_rotation(90)
    sheet.field("name", "Ada", (150, 100, 350, 116))
    document = sheet.read()
    region = field(document, "name").region
    assert region is not None
    assert region.bbox.contains_point(*document.pages[0].words[0].bbox.center)
