"""Confidence fitted without the document that is judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from docpipe.bench.agent_arms import Asked, Scoped, ask_all
from docpipe.bench.agent_confidence import fit, left_out
from docpipe.bench.task import Options
from docpipe.datasets.questions.mmlongbench import Sample
from docpipe.library import Library
from tests.pdfs import write_pdf


def test_weights_that_made_the_labels_are_found_again() -> None:
    draw = np.random.default_rng(1)
    features = draw.random((4000, 2))
    true = np.array([-1.0, 3.0, -2.0])
    chances = 1 / (1 + np.exp(-(features @ true[1:] + true[0])))
    assert fit(features, chances) == pytest.approx(true, abs=0.15)


def key(name: str, question: str, answer: str) -> Sample:
    return Sample(f"{name}.pdf", "Report", question, answer, "[1]", "['Table']", "Int")


def asked_about(tmp_path: Path, told: dict[str, int]) -> tuple[list[Sample], list[Asked], Library]:
    for name, count in told.items():
        write_pdf(tmp_path / "in" / f"{name}.pdf", [f"The {name} employed {count} people."])
    library = Library.create(tmp_path / "lib")
    library.ingest(tmp_path / "in", jobs=1)
    keys = [key(name, f"How many people did the {name} employ?", "37") for name in told]
    return keys, ask_all("agent", library.agent, keys, Scoped(library), Options()), library


def test_each_document_is_judged_by_what_the_others_taught(tmp_path: Path) -> None:
    told = {"mill": 37, "farm": 37, "ship": 37, "inn": 12}
    keys, asked, library = asked_about(tmp_path, told)
    answers = left_out(keys, asked, library, 0.0)
    assert [answer.value for answer in answers] == [37, 37, 37, 12]
    # The inn's answer is wrong, and only the inn is judged without knowing it.
    sure = dict(zip(told, (answer.confidence for answer in answers), strict=True))
    assert sure["inn"] > max(sure["mill"], sure["farm"], sure["ship"])
    assert {answer.answerable for answer in left_out(keys, asked, library, 1.1)} == {False}


def test_a_question_without_pages_keeps_its_answer(tmp_path: Path) -> None:
    keys, asked, library = asked_about(tmp_path, {"mill": 37, "farm": 12})
    none = [Asked(item.document, item.question, (), item.answer, 0.1) for item in asked]
    assert left_out(keys, none, library, 0.5) == [item.answer for item in asked]
