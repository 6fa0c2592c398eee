"""Footnotes stand behind the text of their page."""

from __future__ import annotations

import pymupdf

from tests.parsers.native.pages import column, prose, read, roles, texts


def test_footnotes_of_the_first_column_do_not_part_the_text_of_both() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        y = column(page, 50, 430, 225, f"Left {prose(40)} in the Arabian", 11)
        y = column(page, 50, y + 12, 225, f"Book. {prose(70, 2)}.", 8.5) - 2
        column(page, 50, y + 8, 225, f"34 Walker, {prose(60, 3)}.", 8.5)
        y = column(page, 320, 430, 225, f"peninsula {prose(40, 5)}.", 11)
        column(page, 320, y + 12, 225, f"35 Smith, {prose(120, 4)}.", 8.5)

    (page,) = read(build)
    body, *notes = texts(page)
    assert body.startswith("Left")
    assert "in the Arabian peninsula" in body
    assert [note.split()[0] for note in notes] == ["Book.", "34", "35"]
    assert {roles(page)[note] for note in notes} == {"footnote"}
