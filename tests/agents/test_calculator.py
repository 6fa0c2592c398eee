"""Arithmetic over numbers and cells: what it gives, what it rests on, and what it refuses."""

from __future__ import annotations

import ast
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.agents.calculator import calculate, cell_range
from docpipe.agents.verifier import check
from docpipe.content import block_text
from docpipe.errors import ConfigError
from docpipe.records import Table
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


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("(1,234.5 - 1100) / 1100", 134.5 / 1100),
        ("1,234,567 + 1", 1234568),
        ("sum(12, 30, 4)", 46),
        ("sum(100,200)", 300),
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
    assert calculate(f'max(column("{LETTERS}", "3"))', HOUSE).value == 1234.5


def test_each_cell_has_its_range() -> None:
    assert isinstance(RENTS, Table)
    whole = block_text(RENTS)
    for cell in RENTS.cells:
        start, end = cell_range(RENTS, cell)
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
