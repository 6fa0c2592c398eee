"""Tables of every make are found with their cells, and nothing else is taken for one."""

from __future__ import annotations

import itertools
import time

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.geometry import BBox
from docpipe.parsers.native.tables import find_tables
from docpipe.records import Word
from docpipe.stages import Drawing
from docpipe.testing import FakePage
from tests.parsers.native.tabular import PITCH, ROWS, prose, tables_of, texts_of, write

XS = [80, 180, 260, 340]
EDGES = [74, 174, 254, 334, 414]
TOP = 89  # of the first row when its baseline is at 100


def levels(rows: int, pitch: float = PITCH) -> list[float]:
    return [TOP + i * pitch for i in range(rows + 1)]


def lattice(page: pymupdf.Page, xs: list[int], ys: list[float]) -> None:
    for y in ys:
        page.draw_line((xs[0], y), (xs[-1], y))
    for x in xs:
        page.draw_line((x, ys[0]), (x, ys[-1]))


class Sheet(FakePage):
    """A page with the given paths."""

    def __init__(self, paths: list[Drawing]) -> None:
        super().__init__([])
        self.paths = paths

    def drawings(self) -> list[Drawing]:
        return self.paths


# ── How tables are drawn ────────────────────────────────────────────────────────────────────────


def lines(page: pymupdf.Page) -> None:
    lattice(page, EDGES, levels(5))


def thin_rectangles(page: pymupdf.Page) -> None:
    for y in levels(5):
        page.draw_rect((EDGES[0], y, EDGES[-1], y + 0.7), fill=(0, 0, 0), color=None, width=0)
    for x in EDGES:
        page.draw_rect((x, TOP, x + 0.7, levels(5)[-1]), fill=(0, 0, 0), color=None, width=0)


def dots(page: pymupdf.Page) -> None:
    shape = page.new_shape()
    for y in levels(5):
        for x in range(EDGES[0], EDGES[-1] + 1, 2):
            shape.draw_rect((x, y, x + 0.6, y + 0.6))
    for x in EDGES:
        for y in range(TOP, int(levels(5)[-1]) + 1, 2):
            shape.draw_rect((x, y, x + 0.6, y + 0.6))
    shape.finish(fill=(0, 0, 0), color=None, width=0)
    shape.commit()


def boxes(page: pymupdf.Page) -> None:
    for top in levels(5)[:-1]:
        for left, right in itertools.pairwise(EDGES):
            page.draw_rect((left, top, right, top + PITCH))


def filled_cells(page: pymupdf.Page) -> None:
    for top in levels(5)[:-1]:
        for left, right in itertools.pairwise(EDGES):
            box = (left + 0.5, top + 0.5, right - 0.5, top + PITCH - 0.5)
            page.draw_rect(box, fill=(0.8, 0.9, 1), color=None, width=0)


def stripes(page: pymupdf.Page) -> None:
    for top in levels(5)[1:-1:2]:
        page.draw_rect(
            (EDGES[0], top, EDGES[-1], top + PITCH), fill=(0.9, 0.9, 0.9), color=None, width=0
        )


def open_sides(page: pymupdf.Page) -> None:
    for y in levels(5):
        page.draw_line((EDGES[0], y), (EDGES[-1], y))
    for x in EDGES[1:-1]:
        page.draw_line((x, TOP), (x, levels(5)[-1]))


def row_rules(page: pymupdf.Page) -> None:
    for y in levels(5):
        page.draw_line((EDGES[0], y), (EDGES[-1], y))


def three_rules(page: pymupdf.Page) -> None:
    for y in (TOP, TOP + PITCH, levels(5)[-1]):
        page.draw_line((EDGES[0], y), (EDGES[-1], y))


def column_rules(page: pymupdf.Page) -> None:
    lattice(page, EDGES, [TOP, TOP + PITCH, levels(5)[-1]])


def head_rules(page: pymupdf.Page) -> None:
    for y in (TOP, TOP + PITCH):
        page.draw_line((EDGES[0], y), (EDGES[-1], y))


def nothing(page: pymupdf.Page) -> None:
    pass


@pytest.mark.parametrize(
    "draw",
    [
        lines,
        thin_rectangles,
        dots,
        boxes,
        filled_cells,
        stripes,
        open_sides,
        row_rules,
        three_rules,
        column_rules,
        head_rules,
        nothing,
    ],
)
@pytest.mark.parametrize("in_text", [False, True])
def test_a_table_is_read_however_it_is_ruled(draw, in_text):
    def page(page: pymupdf.Page) -> None:
        if in_text:
            prose(page, 74, 30, 340, 3)
            prose(page, 74, 200, 340, 8)
        draw(page)
        write(page, ROWS, XS)

    (table,) = tables_of(page)
    assert texts_of(table) == ROWS
    assert {cell.row for cell in table.cells if cell.is_header} == {0}
    for cell in table.cells:
        assert cell.region is not None
        assert table.source.regions[0].bbox.contains(cell.region.bbox, 0.1)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.lists(st.from_regex(r"[A-Za-z0-9]{1,8}", fullmatch=True), min_size=3, max_size=3),
        min_size=2,
        max_size=6,
    )
)
def test_every_word_of_a_ruled_grid_stands_in_its_cell(rows):
    def page(page: pymupdf.Page) -> None:
        lattice(page, [74, 174, 254, 334], levels(len(rows)))
        write(page, rows, [80, 180, 260])

    (table,) = tables_of(page)
    assert texts_of(table) == rows


# ── Structure ───────────────────────────────────────────────────────────────────────────────────


def test_missing_rules_join_cells():
    def page(page: pymupdf.Page) -> None:
        ys = levels(4)
        for y in ys:
            page.draw_line((174 if y == ys[1] else 74, y), (414, y))
        for x in EDGES:
            page.draw_line((x, ys[1] if x == 254 else ys[0]), (x, ys[-1]))
        write(page, [["Name", "Both halves", "", "Total"]], XS)
        write(page, [["", "First", "Second", ""]], XS, 115)
        write(page, [["A", "1", "2", "3"], ["B", "4", "5", "9"]], XS, 130)

    (table,) = tables_of(page)
    spans = {cell.text: (cell.row_span, cell.column_span) for cell in table.cells}
    assert table.shape == (4, 4)
    assert spans["Name"] == (2, 1)
    assert spans["Both halves"] == (1, 2)
    assert spans["First"] == (1, 1)


def test_short_rules_make_a_head_over_several_columns():
    def page(page: pymupdf.Page) -> None:
        for y in (TOP, 119, 164):
            page.draw_line((74, y), (414, y))
        page.draw_line((176, 104), (290, 104))
        page.insert_text((215, 100), "Degrees", fontsize=10)
        write(page, [["Code", "Low", "High", "Note"]], XS, 115)
        write(page, [["K1", "-0.5", "1.25", "a"], ["K2", "1.0", "2.5", "b"]], XS, 130)

    (table,) = tables_of(page)
    head = next(cell for cell in table.cells if cell.text == "Degrees")
    assert (head.row, head.column, head.column_span) == (0, 1, 2)
    assert texts_of(table)[1:] == [
        ["Code", "Low", "High", "Note"],
        ["K1", "-0.5", "1.25", "a"],
        ["K2", "1.0", "2.5", "b"],
    ]
    assert {cell.row for cell in table.cells if cell.is_header} == {0, 1}


def test_lines_of_one_cell_are_joined():
    def page(page: pymupdf.Page) -> None:
        lattice(page, [74, 174, 334], [89, 104, 131, 158])
        write(page, [["Item", "Meaning"]], [80, 180])
        write(page, [["Alpha", "a text that goes"], ["", "over two lines"]], [80, 180], 115, 12)
        write(page, [["Beta", "another long ex-"], ["", "planation of it"]], [80, 180], 142, 12)

    (table,) = tables_of(page)
    assert texts_of(table) == [
        ["Item", "Meaning"],
        ["Alpha", "a text that goes over two lines"],
        ["Beta", "another long explanation of it"],
    ]


def test_a_column_without_entries_is_kept():
    rows = [["Name", "Given", "Left", "Sum"], *([name, "12", "", "3"] for name in "ABC")]

    def page(page: pymupdf.Page) -> None:
        lattice(page, EDGES, levels(4))
        write(page, rows, XS)

    (table,) = tables_of(page)
    assert texts_of(table) == rows


def test_numbers_in_one_drawn_cell_are_rows_and_columns():
    rows = [[f"Offence {n}", *(f"{n + k}.5" for k in range(4))] for n in range(1, 9)]

    def page(page: pymupdf.Page) -> None:
        lattice(page, [74, 174, 274, 374], [89, 104, 119, 240])
        write(page, [["", "Men", "", "Women", ""]], [80, 180, 230, 280, 330])
        write(page, [["", "all", "old", "all", "old"]], [80, 180, 230, 280, 330], 115)
        write(page, rows, [80, 180, 230, 280, 330], 130, 13)

    (table,) = tables_of(page)
    assert texts_of(table)[-8:] == rows


def test_dot_leaders_and_currency_signs_are_no_columns():
    def page(page: pymupdf.Page) -> None:
        write(page, [["", "2023", "2022"]], [80, 262, 342])
        for number, (label, this, last) in enumerate(
            [
                ("Cash", "1,204", "873"),
                ("Receivables", "95", "61"),
                ("Total assets", "1,299", "934"),
            ]
        ):
            y = 115 + number * PITCH
            page.insert_text((80, y), label + " " + "." * (40 - 2 * len(label)), fontsize=10)
            page.insert_text((250, y), "$", fontsize=10)
            page.insert_text((330, y), "$", fontsize=10)
            page.insert_text((290 - 5.56 * len(this), y), this, fontsize=10)
            page.insert_text((370 - 5.56 * len(last), y), last, fontsize=10)

    (table,) = tables_of(page)
    assert texts_of(table) == [
        ["", "2023", "2022"],
        ["Cash", "$ 1,204", "$ 873"],
        ["Receivables", "$ 95", "$ 61"],
        ["Total assets", "$ 1,299", "$ 934"],
    ]


def test_text_around_a_table_is_not_in_it():
    def page(page: pymupdf.Page) -> None:
        page.insert_text((74, 80), "Table 3. Units sold by region", fontsize=10)
        page.insert_text((74, 185), "Source: own count", fontsize=8)
        three_rules(page)
        write(page, ROWS, XS)

    (table,) = tables_of(page)
    assert texts_of(table) == ROWS


@pytest.mark.parametrize("rotate", [90, 270])
def test_a_table_set_sideways_reads_upright(rotate):
    def page(page: pymupdf.Page) -> None:
        turn = pymupdf.Matrix(-rotate)
        center = pymupdf.Point(300, 400)
        for number, row in enumerate(ROWS):
            for x, text in zip(XS, row, strict=True):
                point = center + (pymupdf.Point(x, number * PITCH) - pymupdf.Point(200, 0)) * turn
                page.insert_text(point, text, fontsize=10, rotate=rotate)
        for y in (-11, 4, 64):
            start, end = ((pymupdf.Point(x, y) - pymupdf.Point(200, 0)) * turn for x in (74, 414))
            page.draw_line(center + start, center + end)

    (table,) = tables_of(page)
    box = table.source.regions[0].bbox
    assert texts_of(table) == ROWS
    assert box.height > 2 * box.width


def test_heads_set_sideways_belong_to_an_upright_table():
    def page(page: pymupdf.Page) -> None:
        lattice(page, EDGES, [40, 100, 115, 130])
        for x, text in zip(XS, ["Name", "Per cent", "All", "Sum"], strict=True):
            page.insert_text((x + 10, 95), text, fontsize=10, rotate=90)
        write(page, [["A", "1", "2", "3"], ["B", "4", "5", "9"]], XS, 111)

    (table,) = tables_of(page)
    assert texts_of(table)[0] == ["Name", "Per cent", "All", "Sum"]


def test_a_stamp_in_the_margin_leaves_the_table_alone():
    def page(page: pymupdf.Page) -> None:
        page.insert_text(
            (30, 300), "arXiv:2401.01234v2 [cs.CL] 17 Jan 2024", fontsize=18, rotate=90
        )
        three_rules(page)
        write(page, ROWS, XS)

    (table,) = tables_of(page)
    assert texts_of(table) == ROWS


# ── What is no table ────────────────────────────────────────────────────────────────────────────


def two_columns(page: pymupdf.Page) -> None:
    prose(page, 50, 60, 230, 25)
    prose(page, 310, 60, 230, 25)


def bullets(page: pymupdf.Page) -> None:
    write(page, [["•", "a point to make"]] * 6, [80, 100])


def numbered_list(page: pymupdf.Page) -> None:
    write(page, [[f"{n}.", "a point to make"] for n in range(1, 8)], [80, 100])


def contents(page: pymupdf.Page) -> None:
    for number in range(10):
        text = f"Chapter {number} about rivers " + "." * 50
        page.insert_text((80, 100 + number * PITCH), text, fontsize=10)
        page.insert_text((420, 100 + number * PITCH), str(3 + 7 * number), fontsize=10)


def contents_in_two_columns(page: pymupdf.Page) -> None:
    rows = [
        [f"Chapter {n}", str(3 + 2 * n), f"Chapter {n + 12}", str(30 + 3 * n)] for n in range(12)
    ]
    write(page, rows, [80, 200, 260, 400])


def ruled_contents(page: pymupdf.Page) -> None:
    for number in range(5):
        y = 100 + number * 25
        page.insert_text((80, y), f"Part {number} about the roads", fontsize=10)
        page.insert_text((420, y), str(4 + 7 * number), fontsize=10)
        page.draw_line((80, y + 8), (435, y + 8))


def letter_head(page: pymupdf.Page) -> None:
    keys = ["Date:", "To:", "From:", "Subject:"]
    write(page, [[key, "something of some length"] for key in keys], [80, 150])


def code(page: pymupdf.Page) -> None:
    for number, text in enumerate(
        [
            "def add(a, b):",
            "    total = a + b",
            "    if total > 3:",
            "        return 3",
            "    return 1",
        ]
    ):
        page.insert_text((80, 100 + 12 * number), text, fontsize=10, fontname="cour")


def framed_text(page: pymupdf.Page) -> None:
    page.draw_rect((70, 80, 420, 200), fill=(0.9, 0.9, 1))
    prose(page, 80, 90, 330, 7)


def bar_chart(page: pymupdf.Page) -> None:
    for step in range(6):
        page.draw_line((100, 300 - 30 * step), (400, 300 - 30 * step), color=(0.7, 0.7, 0.7))
        page.insert_text((80, 303 - 30 * step), str(20 * step), fontsize=8)
    for number, height in enumerate([40, 120, 75, 100]):
        x = 120 + 70 * number
        page.draw_rect((x, 300 - height, x + 30, 300), fill=(0.8, 0.1, 0.1), color=None, width=0)
        page.insert_text((x + 8, 295 - height), str(height), fontsize=8)
        page.insert_text((x, 312), f"20{18 + number}", fontsize=8)
    page.draw_rect((60, 100, 420, 330))


def line_chart(page: pymupdf.Page) -> None:
    points = [(100 + 40 * i, 300 - y) for i, y in enumerate([20, 60, 40, 90, 80, 130, 110])]
    page.draw_polyline(points)
    for step in range(6):
        page.draw_line((100, 300 - 30 * step), (360, 300 - 30 * step), color=(0.7, 0.7, 0.7))
        page.insert_text((80, 303 - 30 * step), str(20 * step), fontsize=8)
    for x, _ in points:
        page.insert_text((x - 8, 312), str(int(1980 + x)), fontsize=8)


@pytest.mark.parametrize(
    "draw",
    [
        two_columns,
        bullets,
        numbered_list,
        contents,
        contents_in_two_columns,
        ruled_contents,
        letter_head,
        code,
        framed_text,
        bar_chart,
        line_chart,
    ],
)
def test_other_things_are_no_tables(draw):
    assert tables_of(draw) == []


def test_a_map_of_many_paths_takes_no_time():
    paths = [
        Drawing("line", BBox.of(x, y, x + 20, y + number % 2), 0, None, 1.0)
        for number in range(45_000)
        for x, y in [(50 + number % 300, 50 + number // 300)]
    ]
    names = [
        Word(f"Lake{number}", BBox.of(100, 60 * number, 140, 60 * number + 10))
        for number in range(9)
    ]
    started = time.process_time()
    assert find_tables(Sheet(paths), names) == []
    assert time.process_time() - started < 3
