"""Columns, headings across them, boxes, turned and right-to-left text; nothing is lost."""

from __future__ import annotations

import time
from collections import Counter

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.geometry import BBox
from docpipe.parsers.native.columns import Item, reading_order
from docpipe.parsers.native.lines import Line, lines_from_words
from docpipe.parsers.native.words import StyledWord, drop_duplicates
from docpipe.records import TextBlock, Word
from tests.parsers.native.pages import column, facts_of, prose, read, texts

FAR_EAST = "china-s"


def test_two_columns_below_a_title_and_a_heading_across() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((120, 80), "A title that runs across both columns", fontsize=18)
        column(page, 50, 120, 240, f"LEFTONE {prose(90)}.")
        column(page, 310, 120, 240, f"RIGHTONE {prose(90, 7)}.")
        page.insert_text((60, 360), "A second heading across the whole page", fontsize=16)
        column(page, 50, 400, 240, f"LEFTTWO {prose(90, 3)}.")
        column(page, 310, 400, 240, f"RIGHTTWO {prose(90, 5)}.")

    (page,) = read(build)
    text = " ".join(texts(page))
    marks = ["A title", "LEFTONE", "RIGHTONE", "A second", "LEFTTWO", "RIGHTTWO"]
    positions = [text.index(mark) for mark in marks]
    assert positions == sorted(positions)


def test_three_columns_with_a_narrow_gutter() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        for index in range(3):
            column(
                page, 50 + index * 172, 100, 160, f"COLUMN{index} {prose(150, index)} END{index}"
            )

    (page,) = read(build)
    text = " ".join(texts(page))
    marks = ["COLUMN0", "END0", "COLUMN1", "END1", "COLUMN2", "END2"]
    positions = [text.index(mark) for mark in marks]
    assert positions == sorted(positions)


def test_labels_and_values_are_read_row_by_row() -> None:
    pairs = [("Name:", "Ada"), ("Born:", "1815"), ("City:", "London"), ("Trade:", "Numbers")]

    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        column(page, 50, 80, 450, prose(60))
        for index, (label, value) in enumerate(pairs):
            page.insert_text((50, 300 + 30 * index), label)
            page.insert_text((160, 300 + 30 * index), value)

    (page,) = read(build)
    text = " ".join(cell_texts(page))
    for label, value in pairs:
        assert text.index(label) < text.index(value)
    assert text.index("Ada") < text.index("Born:")


def cell_texts(page: object) -> list[str]:
    from docpipe.content import block_text

    return [block_text(block) for block in page.blocks]  # type: ignore[attr-defined]


def test_turned_text_is_readable_and_apart() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        column(page, 80, 100, 400, f"{prose(80)}.")
        page.insert_text((40, 600), "Sideways note from an archive", rotate=90)

    (page,) = read(build)
    assert "Sideways note from an archive" in texts(page)
    assert not any("archive" in text and "committee" in text for text in texts(page))


def test_vertical_writing_runs_down_and_to_the_left() -> None:
    def vertical(x: float, text: str, run: int) -> list[StyledWord]:
        return [
            StyledWord(
                Word(char, BBox(x, 50 + 12 * index, x + 12, 62 + 12 * index)),
                size=12,
                direction=(0.0, 1.0),
                run=run + index,
            )
            for index, char in enumerate(text)
        ]

    words = vertical(200, "日本語", 0) + vertical(230, "あいうえお", 9)
    assert [line.text for line in lines_from_words(words)] == ["あいうえお", "日本語"]


def test_right_to_left_lines_are_in_logical_order() -> None:
    placed = [("שלום", 300), ("עולם", 250), ("2024", 200), ("PDF", 230), ("סוף", 150)]
    words = [
        StyledWord(Word(text, BBox(x, 100, x + 28, 112)), size=12) for text, x in reversed(placed)
    ]
    (line,) = lines_from_words(words)
    assert line.text == "שלום עולם 2024 PDF סוף"


def test_text_drawn_twice_is_read_once() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        for shift in (0, 0.3):
            page.insert_text((50 + shift, 100), "A heading made bold by force", fontsize=14)
        page.insert_text((50, 130), "that that stays")

    (page,) = read(build)
    assert "\n".join(texts(page)) == "A heading made bold by force\nthat that stays"


def test_superscripts_stay_on_their_line() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((50, 100), "A claim with a source", fontsize=11)
        page.insert_text((158, 95.5), "12", fontsize=6.5)
        page.insert_text((168, 100), "and more words.", fontsize=11)
        page.insert_text((50, 114), "The second line follows it.", fontsize=11)

    (page,) = read(build)
    text = " ".join(texts(page))
    assert text.index("source") < text.index("12") < text.index("and more") < text.index("second")


@st.composite
def layouts(draw: st.DrawFn) -> list[tuple[float, float, float, str]]:
    words = st.text(alphabet="abcdefgh", min_size=1, max_size=9)
    place = st.tuples(st.floats(20, 400), st.floats(40, 780), st.floats(5, 30), words)
    return draw(st.lists(place, min_size=1, max_size=40))


@settings(max_examples=40, deadline=None)
@given(layouts())
def test_no_character_is_lost_or_made_up(layout: list[tuple[float, float, float, str]]) -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        for x, y, size, text in layout:
            page.insert_text((x, y), text, fontsize=size)

    (facts,), _ = facts_of(build)
    words = Counter("".join(word.text for word in facts.words))
    blocks: Counter[str] = Counter()
    for draft in facts.drafts:
        block = draft.block
        if isinstance(block, TextBlock):
            blocks.update("".join(block.text.split()))
        else:
            from docpipe.content import block_text

            blocks.update(c for c in block_text(block) if c not in " |\n")
    assert blocks == words


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0, 500), st.floats(0, 700), st.floats(0, 200), st.floats(0, 40)),
        max_size=60,
    )
)
def test_order_is_a_permutation(boxes: list[tuple[float, float, float, float]]) -> None:
    items = [
        Item(index, BBox(x, y, x + width, y + height), solid=index % 7 == 0)
        for index, (x, y, width, height) in enumerate(boxes)
    ]
    order = [index for leaf in reading_order(items, 10) for index in leaf]
    assert sorted(order) == list(range(len(items)))


@pytest.mark.parametrize("arrange", ["grid", "diagonal", "pile"])
def test_thousands_of_boxes_take_no_quadratic_time(arrange: str) -> None:
    def box(index: int) -> BBox:
        match arrange:
            case "grid":
                x, y = 20.0 * (index % 60), 11.0 * (index // 60)
            case "diagonal":
                x, y = 0.3 * index, 0.3 * index
            case _:
                x, y = 0.01 * index, 5.0
        return BBox(x, y, x + 15, y + 9)

    words = [StyledWord(Word(f"w{index}", box(index)), 9) for index in range(3000)]
    start = time.process_time()
    drop_duplicates([word.word for word in words])
    lines = lines_from_words(words)
    reading_order([Item(index, line.bbox) for index, line in enumerate(lines)], 9)
    assert time.process_time() - start < 3.0
    assert sum(len(line.words) for line in lines) == 3000


def test_a_line_is_bold_when_all_of_it_is() -> None:
    words = [
        StyledWord(Word(text, BBox(20 + 40 * i, 100, 55 + 40 * i, 112)), 12, bold=i < 2)
        for i, text in enumerate(["Run-in", "heading.", "Text"])
    ]
    (mixed,) = lines_from_words(words)
    (bold,) = lines_from_words(words[:2])
    assert isinstance(mixed, Line)
    assert (mixed.bold, bold.bold) == (False, True)


def test_a_drop_cap_begins_its_paragraph() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((48, 120), "T", fontsize=46)
        lines = [
            "he committee met in the morning to discuss the bridge",
            "over the river and the ford",
        ]
        for index, line in enumerate(
            [*lines, "below the mill where the", "old crossing used to be."]
        ):
            page.insert_text((78 if index < 3 else 50, 94 + 13 * index), line, fontsize=11)

    (page,) = read(build)
    assert texts(page) == [
        "The committee met in the morning to discuss the bridge over the river and the ford "
        "below the mill where the old crossing used to be."
    ]


def test_spaced_out_letters_are_words() -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        x = 50.0
        for char in "ANNUAL REPORT":
            page.insert_text((x, 100), char, fontsize=20)
            x += pymupdf.Font("helv").text_length(char, 20) + 7

    (page,) = read(build)
    assert texts(page) == ["ANNUAL REPORT"]
