"""Values that stand over years in charts."""

from __future__ import annotations

import pytest

from docpipe.agents.charts import chart_points
from docpipe.agents.extractive import ExtractiveReader
from docpipe.agents.passages import passages
from docpipe.agents.rows import labelled, years_over
from docpipe.geometry import BBox
from docpipe.records import (
    Block,
    Cell,
    Document,
    Figure,
    Page,
    Region,
    Source,
    Table,
    TextBlock,
    Word,
)
from docpipe.stages import PageContent

YEARS = (("2019", 100), ("2020", 200), ("2021", 300))


def word(text: str, x: float, y: float) -> Word:
    return Word(text, BBox(x, y, x + 6 * len(text), y + 10))


def chart(*values: tuple[str, float, float]) -> PageContent:
    """A chart with these values over three years, its labels in one block."""
    words = (*(word(year, x, 400) for year, x in YEARS), *(word(*value) for value in values))
    labels = " ".join(item.text for item in words)
    region = Region(1, BBox(50, 200, 400, 420))
    blocks: tuple[Block, ...] = (
        Figure("p1/figure1", Source((region,), "test"), "Figure 1: Flour sold", labels),
    )
    page = Page(1, "1", 600, 800, words=words, blocks=blocks)
    return PageContent(Document(id="0" * 16, name="mill.pdf", pages=(page,)), page)


def test_each_value_stands_for_the_year_below_it() -> None:
    content = chart(("41%", 100, 300), ("52%", 200, 280), ("63%", 300, 260))
    found = [(point.text, point.context) for point in chart_points(content)]
    assert found == [
        ("41%", "Figure 1: Flour sold / 2019"),
        ("52%", "Figure 1: Flour sold / 2020"),
        ("63%", "Figure 1: Flour sold / 2021"),
    ]


def test_a_value_between_two_years_and_two_over_one_year_stand_for_none() -> None:
    assert not list(chart_points(chart(("41%", 150, 300))))
    assert not list(chart_points(chart(("41%", 100, 300), ("42%", 100, 340))))


def test_numbers_in_a_line_of_text_are_no_values() -> None:
    assert not list(chart_points(chart(("41%", 100, 300), ("people", 120, 300))))


@pytest.mark.parametrize("year", ["2019", "2020"])
def test_a_question_about_a_year_is_answered_from_the_chart(year: str) -> None:
    content = chart(("41%", 100, 300), ("52%", 200, 280))
    question = f"What percentage of flour was sold in {year}?"
    answer = ExtractiveReader().read([content], question, question).answer
    assert answer is not None
    assert answer.value == (41.0 if year == "2019" else 52.0)


def leaders() -> PageContent:
    """A statement whose labels are text beside the table of its figures."""
    figures = ["59,268", "55,556"]
    cells = tuple(
        Cell(
            0,
            column,
            figure,
            region=Region(1, BBox(400 + 80 * column, 100, 470 + 80 * column, 112)),
        )
        for column, figure in enumerate(figures)
    )
    table = Table("p1/table1", Source((Region(1, BBox(400, 100, 550, 112)),), "test"), cells)
    label = TextBlock(
        "p1/text1",
        Source((Region(1, BBox(50, 100, 390, 112)),), "test"),
        "Total assets ....",
        "paragraph",
    )
    words = (
        word("2021", 410, 60),
        word("2020", 490, 60),
        word("Total", 50, 101),
        word("assets", 90, 101),
        word("....", 200, 101),
        word("Liabilities", 50, 115),
    )
    page = Page(1, "1", 600, 800, words=words, blocks=(label, table))
    return PageContent(Document(id="0" * 16, name="mill.pdf", pages=(page,)), page)


def test_a_row_of_figures_gets_the_label_on_its_line() -> None:
    content = leaders()
    row = next(passage for passage in passages([content]) if passage.cells)
    assert [cell.text for cell in labelled(row).cells] == ["Total assets", "59,268", "55,556"]


def test_years_over_columns_are_read_off_the_page() -> None:
    assert years_over(leaders().page) == ["2021", "2020"]
    assert years_over(Page(1, "1", 600, 800)) == []
