"""A filled form with interactive fields: text, check boxes, a choice."""

from __future__ import annotations

from typing import Any

import pymupdf

from docpipe.datasets.samples.flow import Book
from docpipe.datasets.samples.typeset import GREY, Color, Sheet, Style

LABEL = Style("sans", 8.5, color=(0.25, 0.25, 0.25))
TEXT = Style("sans", 9, leading=1.35)
HEAD = Style("sans-bold", 11, color=(1, 1, 1))
LEFT, WIDTH = 54.0, 487.0
BAND: Color = (0.20, 0.35, 0.25)
PAPER: Color = (0.96, 0.97, 0.95)

# (label, field name, value, x offset, width), a tuple of them a row.
_Entry = tuple[str, str, str, float, float]
APPLICANT: list[tuple[_Entry, ...]] = [
    (
        ("Family name", "family_name", "Okafor", 0, 235),
        ("First name", "first_name", "Daniel", 252, 235),
    ),
    (
        ("Street and number", "street", "Mill Street 9", 0, 235),
        ("Postcode and town", "town", "LM3 4RR Lindmoor", 252, 235),
    ),
    (
        ("Date of birth", "birth_date", "17 August 1986", 0, 110),
        ("Telephone", "phone", "0555 017 648", 125, 110),
        ("Email", "email", "d.okafor@post.example", 252, 235),
    ),
]
PROJECT: list[tuple[_Entry, ...]] = [
    (
        ("Title of the project", "title", "Orchard behind the library", 0, 360),
        ("Area in square metres", "area", "640", 377, 110),
    ),
    (
        ("Total cost in EUR", "cost", "4,850", 0, 150),
        ("Own share in EUR", "own_share", "1,350", 168, 150),
        ("Grant applied for in EUR", "grant", "3,500", 337, 150),
    ),
]
PURPOSES = [
    ("Fruit trees", "trees", True),
    ("Vegetable beds", "vegetables", False),
    ("Meadow for insects", "meadow", True),
    ("Paths without steps", "paths", True),
    ("Water point", "water", False),
    ("Shed or shelter", "shed", False),
]
QUESTIONS = [
    ("The owner of the land has agreed in writing.", "owner", True),
    ("The project has already received a grant from the city.", "earlier", False),
]
DESCRIPTION = (
    "Fourteen old varieties of apple and pear will be planted on the unused lawn. The school in "
    "Mill Street takes care of them and harvests the fruit with the neighbours."
)


class _Form:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    def band(self, y: float, text: str) -> float:
        self.sheet.rect((LEFT, y, LEFT + WIDTH, y + 19), fill=BAND)
        self.sheet.text(LEFT + 6, y + 13.5, text, HEAD)
        return y + 28

    def rows(self, y: float, rows: list[tuple[_Entry, ...]]) -> float:
        for row in rows:
            for label, name, value, offset, width in row:
                self.sheet.text(LEFT + offset, y + 8, label, LABEL)
                self.field(
                    name, label, value, (LEFT + offset, y + 12, LEFT + offset + width, y + 30)
                )
            y += 38
        return y

    def field(
        self, name: str, label: str, value: str, box: tuple[float, float, float, float], **more: Any
    ) -> None:
        widget = pymupdf.Widget()
        widget.field_type = more.pop("kind", pymupdf.PDF_WIDGET_TYPE_TEXT)
        widget.field_name, widget.field_label = name, label
        widget.rect = pymupdf.Rect(box)
        widget.border_color, widget.fill_color, widget.border_width = GREY, PAPER, 0.6
        widget.text_font, widget.text_fontsize = "Helv", 10
        for key, setting in more.items():
            setattr(widget, key, setting)
        widget.field_value = value
        self.sheet.page.add_widget(widget)

    def check(self, x: float, y: float, label: str, name: str, checked: bool) -> None:
        self.field(
            name,
            label,
            "Yes" if checked else "Off",
            (x, y, x + 12, y + 12),
            kind=pymupdf.PDF_WIDGET_TYPE_CHECKBOX,
        )
        self.sheet.text(x + 18, y + 9.5, label, TEXT)


def form() -> bytes:
    """The PDF: one page."""
    book = Book()
    made = _Form(book.sheet(595, 842))
    sheet = made.sheet
    sheet.text(LEFT, 56, "City of Lindmoor", Style("sans", 9, color=GREY))
    sheet.text(LEFT, 80, "Application for a City Garden Grant", Style("sans-bold", 18))
    sheet.text(LEFT, 56, "Form G-12", LABEL._replace(align="right"), WIDTH)
    note = """Please fill in all parts and hand in the form at the Parks Office by 31 October 2024.
    The highest grant is 4,000 EUR and covers at most 75% of the cost."""
    y = sheet.paragraph(LEFT, 90, " ".join(note.split()), TEXT, WIDTH) + 12
    y = made.rows(made.band(y, "1  Applicant"), APPLICANT)
    y = made.rows(made.band(y + 4, "2  Project"), PROJECT)
    sheet.text(LEFT, y + 8, "District", LABEL)
    made.field(
        "district",
        "District",
        "Harbour",
        (LEFT, y + 12, LEFT + 150, y + 30),
        kind=pymupdf.PDF_WIDGET_TYPE_COMBOBOX,
        choice_values=["North", "Harbour", "Valley", "Hill"],
    )
    y += 38
    sheet.text(LEFT, y + 8, "What will the money be used for? (tick all that apply)", LABEL)
    for number, (label, name, checked) in enumerate(PURPOSES):
        made.check(LEFT + 165 * (number % 3), y + 16 + 19 * (number // 3), label, name, checked)
    y += 60
    sheet.text(LEFT, y + 8, "Short description", LABEL)
    made.field(
        "description",
        "Short description",
        DESCRIPTION,
        (LEFT, y + 12, LEFT + WIDTH, y + 66),
        field_flags=pymupdf.PDF_TX_FIELD_IS_MULTILINE,
    )
    y = made.band(y + 78, "3  Declarations")
    for label, name, yes in QUESTIONS:
        sheet.text(LEFT, y + 9.5, label, TEXT)
        made.check(LEFT + 370, y, "Yes", f"{name}_yes", yes)
        made.check(LEFT + 430, y, "No", f"{name}_no", not yes)
        y += 20
    y = made.rows(y + 8, [(("Place and date", "date", "Lindmoor, 2 September 2024", 0, 235),)])
    sheet.rule(LEFT + 252, y - 8, LEFT + WIDTH, 0.6)
    sheet.text(LEFT + 252, y + 2, "Signature", LABEL)
    sheet.signature(LEFT + 280, y - 12)
    footer = Style("sans", 7.5, color=GREY, align="center")
    sheet.text(LEFT, 812, "Parks Office, Town Hall Square 1, Lindmoor LM1 1AA", footer, WIDTH)
    return book.finish("Application for a City Garden Grant", "City of Lindmoor", "20240902")
