"""What questions ask for, in users' wordings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.agents.question import Kind, analyse
from docpipe.records import AnswerFormat


@pytest.mark.parametrize(
    ("question", "kind", "form"),
    [
        ("How many warehouses did the company operate in 2021?", "count", "int"),
        ("What percentage of adults voted?", "percentage", "float"),
        ("How much did the company spend on repairs?", "money", "float"),
        ("When was the contract signed?", "date", "str"),
        ("In what year was the mill built?", "date", "str"),
        ("Who signed the complaint?", "person", "str"),
        ("Where is the head office?", "place", "str"),
        ("Is the device waterproof?", "yes_no", "str"),
        ("Does it float? Answer 'yes' or 'no'.", "yes_no", "str"),
        ("On which side is the menu? Answer 'left' or 'right'.", "choice", "str"),
        ("What are the members of the board?", "list", "list"),
        ("List all countries that took part.", "list", "list"),
        ("Which model is best? Answer in a list format.", "what", "list"),
        ("What is the e-mail address of the office?", "contact", "str"),
        ("Why did sales fall?", "reason", "str"),
        ("What is a chunk?", "what", "str"),
        ("Total length?", "measure", "str"),
    ],
)
def test_kinds_and_formats(question: str, kind: Kind, form: AnswerFormat) -> None:
    asked = analyse(question)
    assert (asked.kind, asked.format) == (kind, form)


def test_names_are_what_evidence_must_mention() -> None:
    asked = analyse("In FY2021, what did Recruiter A of 'Best Buy' say about code AR01?")
    assert set(asked.names) == {"2021", "Recruiter A", "Best Buy", "AR01"}
    assert {"recruiter", "a", "best", "buy", "2021"} <= set(asked.terms)


def test_instructions_on_the_form_of_the_answer_are_not_its_subject() -> None:
    asked = analyse('How many people work there? Please write the answer as an integer, e.g. "3".')
    assert asked.text == "How many people work there?"
    assert asked.names == ()
    assert asked.format == "int"


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("What is on page 12 and slide 14?", ("12", "14")),
        ("Who signed on page iv?", ("iv",)),
        ("What date is on the second page?", ("2",)),
        ("What is said about pages?", ()),
    ],
)
def test_pages_named(question: str, pages: tuple[str, ...]) -> None:
    assert analyse(question).pages == pages


@pytest.mark.parametrize(
    ("question", "visual", "derived"),
    [
        ("What is the colour of the line?", True, False),
        ("How many people are in the picture?", True, False),
        ("How much higher is revenue than in 2020?", False, True),
        ("What is the ratio of debt to total assets?", False, True),
        ("What is the revenue?", False, False),
    ],
)
def test_what_text_alone_cannot_settle(question: str, visual: bool, derived: bool) -> None:
    asked = analyse(question)
    assert (asked.visual, asked.derived) == (visual, derived)


@given(st.text())
def test_any_question_can_be_taken_apart(question: str) -> None:
    asked = analyse(question)
    assert all(term for term in asked.terms)
