"""When a value is right, and F1 over documents."""

from __future__ import annotations

import pytest

from docpipe.parsers.entities.schema import find_schema
from docpipe.parsers.entities.values.assembly import make_field
from docpipe.parsers.entities.values.reading import Context, context_of
from docpipe.parsers.entities.values.scoring import is_right, score_values
from docpipe.records import Field
from tests.parsers.entities.values.page import entity

SCHEMA = find_schema("receipt")


def field(label: str, text: str, context: Context | None = None) -> Field:
    return make_field([entity(label, text, 40, 20)], SCHEMA.spec(label), context or Context())


@pytest.mark.parametrize(
    ("label", "printed", "gold", "right"),
    [
        ("total", "RM 9.00", "9.00", True),
        ("total", "9.00", "9.10", False),
        ("total", "TOTAL", "9.00", False),
        ("date", "25/12/2018 20:13", "25/12/2018", True),
        ("date", "25.12.18", "2018-12-25", True),
        ("date", "03/04/2018", "03/04/2018", True),
        ("date", "03/04/2018", "04/03/2018", False),
        ("company", "North Mills Sdn. Bhd. (12345-X)", "NORTH MILLS SDN BHD", True),
        ("company", "NORTH MILL", "NORTH MILLS", False),
    ],
)
def test_right_values(label: str, printed: str, gold: str, right: bool) -> None:
    assert is_right(field(label, printed), gold, SCHEMA.spec(label), Context()) is right


def test_f1_counts_what_is_wrong_missing_and_too_much() -> None:
    context = context_of([])
    documents = [
        (
            [field("total", "9.00"), field("date", "25/12/2018")],
            {"total": "9.00", "date": "26/12/2018"},
        ),
        ([field("total", "7.00")], {"total": "7.00", "company": "NORTH MILLS", "address": ""}),
    ]
    scores = score_values([(*each, context) for each in documents], SCHEMA)
    assert scores.fields == {"company": 0.0, "date": 0.0, "total": 1.0}
    assert scores.micro == pytest.approx(2 * 2 / (3 + 4))
