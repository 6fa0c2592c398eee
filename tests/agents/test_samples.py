"""The questions about the samples, asked of a library that holds them all."""

from __future__ import annotations

import pytest

from docpipe.datasets.samples import QUESTIONS, SampleQuestion, samples_folder
from docpipe.library import Library
from docpipe.records import Answer

ANSWERED = [question for question in QUESTIONS if question.answer is not None]
UNANSWERABLE = [question for question in QUESTIONS if question.answer is None]
FLOOR = 25


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library of the sample PDFs, one of them a scan."""
    made = Library.create(tmp_path_factory.mktemp("samples") / "library")
    made.ingest(sorted(samples_folder().glob("*.pdf")), jobs=1)
    return made


def is_right(question: SampleQuestion, answer: Answer, library: Library) -> bool:
    """Whether an answer is given, is short and right, and cites the right page first."""
    if not answer.answerable or question.answer is None:
        return False
    cited = answer.evidence[0]
    shown = (question.shown or question.answer).casefold()
    value = str(answer.value).casefold()
    said = f"{value} {answer.text.partition(':')[0].casefold()}"
    place = (library.document(cited.document).name, cited.page)
    return place == (question.document, question.page) and shown in said and len(value) < 60


def test_most_questions_are_answered_rightly(library: Library) -> None:
    wrong = [
        f"{question.question} {answer.text}"
        for question in ANSWERED
        if not is_right(question, answer := library.ask(question.question), library)
    ]
    assert len(ANSWERED) - len(wrong) >= FLOOR, "\n".join(wrong)


@pytest.mark.parametrize("question", [question.question for question in UNANSWERABLE])
def test_what_the_samples_do_not_say_is_refused(library: Library, question: str) -> None:
    answer = library.ask(question)
    assert not answer.answerable, answer.text
    assert answer.value is None
    assert answer.text.startswith("Not answerable")
