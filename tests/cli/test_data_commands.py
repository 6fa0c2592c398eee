"""`docpipe data`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymupdf

from docpipe.datasets.kie import read_jsonl
from docpipe.datasets.questions.record import read_jsonl as read_questions
from docpipe.datasets.questions.synthesis import replay
from docpipe.datasets.samples import samples_folder
from docpipe.library import Library

if TYPE_CHECKING:
    Docpipe = Callable[..., Any]


def test_data_kie_writes_labels_and_pdfs(docpipe: Docpipe, tmp_path: Path) -> None:
    options = ("--schema", "receipt", "-n", 2, "--seed", 3, "--split", "test", "--pdf")
    run = docpipe("data", "kie", *options, "-o", tmp_path)
    assert run.code == 0
    documents = read_jsonl(tmp_path / "test.jsonl")
    assert [document.key for document in documents] == ["receipt-test-3-0", "receipt-test-3-1"]
    for document in documents:
        with pymupdf.open(tmp_path / "test" / f"{document.key}.pdf") as pdf:
            assert len(pdf) == len(document.pages)


def test_data_kie_names_the_schemas_it_knows(docpipe: Docpipe, tmp_path: Path) -> None:
    run = docpipe("data", "kie", "--schema", "menu", "-o", tmp_path)
    assert run.code == 2
    assert "invoice, id, form, receipt" in run.err


def test_data_questions_writes_what_can_be_made_again(docpipe: Docpipe, tmp_path: Path) -> None:
    library, target = tmp_path / "library", tmp_path / "questions.jsonl"
    manual = samples_folder() / "manual.pdf"
    assert docpipe("ingest", manual, "--library", library, "--jobs", 1).code == 0
    run = docpipe("data", "questions", library, "-o", target, "-n", 2, "--kind", "cell")
    assert run.code == 0
    assert "2 cell" in run.out
    made = list(read_questions(target))
    assert [replay(question, Library.open(library)) for question in made] == made
    unknown = docpipe("data", "questions", library, "-o", target, "--kind", "riddle")
    assert unknown.code == 2
    assert "riddle" in unknown.err
