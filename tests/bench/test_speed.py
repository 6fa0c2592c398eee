"""The bench of speed on documents made here."""

from __future__ import annotations

from pathlib import Path

import pytest

from docpipe.bench import speed
from docpipe.bench.task import Options
from docpipe.errors import ConfigError
from docpipe.pdf import open_document
from tests.pdfs import write_pdf


def test_every_part_gives_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "LENGTHS", (2, 6))
    monkeypatch.setattr(speed, "_RUNS", 1)
    (tmp_path / "pdfs").mkdir()
    write_pdf(tmp_path / "pdfs" / "one.pdf", ["first", "second"])
    measured = speed.run(tmp_path, Options())
    scores = {name: value for row in measured.rows for name, value in row.scores.items()}
    pages = [row.info["pages"] for row in measured.rows if "pages" in row.info]
    assert pages == [2, 2]  # with one worker and with two
    for name in ("jobs1.pages_per_s", "jobs2.cpu_s", "pages2.work_ms", "pages6.cpu_ms"):
        assert scores[name] > 0
    assert 10 < scores["jobs1.parent_mb"] < 500
    assert scores["one_page.cpu_s"] > scores["help.cpu_s"] > 0
    assert scores["boxes.cpu_s"] > 0


def test_the_page_of_boxes_has_as_many_words(tmp_path: Path) -> None:
    speed.write_boxes(tmp_path / "boxes.pdf", 120)
    with open_document(tmp_path / "boxes.pdf") as document:
        page = document.page(1)
        assert len(page.words()) == 120
        assert len(page.drawings()) >= 120


def test_a_folder_without_documents_and_an_unknown_part_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no PDFs"):
        speed.run(tmp_path, Options(parts=("ingest",)))
    with pytest.raises(ConfigError, match="weight"):
        speed.run(tmp_path, Options(parts=("weight",)))
