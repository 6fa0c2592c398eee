"""Scores of the MMLongBench-Doc matcher, computed by hand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.bench.mmlongbench import (
    FAILED,
    accuracy,
    breakdown,
    f1,
    judge,
)
from docpipe.datasets.matching import (
    NOT_ANSWERABLE,
    GoldFormat,
    Prediction,
    prediction_of,
    score,
)
from docpipe.datasets.questions.mmlongbench import Sample, load_samples
from docpipe.errors import SchemaError
from docpipe.records import Answer


def sample(answer: str, form: GoldFormat, pages: str = "[1]", sources: str = "['Table']") -> Sample:
    return Sample("a.pdf", "Report", "How many?", answer, pages, sources, form)


@pytest.mark.parametrize(
    ("gold", "prediction", "form", "expected"),
    [
        ("7", 7, "Int", 1.0),
        ("7", "7.9", "Int", 1.0),  # cut to a whole number
        ("7", "8", "Int", 0.0),
        ("7", "seven", "Int", 0.0),
        ("7", "1,007", "Int", 0.0),  # no thousands separators
        ("GPT-4", "GPT-4", "Int", 0.0),  # a key that is no integer cannot be met
        ("7", ["7"], "Int", 0.0),
        ("18.29%", 18.29, "Float", 1.0),
        ("18.29%", "$0.1829", "Float", 1.0),  # a hundredth
        ("0.21", "21%", "Float", 1.0),  # a hundred times
        ("100", "100.9", "Float", 1.0),  # within 1 %
        ("100", "101.5", "Float", 0.0),
        ("0.004", "0.0", "Float", 1.0),  # equal with two decimals
        ("2.5-3", "2.5", "Float", 0.0),
        ("21", "many", "Float", 0.0),
        ("Europe", "europe ", "Str", 1.0),
        ("Europe (EU)", "'Europe'", "Str", 1.0),
        ("kitten", "kitty", "Str", 1 - 2 / 6),
        ("abcd", "ab", "Str", 0.0),  # similarity of one half does not count
        ("", "", "Str", 1.0),
        ("Page 3", "page 4", "Str", 0.0),  # exact token
        ("2009-07", "2009-08", "Str", 0.0),
        ("01983 873655", "01983 873656", "Str", 0.0),
        ("a@b.org", "a@b.com", "Str", 0.0),
        ("9 a.m.", "8 a.m.", "Str", 0.0),
        ("train.py", "brain.py", "Str", 0.0),
        (NOT_ANSWERABLE, NOT_ANSWERABLE, "None", 1.0),
        (NOT_ANSWERABLE, "answerable", "None", 1 - 4 / 14),
        ("['b', 'a']", ["A", "B"], "List", 1.0),
        ("['kitten', 'b']", "['b', 'kitty']", "List", 1 - 2 / 6),  # the worst pair counts
        ("['a', 'b']", ["a"], "List", 0.0),
        ("['46', '27']", ["27", "46"], "List", 1.0),
        ("['46', '27']", ["27", "46.0"], "List", 0.0),  # numbers must be written alike
        ("['46%', '27%']", ["27", "46"], "List", 1.0),
        ("0.66", "0.66", "List", 1.0),
        ("['a', 'b']", "[a, b", "List", 0.0),  # no literal, and never evaluated
    ],
)
def test_scores(gold: str, prediction: Prediction, form: GoldFormat, expected: float) -> None:
    assert score(gold, prediction, form) == pytest.approx(expected)


def test_v2_keys_allow_alternatives() -> None:
    either = sample("Not answerable or 0 or none", "None")
    assert not either.answerable
    assert judge(either, "0").score == judge(either, NOT_ANSWERABLE).score == 1.0
    assert judge(either, "5").score == 0.0


@given(st.text(), st.one_of(st.text(), st.integers(), st.floats(), st.lists(st.text())))
def test_any_prediction_gets_a_score_in_range(gold: str, prediction: Prediction) -> None:
    for form in ("Int", "Float", "Str", "List", "None"):
        assert 0.0 <= score(gold, prediction, form) <= 1.0  # type: ignore[arg-type]


@given(st.text())
def test_a_string_equals_itself(text: str) -> None:
    assert score(text, text, "Str") == 1.0


def test_accuracy_and_f1_by_hand() -> None:
    scored = [
        judge(sample("7", "Int"), 7),  # right
        judge(sample("8", "Int"), 9),  # wrong
        judge(sample("9", "Int"), NOT_ANSWERABLE),  # refused although answerable
        judge(sample(NOT_ANSWERABLE, "None", "[]", "[]"), NOT_ANSWERABLE),
        judge(sample(NOT_ANSWERABLE, "None", "[]", "[]"), FAILED),
    ]
    assert accuracy(scored) == pytest.approx(2 / 5)
    # recall 1/3; three predictions are not "Not answerable": precision 1/3
    assert f1(scored) == pytest.approx(1 / 3)
    # not in v1 mode, "Fail to answer" is silence: precision 1/2
    assert f1(scored, v1=False) == pytest.approx(2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))
    assert f1([]) == accuracy([]) == 0.0


def test_always_refusing_scores_the_unanswerable_share_and_no_f1() -> None:
    scored = [judge(sample("7", "Int"), NOT_ANSWERABLE)] * 4
    scored += [judge(sample(NOT_ANSWERABLE, "None"), NOT_ANSWERABLE)]
    assert accuracy(scored) == pytest.approx(0.2)
    assert f1(scored) == 0.0


def test_breakdown_counts_a_sample_under_each_of_its_sources() -> None:
    scored = [
        judge(sample("7", "Int", "[1, 2]", "['Table', 'Chart']"), 7),
        judge(sample("7", "Int", "[1]", "['Table']"), 8),
        judge(sample(NOT_ANSWERABLE, "None", "[]", "[]"), NOT_ANSWERABLE),
    ]
    parts = breakdown(scored)
    assert parts["evidence"] == {"Chart": 1.0, "Table": 0.5}
    assert parts["format"] == {"Int": 0.5, "None": 1.0}
    assert parts["pages"] == {"cross": 1.0, "single": 0.0, "unanswerable": 1.0}


def test_predictions_of_answers() -> None:
    typed = Answer("It ran 37 mills.", 37, "int", True, (), 0.9)
    worded = Answer("By water.", None, "none", True, (), 0.9)
    refused = Answer("Not answerable: …", None, "none", False, (), 0.9)
    assert [prediction_of(answer) for answer in (typed, worded, refused)] == [
        37,
        "By water.",
        NOT_ANSWERABLE,
    ]


def test_samples_are_read_as_released() -> None:
    row = {
        "doc_id": "a.pdf",
        "doc_type": "Report",
        "question": "How many?",
        "answer": "7",
        "evidence_pages": "[3, 5]",
        "evidence_sources": "['Pure-text (Plain-text)']",
        "answer_format": "Int",
    }
    (read,) = load_samples(json.dumps([row]).encode())
    assert (read.answer, read.pages, read.sources) == ("7", (3, 5), ("Pure-text (Plain-text)",))
    with pytest.raises(SchemaError):
        load_samples(b"{}")
