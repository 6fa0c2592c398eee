from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest

from docpipe.bench import retrieval
from docpipe.bench.task import Options
from docpipe.config import Config
from docpipe.errors import ConfigError
from docpipe.retrieval import words

PAGES = [
    "The red mill stands by the river.",
    "Its owner is Jane Roe.",
    "Tax returns are due in May.",
]


def sample(
    question: str, pages: list[int], *, answer: str = "x", kind: str = "Table"
) -> dict[str, str]:
    return {
        "doc_id": "mill.pdf",
        "doc_type": "Report",
        "question": question,
        "answer": answer,
        "evidence_pages": str(pages),
        "evidence_sources": str([kind]),
        "answer_format": "Str",
    }


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "documents").mkdir()
    with pymupdf.open() as pdf:
        for text in PAGES:
            pdf.new_page().insert_text((72, 72), text)
        pdf.save(tmp_path / "documents" / "mill.pdf")
    return tmp_path


def test_recall_of_gold_pages(data: Path) -> None:
    samples = [
        sample("Who is the owner?", [2], kind="Pure-text (Plain-text)"),
        sample("Where is the red mill?", [1, 3]),
        sample("What is on page 3?", [99]),
        sample("How tall is it?", [1], answer="Not answerable"),
    ]
    (data / "samples.json").write_text(json.dumps(samples))
    measured = retrieval.run(data, Options(config=Config(ocr_mode="off")))
    assert [row.scores["recall_at_1"] for row in measured.rows] == [1.0, 0.5]
    owner, mill = measured.rows
    assert owner.scores["recall_at_5.text"] == owner.scores["recall_at_5.single"] == 1.0
    assert mill.scores["recall_at_5.cross"] == mill.scores["recall_at_5.table"]
    assert owner.scores["library_recall_at_1"] == 1.0
    assert mill.info["gold"] == "1 3"
    assert mill.group == "mill.pdf"
    assert owner.scores["recall_at_1 all"] == owner.scores["recall_at_1"]
    for step in ("without OCR", "without named places", "with terms of the best pages"):
        assert 0 <= mill.scores[f"recall_at_5 {step}"] <= 1
        change = mill.scores[f"recall_at_5 {step}"] - mill.scores["recall_at_5 all"]
        assert mill.scores[f"change_at_5 {step}"] == pytest.approx(change)


def test_a_step_left_out_or_added_changes_what_is_found(data: Path) -> None:
    samples = [
        sample("What is on page 3?", [3]),
        sample("Which return?", [3]),
        sample("Who owns it?", [2]),
    ]
    (data / "samples.json").write_text(json.dumps(samples))
    config = Config(ocr_mode="off")
    place, form, owner = retrieval.run(data, Options(config=config, parts=("steps",))).rows
    assert place.scores["recall_at_1 all"] == 1.0
    assert place.scores["recall_at_1 without named places"] == 0.0
    assert place.scores["recall_at_1 without any of these fields"] == 0.0
    assert form.scores["recall_at_1 all"] == 1.0
    assert form.scores["recall_at_1 without other forms"] == 0.0
    assert "recall_at_5" not in owner.scores
    assert words.other_forms("rivers")
    with pytest.raises(ConfigError, match="pages, steps"):
        retrieval.run(data, Options(config=config, parts=("moon",)))


def test_data_without_samples_is_refused(data: Path) -> None:
    with pytest.raises(ConfigError, match=r"samples\.json"):
        retrieval.run(data, Options(config=Config(ocr_mode="off")))
