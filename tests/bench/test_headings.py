"""The bench of headings: bookmarks against what is found without them."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from docpipe.bench.headings import Heading, run, score
from docpipe.bench.task import Options
from docpipe.errors import ConfigError

WANTED = [Heading(1, 1, "1 Scope"), Heading(2, 2, "1.1 Details"), Heading(3, 1, "Appendix A: Maps")]


def test_numbers_and_case_do_not_matter_and_levels_count_by_direction() -> None:
    found = [Heading(1, 2, "SCOPE"), Heading(2, 3, "Details"), Heading(3, 2, "A. Maps")]
    assert score(WANTED, found) == {"f1": 1.0, "precision": 1.0, "recall": 1.0, "levels": 1.0}


def test_missed_made_up_and_flat_headings_cost() -> None:
    found = [Heading(1, 1, "Scope"), Heading(2, 1, "Details"), Heading(2, 1, "See below")]
    scores = score(WANTED, found)
    assert scores["precision"] == scores["recall"] == pytest.approx(2 / 3)
    assert scores["levels"] == 0.0


def test_headings_outside_the_bookmarks_do_not_count() -> None:
    assert score(WANTED, [Heading(9, 1, "Index")])["precision"] == 0.0
    assert score(WANTED[:1], [Heading(1, 1, "Scope"), Heading(9, 1, "Index")])["precision"] == 1.0


def test_documents_with_bookmarks_are_measured(tmp_path: Path) -> None:
    drawn = pymupdf.open()
    names = ["Scope", "Method", "Costs", "Findings", "Outlook", "Sources"]
    for name in names:
        page = drawn.new_page()
        page.insert_text((50, 60), name, fontsize=18)
        lines = [f"{name} is what the board of the river spoke about.", "It met in the morning."]
        page.insert_text((50, 300), lines, fontsize=10)
    drawn.set_toc([[1, name, number] for number, name in enumerate(names, 1)])
    drawn.save(tmp_path / "report.pdf")

    measured = run(tmp_path, Options())
    assert [(row.name, row.scores["f1"]) for row in measured.rows] == [("report.pdf", 1.0)]


def test_a_folder_without_bookmarks_is_an_error(tmp_path: Path) -> None:
    drawn = pymupdf.open()
    drawn.new_page()
    drawn.save(tmp_path / "plain.pdf")
    with pytest.raises(ConfigError):
        run(tmp_path, Options())
