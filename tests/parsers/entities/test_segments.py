"""Runs of words: what is one entity to the model."""

from __future__ import annotations

from docpipe.geometry import BBox
from docpipe.parsers.entities.segments import segments
from docpipe.records import Page, Word

WORDS = (
    ("Name:", 20.0, 50.0),
    ("Anna", 54.0, 78.0),
    ("Keller", 82.0, 110.0),
    ("Town", 119.0, 140.0),
)


def texts(*, form: bool, gap: float = 0.0) -> list[str]:
    """Texts of the segments, "Town" moved to the right by `gap`."""
    words = tuple(
        Word(text, BBox(x0, 20, x1, 30) if text != "Town" else BBox(x0 + gap, 20, x1 + gap, 30))
        for text, x0, x1 in WORDS
    )
    return [segment.text for segment in segments(Page(1, "1", 300, 200, words=words), form=form)]


def test_on_forms_questions_and_answers_come_apart() -> None:
    assert texts(form=False) == ["Name: Anna Keller Town"]
    assert texts(form=True) == ["Name:", "Anna Keller", "Town"]


def test_a_wide_gap_parts_two_columns() -> None:
    assert texts(form=False, gap=10.0) == ["Name: Anna Keller", "Town"]
