"""Arithmetic over numbers and cells: what it gives, what it rests on, and what it refuses."""

from __future__ import annotations

import ast
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.agents.calculator import Calculation, cell_ranges
from docpipe.agents.calculator import calculate as calculate_in
from docpipe.agents.values import number_of
from docpipe.agents.verifier import check
from docpipe.content import block_text
from docpipe.errors import ConfigError
from docpipe.records import Document, Table
from tests.agents.documents import document, table, text

RENTS = table(
    1,
    2,
    [
        ["Flat", "2020", "2021"],
        ["A", "1,100", "1,234.5"],
        ["B", "900", "(50)"],
        ["Total", "2,000", ""],
    ],
    "Rents",
)
HOUSE = document([text(1, 1, "The house"), RENTS])
LETTERS = HOUSE.pages[0].blocks[1].id


def calculate(expression: str, *documents: Document) -> Calculation:
    return calculate_in(expression, dict(enumerate(documents, 1)))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("(1,234.5 - 1100) / 1100", 134.5 / 1100),
        ("1,234,567 + 1", 1234568),
        ("sum(12, 30, 4)", 46),
        ("sum(100, 200)", 300),
        ("sum(5,10) + 1,234", 1249),
        ("mean(1, 2) + max(3, 4) * -min(5, 6)", 1.5 - 20),
        ("round(2.345, 1)", 2.3),
        ("abs(-3) + count(7, 8)", 5),
    ],
)
def test_numbers(expression: str, value: float) -> None:
    assert calculate(expression).value == pytest.approx(value)


def test_cells_are_found_by_row_and_column_and_cited() -> None:
    result = calculate(f'cell("{LETTERS}", "A", "2021") - cell("{LETTERS}", "A", "2020")', HOUSE)
    assert result.value == 134.5
    assert [item.quote for item in result.evidence] == ["1,234.5", "1,100"]
    assert all(check(item, HOUSE) == item for item in result.evidence)


def test_a_column_leaves_out_rows_of_totals() -> None:
    assert calculate(f'sum(column("{LETTERS}", "2020"))', HOUSE).value == 2000
    assert calculate(f'count(column("{LETTERS}", "Flat"))', HOUSE).value == 2
    assert calculate(f'sum(column("{LETTERS}", "3"))', HOUSE).value == 1184.5


BOOKS = table(
    1,
    1,
    [
        ["Name", "Cash", "Income change 2021", "2021"],
        ["Operating income", "(50)", "1", "10"],
        ["Income", "1.2 million", "2", "20"],
        ["Flat 3", "800 thousand", "3", "30"],
        ["Bob", "-20", "4", "n/a"],
    ],
)
OFFICE = document([BOOKS])


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('cell("p1/table1", "Operating income", "Cash")', -50),
        ('sum(column("p1/table1", "Cash"))', 2_000_000 - 70),
        ('cell("p1/table1", "Income", "2021")', 20),
        ('count(column("p1/table1", "Name"))', 4),
        ('count(column("p1/table1", "2021"))', 4),
        ('mean(column("p1/table1", "2021"))', 20),
    ],
)
def test_cells_are_read_as_people_read_them(expression: str, value: float) -> None:
    assert calculate(expression, OFFICE).value == value


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ('sum(column("p1/table1", "Name"))', "only be counted"),
        ("sum(1,234, 2,345)", "no commas in numbers"),
        ("round(1,234.56, 1)", "no commas in numbers"),
        ("sum(mean(abs(1), 2), 1,234)", "no commas in numbers"),
        ('cell("p1/table2", "A", "x")', "which of 1:p1/table2, 2:p1/table2"),
    ],
)
def test_what_could_mean_two_things_is_not_guessed(expression: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        calculate(expression, *([HOUSE, HOUSE] if "table2" in expression else [OFFICE]))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$(50)", -50),
        ("$ (12,345)", -12345),
        ("($1,234)", -1234),
        ("(3.2)%", -3.2),
        ("−7", -7),
        ("5 €", 5),
        ("1.5 bn", 1.5e9),
        ("Flat 3", None),
        ("–", None),
        ("12 3", None),
    ],
)
def test_the_number_of_a_cell(text: str, number: float | None) -> None:
    assert number_of(text) == number


def test_a_number_that_cannot_be_read_is_not_left_out_of_a_sum() -> None:
    odd = document([table(1, 1, [["Year", "Flour"], ["1900", "12"], ["1901", "15 or 16"]])])
    with pytest.raises(ConfigError, match="15 or 16"):
        calculate('sum(column("p1/table1", "Flour"))', odd)


def test_a_name_of_several_columns_is_answered_with_their_numbers() -> None:
    twice = document([table(1, 1, [["", "Net 2020", "Net 2021"], ["A", "1", "2"]])])
    with pytest.raises(ConfigError, match=r"Net 2020 \(number 2\), Net 2021 \(number 3\)"):
        calculate('sum(column("p1/table1", "Net"))', twice)


def test_tables_of_several_documents_are_told_apart() -> None:
    assert calculate('cell("2:p1/table1", "Income", "2021")', HOUSE, OFFICE).value == 20


def test_a_long_column_costs_little_and_cites_a_few() -> None:
    rows = [["Year", "Flour"], *([str(row), "2"] for row in range(3000))]
    result = calculate('sum(column("p1/table1", "Flour"))', document([table(1, 1, rows)]))
    assert (result.value, len(result.evidence)) == (6000, 8)


def test_each_cell_has_its_range() -> None:
    assert isinstance(RENTS, Table)
    whole = block_text(RENTS)
    for cell in RENTS.cells:
        start, end = cell_ranges(RENTS)[id(cell)]
        assert whole[start:end] == cell.text


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true')",
        "().__class__",
        "2 ** 99999",
        "1 / 0",
        "9e999",
        "open('x')",
        "x",
        "[i for i in (1,)]",
        "True + 1",
        "'a' + 'b'",
        "sum(column('p9/table1', 'x'))",
        f"cell('{LETTERS}', 'C', '2020')",
        f"column('{LETTERS}', '2020')",
        "sum()",
        "(" * 200,
        "1 +" * 400,
        "",
    ],
)
def test_whatever_is_no_arithmetic_is_refused_with_a_reason(expression: str) -> None:
    with pytest.raises(ConfigError) as caught:
        calculate(expression, HOUSE)
    assert caught.value.code == "calculation"
    assert caught.value.hint


@given(
    st.recursive(
        st.integers(0, 999).map(str),
        lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
            "({0[0]} {0[1]} {0[2]})".format
        ),
        max_leaves=8,
    )
)
def test_it_agrees_with_python(expression: str) -> None:
    assert calculate(expression).value == float(
        eval(compile(ast.parse(expression, mode="eval"), "", "eval"))
    )


@given(st.text(max_size=60))
def test_no_text_does_anything_else_than_give_a_number_or_be_refused(expression: str) -> None:
    with contextlib.suppress(ConfigError):
        assert isinstance(calculate(expression, HOUSE).value, float)
