"""What only the whole document tells: furniture, headings, joins over pages, ids."""

from __future__ import annotations

import pymupdf

from docpipe.parsers.native import NativeParser
from docpipe.records import Table, TextBlock
from tests.parsers.native.pages import column, facts_of, prose, read, roles, texts


def report(pages: int) -> list[pymupdf.Page]:
    document = pymupdf.open()
    return [document.new_page() for _ in range(pages)]


def test_running_heads_and_page_numbers_are_typed_not_lost() -> None:
    def build(document: pymupdf.Document) -> None:
        for number in range(1, 6):
            page = document.new_page()
            page.insert_text(
                (50, 40), f"Annual report of the river board, part {number}", fontsize=9
            )
            page.insert_text((50, 90), f"Findings in district {'ABCDE'[number - 1]}", fontsize=11)
            column(page, 50, 120, 450, f"{prose(150, number)}.", size=11)
            page.insert_text((290, 810), str(number + 10), fontsize=9)

    for page in read(build):
        found = roles(page)
        heads = [text for text, role in found.items() if role == "page_header"]
        feet = [text for text, role in found.items() if role == "page_footer"]
        assert heads == [f"Annual report of the river board, part {page.number}"]
        assert feet == [str(page.number + 10)]
        assert texts(page)[0].startswith("Findings in district")


def test_what_does_not_repeat_is_no_furniture() -> None:
    def build(document: pymupdf.Document) -> None:
        for number, first in enumerate(["A letter to the board", "Costs of the bridge", "Thanks"]):
            page = document.new_page()
            page.insert_text((50, 40), first, fontsize=10)
            column(page, 50, 80, 450, f"{prose(100, number)}.")
            page.insert_text(
                (50, 810), f"The last row says {['one', 'two', 'three'][number]} thing"
            )

    for page in read(build):
        assert not {"page_header", "page_footer"} & set(roles(page).values())


def test_a_number_that_does_not_count_on_is_no_page_number() -> None:
    def build(document: pymupdf.Document) -> None:
        for number in (85, 30, 71):
            page = document.new_page()
            column(page, 50, 80, 450, f"{prose(100)}.")
            page.insert_text((290, 600), str(number))

    assert [texts(page)[-1] for page in read(build)] == ["85", "30", "71"]


def test_headings_by_size_weight_and_number() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((50, 80), "Bridges of the North", fontsize=24)
        page.insert_text((50, 130), "1 Introduction", fontsize=14)
        y = column(page, 50, 160, 450, f"{prose(80)}.")
        page.insert_text((50, y + 20), "1.1 Earlier work", fontsize=12)
        y = column(page, 50, y + 45, 450, f"{prose(80, 3)}.")
        page.insert_text((50, y + 20), "Materials", fontname="hebo", fontsize=10)
        y = column(page, 50, y + 40, 450, f"{prose(80, 5)}.")
        page.insert_text((50, y + 20), "Strong words.", fontname="hebo", fontsize=10)
        page.insert_text((122, y + 20), "They open a paragraph that is not a heading.", fontsize=10)

    (page,) = read(build)
    found = {
        block.text: (block.role, block.level)
        for block in page.blocks
        if isinstance(block, TextBlock) and block.role in ("title", "heading")
    }
    assert found["Bridges of the North"] == ("title", 1)
    assert found["1 Introduction"] == ("heading", 2)
    assert found["1.1 Earlier work"] == ("heading", 3)
    assert found["Materials"][0] == "heading"
    assert len(found) == 4


def test_bookmarks_have_the_last_word_on_levels() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((50, 80), "Scope", fontsize=11)
        column(page, 50, 120, 450, f"{prose(90)}.", size=11)
        page.insert_text((50, 300), "Terms", fontsize=11)
        column(page, 50, 330, 450, f"{prose(90, 4)}.", size=11)
        document.set_toc([[1, "Scope", 1], [2, "Terms", 1]])

    (page,) = read(build)
    levels = [(b.text, b.level) for b in page.blocks if getattr(b, "role", "") == "heading"]
    assert levels == [("Scope", 1), ("Terms", 2)]


def test_lists_of_contents_do_not_become_headings() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((50, 80), "Contents", fontsize=20)
        for index in range(8):
            entry = f"Chapter {index} on bridges {'.' * 40} {index * 7 + 1}"
            page.insert_text((50, 120 + 20 * index), entry, fontname="hebo")
        second = document.new_page()
        column(second, 50, 80, 450, f"{prose(200)}.")

    first = read(build)[0]
    assert [t for t, role in roles(first).items() if role in ("title", "heading")] == ["Contents"]
    assert len(texts(first)) == 9


def test_a_sentence_goes_on_in_the_next_column_and_on_the_next_page() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        column(page, 50, 100, 240, f"{prose(70)}.")
        column(page, 50, 700, 240, "A sentence that does not end in this column but is car-")
        column(page, 310, 100, 240, f"ried into the next one. Then {prose(60)}.")
        column(page, 310, 700, 240, "The board decided on that day, after much talk, to")
        second = document.new_page()
        column(second, 50, 100, 450, f"build it of stone. {prose(40)}.")
        column(second, 50, 300, 450, f"The carried load was high. {prose(40)}.")

    first, second = read(build)
    blocks = [block for block in first.blocks if isinstance(block, TextBlock)]
    over_columns = next(block for block in blocks if block.text.startswith("A sentence"))
    assert "is carried into the next one." in over_columns.text
    assert over_columns.raw is not None
    assert "car-\nried" in over_columns.raw
    over_pages = next(block for block in blocks if block.text.startswith("The board"))
    assert "after much talk, to build it of stone." in over_pages.text
    assert [region.page for region in over_pages.source.regions] == [1, 2]
    assert texts(second)[0].startswith("The carried load")


def test_references_are_typed() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        column(page, 50, 80, 450, f"{prose(80)}.")
        page.insert_text((50, 300), "References", fontsize=14)
        page.insert_text((50, 330), "Adams, B. Stone and water. River Press, 1999.", fontsize=10)

    (page,) = read(build)
    assert roles(page)["Adams, B. Stone and water. River Press, 1999."] == "reference"


def test_a_table_over_two_pages_is_one() -> None:
    def grid(page: pymupdf.Page, rows: list[list[str]]) -> None:
        for y in range(len(rows) + 1):
            page.draw_line((50, 100 + 20 * y), (350, 100 + 20 * y))
        for x in range(4):
            page.draw_line((50 + 100 * x, 100), (50 + 100 * x, 100 + 20 * len(rows)))
        for y, row in enumerate(rows):
            for x, text in enumerate(row):
                page.insert_text((55 + 100 * x, 114 + 20 * y), text, fontsize=10)

    head = ["Station", "Level", "Flow"]

    def build(document: pymupdf.Document) -> None:
        grid(document.new_page(), [head, ["North", "3.1", "40"], ["South", "2.9", "38"]])
        grid(document.new_page(), [head, ["East", "3.3", "44"], ["West", "2.2", "31"]])

    first, second = read(build)
    (table,) = [block for block in first.blocks if isinstance(block, Table)]
    assert table.shape == (5, 3)
    assert [region.page for region in table.source.regions] == [1, 2]
    assert not [block for block in second.blocks if isinstance(block, Table)]


def test_ids_are_stable_and_facts_alone_decide() -> None:
    def build(document: pymupdf.Document) -> None:
        for number in range(2):
            column(document.new_page(), 50, 100, 450, f"{prose(60, number)}.")

    facts, outline = facts_of(build)
    parser = NativeParser()
    first, second = parser.compose(facts, outline), parser.compose(facts, outline)
    assert first == second
    assert [block.id for page in first for block in page.blocks] == ["p1/text1", "p2/text1"]
    assert parser.compose([], []) == []


def test_a_line_that_is_all_a_short_document_says_is_no_furniture() -> None:
    def build(document: pymupdf.Document) -> None:
        for number in range(3):
            page = document.new_page()
            page.insert_text((60, 60), "Draft for the board")
            page.insert_text((300, 800), str(number + 1))

    for page in read(build):
        assert texts(page) == ["Draft for the board"]


def test_a_stamp_in_the_margin_is_furniture() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((25, 600), "arXiv:2303.00001v2 21 Oct 2023", rotate=90)
        for part in range(4):
            column(page, 60, 80 + 150 * part, 450, f"{prose(60, part)}.")

    (page,) = read(build)
    assert roles(page)["arXiv:2303.00001v2 21 Oct 2023"] == "page_header"


def test_a_contents_page_without_dots_holds_no_headings() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        for row, text in enumerate(("Appendix A: Inventory 58", "References 67", "Glossary 70")):
            page.insert_text((72, 80 + 30 * row), text, fontsize=12, fontname="hebo")
        page = document.new_page()
        page.insert_text((72, 80), "Chapter 1: The survey", fontsize=14, fontname="hebo")
        column(page, 72, 110, 450, f"{prose(120)}.")

    first, second = read(build)
    assert set(roles(first).values()) == {"paragraph"}
    assert "Chapter 1: The survey" in roles(second)


def test_a_link_to_the_contents_on_every_page_is_furniture() -> None:
    def build(document: pymupdf.Document) -> None:
        for number in range(6):
            page = document.new_page()
            page.insert_text((60, 40), "Table of Contents", fontsize=10)
            column(page, 60, 90, 450, f"{prose(120, number)}.")

    assert all(roles(page)["Table of Contents"] == "page_header" for page in read(build))


def test_a_reference_goes_on_over_a_column_and_its_last_digits_belong_to_it() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((50, 80), "References", fontsize=14)
        y = 105.0
        for year in range(1980, 1992):
            y = column(page, 50, y, 220, f"Adams, B. {year}. {prose(22, year)}. River Press.") + 6
        page.insert_text((50, y), "Clark, C. and David", fontsize=10)
        page.insert_text((320, 80), "Reitter, D. 2021. Semantics of queries. ACM", fontsize=10)
        page.insert_text((320, 92), "Transactions on Database Systems, 34(3):1-", fontsize=10)
        page.insert_text((320, 104), "45.", fontsize=10)
        column(page, 320, 126, 220, f"Evans, E. 2001. {prose(40, 3)}. River Press.")

    (page,) = read(build)
    assert (
        "Clark, C. and David Reitter, D. 2021. Semantics of queries. ACM Transactions on Database "
        "Systems, 34(3):1-45."
    ) in texts(page)


def test_a_long_line_in_larger_type_that_leads_to_a_list_is_no_heading() -> None:
    lead = "Safety comes first here. It can only be ensured if the following points are observed:"

    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((50, 80), "Hazards to the operator", fontsize=13, fontname="hebo")
        column(page, 50, 110, 450, lead, 12)
        page.insert_text((50, 160), "> Read the manual.", fontsize=12)
        column(page, 50, 200, 450, f"{prose(150)}.")

    (page,) = read(build)
    found = roles(page)
    assert found["Hazards to the operator"] in ("title", "heading")
    assert found[lead] == "paragraph"
    assert found["> Read the manual."] == "list_item"


def test_a_date_on_a_cover_is_no_heading() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((50, 100), "The ownership of land", fontsize=24)
        page.insert_text((50, 140), "15 June 2023", fontsize=16, fontname="hebo")
        column(page, 50, 200, 450, f"{prose(150)}.")

    (page,) = read(build)
    assert roles(page)["15 June 2023"] == "paragraph"
