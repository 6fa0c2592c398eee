"""The answer bench: what it counts, on answers given by hand."""

from __future__ import annotations

import pytest

from docpipe.bench.answers import ask_all, figures, measure
from docpipe.bench.task import Options
from docpipe.datasets.matching import GoldFormat
from docpipe.datasets.questions.mmlongbench import Sample
from docpipe.geometry import BBox
from docpipe.records import Answer, Evidence, Region


def sample(question: str, answer: str, form: GoldFormat, pages: str = "[2]") -> Sample:
    sources = "['Table', 'Pure-text (Plain-text)']" if form != "None" else "[]"
    return Sample("a.pdf", "Report", question, answer, pages, sources, form)


def answered(value: int, page: int) -> Answer:
    region = Region(page, BBox(0, 0, 1, 1))
    evidence = Evidence("0" * 16, page, str(page), f"p{page}/text1", (region,), "seven", 1.0)
    return Answer(str(value), value, "int", True, (evidence,), 0.9)


REFUSED = Answer("Not answerable: …", None, "none", False, (), 0.8)
KEYS = [
    sample("right?", "7", "Int"),
    sample("wrong?", "8", "Int"),
    sample("refused?", "9", "Int"),
    sample("no answer?", "Not answerable", "None", "[]"),
    sample("invented?", "Not answerable", "None", "[]"),
]
ANSWERS = {
    "right?": answered(7, page=2),
    "wrong?": answered(7, page=3),
    "refused?": REFUSED,
    "no answer?": REFUSED,
    "invented?": answered(7, page=2),
}


def test_scores_stand_only_where_they_apply() -> None:
    outcomes = ask_all(KEYS, [], lambda _, question: ANSWERS[question], Options())
    scores = [measure(outcome).scores for outcome in outcomes]

    def column(name: str) -> list[float | None]:
        return [row.get(name) for row in scores]

    assert column("accuracy") == [1, 0, 0, 1, 0]
    assert column("accuracy.table") == column("accuracy.text") == [1, 0, 0, None, None]
    assert column("accuracy.none") == [None, None, None, 1, 0]
    assert column("always refuse") == [0, 0, 0, 1, 1]
    assert column("refusals right") == [None, None, 0, 1, None]
    assert column("refusals made") == [None, None, None, 1, 0]
    assert column("cited gold page") == [1, 0, None, None, None]
    # recall 1 of 3 answerable; 3 answers given
    assert figures(outcomes) == {"f1": pytest.approx(1 / 3)}


def test_v2_keys_are_a_second_number_and_their_own_questions_are_asked_too() -> None:
    keys_v2 = [sample("right?", "6", "Int"), sample("new?", "7", "Int")]
    asked = []

    def ask(document: str, question: str) -> Answer:
        asked.append((document, question))
        return answered(7, page=2)

    outcomes = ask_all(KEYS[:1], keys_v2, ask, Options())
    assert asked == [("a.pdf", "right?"), ("a.pdf", "new?")]
    both, only_v2 = (measure(outcome).scores for outcome in outcomes)
    assert (both["accuracy"], both["accuracy.v2"]) == (1, 0)
    assert "accuracy" not in only_v2
    assert only_v2["accuracy.v2"] == 1
    assert figures(outcomes) == {"f1": 1.0, "f1.v2": pytest.approx(0.5)}


def test_a_row_shows_what_was_said_beside_the_key() -> None:
    (outcome,) = ask_all(KEYS[:1], [], lambda _, question: ANSWERS[question], Options())
    row = measure(outcome)
    assert row.group == "a.pdf"
    assert row.info == {"key": "7", "said": 7, "cited": "2", "confidence": 0.9}
