"""Tables that go on over a page break become one."""

from __future__ import annotations

from docpipe.geometry import BBox
from docpipe.parsers.native.tables import continues, joined
from docpipe.records import Cell, Region, Source, Table

HEAD = ["Code", "Station", "Low"]


def table(page: int, rows: list[list[str]], head: int = 1, step: float = 100) -> Table:
    cells = tuple(
        Cell(
            row,
            column,
            text,
            is_header=row < head,
            region=Region(page, BBox(step * column, 20 * row, step * (column + 1), 20 * row + 20)),
        )
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    )
    box = BBox(0, 0, step * len(rows[0]), 20 * len(rows))
    return Table(f"p{page}/table1", Source((Region(page, box),), "native"), cells)


FIRST = table(1, [HEAD, ["K1", "A", "0.5"], ["K2", "B", "1.5"]])


def test_a_repeated_head_is_dropped():
    second = table(2, [HEAD, ["K3", "C", "2.5"]])
    assert continues(FIRST, second)
    whole = joined(FIRST, second)
    assert whole.id == FIRST.id
    assert [cell.text for cell in whole.cells if cell.column == 0] == ["Code", "K1", "K2", "K3"]
    assert whole.shape == (4, 3)
    assert [region.page for region in whole.source.regions] == [1, 2]


def test_rows_without_a_head_go_on_where_the_columns_match():
    second = table(2, [["K3", "C", "2.5"], ["K4", "D", "3.5"]], head=0)
    assert continues(FIRST, second)
    assert joined(FIRST, second).shape == (5, 3)


def test_a_row_taken_for_a_head_goes_on_as_data():
    second = table(2, [["K3", "C", "2.5"], ["K4", "D", "3.5"]], head=1)
    assert continues(FIRST, second)
    whole = joined(FIRST, second)
    assert {cell.row for cell in whole.cells if cell.is_header} == {0}


def test_another_head_or_other_columns_start_another_table():
    assert not continues(FIRST, table(2, [["Name", "Place", "Rank"], ["x", "y", "z"]]))
    assert not continues(FIRST, table(2, [["K3", "C"], ["K4", "D"]], head=0))
    wide = [["K3", "C", "2.5"], ["K4", "D", "3.5"]]
    assert not continues(FIRST, table(2, wide, head=0, step=170))


def test_rows_that_are_the_same_on_both_pages_are_kept():
    whole = joined(FIRST, FIRST)
    assert whole.shape == (5, 3)
