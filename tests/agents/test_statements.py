"""Ratios over the rows of financial statements: right, signed, shown with their parts."""

from __future__ import annotations

import pytest

from docpipe.agents.statements import asked_formula, compute
from docpipe.records import Document
from tests.agents.documents import contents, document, table, text

FILLING = [[f"Other item {n}", f"{n + 100}", f"{n + 200}"] for n in range(20)]
REPORT: Document = document(
    [
        text(1, 1, "Consolidated balance sheets (in millions)"),
        table(
            1,
            2,
            [
                ["", "2021", "2020"],
                ["Total current assets", "300", "280"],
                ["Total assets", "900", "800"],
                ["Total current liabilities", "150", "140"],
                ["Total liabilities", "600", "500"],
                ["Long-term debt", "240", "250"],
                *FILLING,
            ],
        ),
    ],
    [
        text(2, 1, "Consolidated statements of income (in millions)"),
        table(
            2, 2, [["", "2021", "2020"], ["Net income", "(45)", "40"], ["Tax", "1", "2"], *FILLING]
        ),
    ],
)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the current ratio in 2021?", 2.0),
        ("What is the return on assets in 2020?", 0.05),
        ("What is the return on assets in 2021?", -0.05),
        ("What is total debt to total assets in 2021? Round to two decimals.", 0.27),
        ("What are the total long-term liabilities for 2021?", 450.0),
    ],
)
def test_a_figure_is_computed_from_rows_of_the_year(question: str, value: float) -> None:
    formula = asked_formula(question)
    assert formula is not None
    computed = compute(formula, question, contents(REPORT))
    assert computed is not None
    assert computed.value == value
    assert all(part.text in computed.text for part in computed.operands)


@pytest.mark.parametrize(
    "question",
    [
        "What is the current ratio in 1999?",
        "What is the interest coverage in 2021?",
        "What is the ratio of operating cash flow to total debt in 2021?",
    ],
)
def test_nothing_is_computed_without_its_parts(question: str) -> None:
    formula = asked_formula(question)
    assert formula is not None
    assert compute(formula, question, contents(REPORT)) is None
