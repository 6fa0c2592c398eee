"""Tables of prose, and pages of prose that look like tables."""

from __future__ import annotations

import pymupdf

from docpipe.records import Table
from tests.parsers.native.pages import column, prose, read, roles


def test_a_bar_that_stops_at_every_rule_parts_columns_of_prose() -> None:
    rows = [(f"Event.Kind-{n}", f"{prose(8 + 7 * (n % 3), n)}.") for n in range(7)]

    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        y = 100.0
        for label, text in rows:
            page.draw_line((80, y), (515, y), width=0.5)
            page.insert_text((86, y + 12), label, fontsize=9)
            bottom = column(page, 212, y + 12, 290, text, 9) - 6
            page.draw_line((205, y + 3.5), (205, bottom - 2.5), width=0.4)
            y = bottom
        page.draw_line((80, y), (515, y), width=0.5)

    (page,) = read(build)
    (table,) = page.blocks
    assert isinstance(table, Table)
    cells = [cell.text for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column))]
    assert cells == [text for row in rows for text in row]


def test_headings_between_the_rules_of_the_page_are_no_table() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.draw_line((72, 60), (540, 60))
        y = 90.0
        for number in range(1, 8):
            page.insert_text((72, y), f"4.{number}", fontsize=14, fontname="hebo")
            page.insert_text((110, y), f"Model number {number}", fontsize=14, fontname="hebo")
            page.insert_text((72, y + 25), f"Please refer to the paper {number}.", fontsize=10)
            y += 70
        page.draw_line((72, 780), (540, 780))

    (page,) = read(build)
    assert not [block for block in page.blocks if isinstance(block, Table)]
    assert roles(page)["4.3 Model number 3"] == "heading"


def test_the_axes_of_charts_side_by_side_are_no_table() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        column(page, 72, 80, 450, f"{prose(60)}.")
        for x in (80, 320):
            page.insert_text((x + 40, 190), f"Spread of {x} (bp)", fontsize=9)
            for row in range(10):
                page.insert_text((x, 210 + 14 * row), f"{450 - 50 * row}", fontsize=9)
            page.insert_text((x + 70, 224), "Spread of bonds", fontsize=9)
        page.draw_line((72, 180), (540, 180))
        page.draw_line((72, 350), (540, 350))

    (page,) = read(build)
    assert not [block for block in page.blocks if isinstance(block, Table)]


def test_two_lines_of_typewriter_text_between_rules_are_no_table() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        column(page, 72, 80, 450, f"{prose(60)}.")
        page.draw_line((72, 180), (520, 180))
        for row, line in enumerate(
            ("call  three  functions  in  the  program", "then  there  is  text  of  words")
        ):
            page.insert_text((76, 195 + 11 * row), line, fontsize=9, fontname="cour")
        page.draw_line((72, 212), (520, 212))

    (page,) = read(build)
    assert not [block for block in page.blocks if isinstance(block, Table)]
