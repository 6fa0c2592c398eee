"""Questions of benchmarks are read with the gold pages that exist."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docpipe.datasets.questions.checking import problem
from docpipe.datasets.questions.longdocurl import read_longdocurl
from docpipe.datasets.questions.mmlongbench import Sample, gold_question
from docpipe.errors import SchemaError
from docpipe.records import Document
from tests.datasets.questions.documents import MILLS, MemoryLibrary


def find(name: str) -> Document | None:
    return MILLS if name in ("mills.pdf", "4000938.pdf") else None


def test_mmlongbench_samples_keep_their_key() -> None:
    sample = Sample("mills.pdf", "Report", " How many? ", "2", "[3, 9]", "['Table']", "Int")
    question = gold_question(sample, 5, MILLS)
    assert question.pages == (("aaaa", 3),)
    assert (question.question, question.answer, question.format) == ("How many?", "2", "Int")
    assert problem(question, MemoryLibrary(MILLS)) == ""


def test_mmlongbench_refusals_have_no_gold_pages() -> None:
    sample = Sample("mills.pdf", "Report", "Who?", "Not answerable", "[1]", "[]", "None")
    question = gold_question(sample, 0, MILLS)
    assert not question.answerable
    assert question.pages == ()
    assert problem(question, MemoryLibrary(MILLS)) == ""


def released(**changes: object) -> str:
    line = {
        "question_id": "q1",
        "doc_no": "4000938",
        "total_pages": 4,
        "question": "Which weirs?",
        "answer": ["Stone weir", "Timber weir"],
        "answer_format": "List",
        "evidence_pages": [3, 80],
    }
    return json.dumps(line | changes)


def test_longdocurl_pages_are_counted_from_one(tmp_path: Path) -> None:
    path = tmp_path / "LongDocURL.jsonl"
    path.write_text(f"{released()}\n{released(doc_no='4000001')}\n", "utf-8")
    (question,) = read_longdocurl(path, find)
    assert question.pages == (("aaaa", 4),)
    assert question.answer == "['Stone weir', 'Timber weir']"
    (from_one,) = read_longdocurl(path, find, first_page=1)
    assert from_one.pages == (("aaaa", 3),)


def test_longdocurl_tells_the_line_that_does_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "LongDocURL.jsonl"
    path.write_text(f"{released()}\n{released(question=None)}\n", "utf-8")
    with pytest.raises(SchemaError, match="line 2"):
        list(read_longdocurl(path, find))
