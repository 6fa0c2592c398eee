"""Annotations, links and attached files of a page, and how exports show them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docpipe.content import page_text
from docpipe.export import to_html, to_markdown
from docpipe.pipeline import parse
from docpipe.records import Attachment, Document


class Sheet:
    """A page in the making."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pdf = pymupdf.open()
        self.page: Any = self.pdf.new_page(width=500, height=300)
        self.page.insert_text((50, 60), "The bridge opens in May.", fontsize=12)

    def read(self) -> Document:
        self.pdf.save(self.path)
        return parse(self.path, ocr="off", strict=True)


@pytest.fixture
def sheet(tmp_path: Path) -> Iterator[Sheet]:
    made = Sheet(tmp_path / "notes.pdf")
    yield made
    made.pdf.close()


def test_highlights_tell_what_they_cover(sheet: Sheet) -> None:
    mark = sheet.page.add_highlight_annot(sheet.page.search_for("opens in May"))
    mark.set_info(content="Really?")
    mark.update()
    (note,) = sheet.read().pages[0].annotations
    assert (note.kind, note.text, note.quote) == ("highlight", "Really?", "opens in May.")


def test_notes_written_into_the_page_object_are_found(sheet: Sheet) -> None:
    note = "[<</Type/Annot/Subtype/Text/Contents(Check this)/Rect[100 100 120 120]>>]"
    sheet.pdf.xref_set_key(sheet.page.xref, "Annots", note)
    assert [note.text for note in sheet.read().pages[0].annotations] == ["Check this"]


def test_free_text_is_text_of_the_page(sheet: Sheet) -> None:
    sheet.page.add_freetext_annot((50, 100, 250, 120), "Approved by Ada", fontsize=11)
    document = sheet.read()
    assert "Approved by Ada" in page_text(document.pages[0])
    assert [note.kind for note in document.pages[0].annotations] == ["freetext"]
    assert to_markdown(document).count("Approved by Ada") == 1


def test_exports_end_with_what_was_noted(sheet: Sheet) -> None:
    sheet.page.add_text_annot((300, 60), "Ask <b>Bo</b> | *now*")
    document = sheet.read()
    assert to_markdown(document).endswith("- note on page 1: Ask &lt;b>Bo&lt;/b> | \\*now\\*\n")
    assert "<li>note on page 1: Ask &lt;b&gt;Bo&lt;/b&gt; | *now*</li>" in to_html(document)


def test_attached_files_are_named_and_measured(sheet: Sheet) -> None:
    sheet.pdf.embfile_add("plan", b"12345", filename="../../plan.txt")
    sheet.page.add_file_annot((300, 100), b"xyz", "data.csv")
    document = sheet.read()
    assert document.attachments == (Attachment("../../plan.txt", 5),)
    assert [note.text for note in document.pages[0].annotations] == ["data.csv"]


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("https://example.org/a_(b)?x=1", "[bridge](https://example.org/a_%28b%29?x=1)"),
        ("javascript:alert(1)", "bridge"),
        ("file:///etc/passwd", "bridge"),
    ],
)
def test_markdown_keeps_safe_links(sheet: Sheet, target: str, shown: str) -> None:
    (box,) = sheet.page.search_for("bridge")
    sheet.page.insert_link({"kind": pymupdf.LINK_URI, "from": box, "uri": target})
    assert to_markdown(sheet.read()) == f"The {shown} opens in May.\n"


def test_links_can_be_left_out(sheet: Sheet) -> None:
    (box,) = sheet.page.search_for("bridge")
    sheet.page.insert_link({"kind": pymupdf.LINK_URI, "from": box, "uri": "https://a.org/"})
    assert to_markdown(sheet.read(), links=False) == "The bridge opens in May.\n"


def test_links_to_pages_lead_there_in_html(sheet: Sheet) -> None:
    (box,) = sheet.page.search_for("bridge")
    link = {"kind": pymupdf.LINK_GOTO, "from": box, "page": 0, "to": pymupdf.Point(0, 0)}
    sheet.page.insert_link(link)
    document = sheet.read()
    assert document.pages[0].links[0].target == "#page=1"
    assert '<a href="#page-1">bridge</a>' in to_html(document)
