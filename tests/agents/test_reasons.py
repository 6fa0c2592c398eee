"""Why a question is refused: the code for machines, and words for people."""

from __future__ import annotations

import pytest

from docpipe.agents.extractive import ExtractiveReader
from docpipe.records import Answer, RefusalCode
from tests.agents.documents import contents, document, table, text

MILL = document(
    [
        text(1, 1, "Arden Mill", "title"),
        text(1, 2, "The mill of Arden employed 37 people in 1900."),
    ],
    [
        text(2, 1, "Prices", "heading"),
        table(2, 2, [["Article", "Price in EUR"], ["Flour", "4"], ["Total", "2,024"]]),
    ],
)


def refusal(question: str) -> Answer:
    answer = ExtractiveReader().read(contents(MILL), question, question).answer
    assert answer is not None
    assert not answer.answerable, answer.text
    return answer


@pytest.mark.parametrize(
    ("question", "code", "said"),
    [
        ("How many people did the Zarkon mill employ?", "not_mentioned", "do not mention “Zarkon”"),
        ("How many people did the mill employ in 1955?", "not_mentioned", "“1955”"),
        ("Which saw blade fits?", "not_found", "does not say “saw”, “blade”"),
        ("What colour does the arrow have?", "looks", "how something looks"),
    ],
)
def test_a_refusal_says_why(question: str, code: RefusalCode, said: str) -> None:
    answer = refusal(question)
    assert answer.reason == code
    assert answer.text.startswith("Not answerable: ")
    assert said in answer.text
    assert answer.value is None


def test_words_are_shown_as_they_were_asked() -> None:
    assert "“Zarkonian Works”" in refusal("Who leads the Zarkonian Works?").text


@pytest.mark.parametrize(
    "question",
    [
        "What is the total of the contract?",  # a total, but of something else
        "What did the olive oil cost?",  # an amount, of nothing that is named
    ],
)
def test_a_value_of_something_else_is_no_answer(question: str) -> None:
    refusal(question)


def test_the_nearest_evidence_comes_with_it() -> None:
    answer = refusal("How many people did the mill employ in 1955?")
    assert "37 people" in answer.evidence[0].quote
    assert answer.confidence < 0.09
