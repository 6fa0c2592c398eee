from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from docpipe.bench.ablation import STEPS, Step, left_out, run
from docpipe.bench.task import Options
from tests.bench.test_parse import write_set


def _write_page(path: Path) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((72, 90), "The work on the bridge", fontsize=20)
        for line in range(12):
            page.insert_text((72, 130 + 13 * line), f"A line of the text, number {line},")
            page.insert_text((320, 130 + 13 * line), f"and the column beside it, {line},")
        pdf.save(path)


def test_a_score_falls_without_the_step_that_earned_it(tmp_path: Path) -> None:
    left = " ".join(f"A line of the text, number {line}," for line in range(12))
    right = " ".join(f"and the column beside it, {line}," for line in range(12))
    write_set(tmp_path, {"page": f"# The work on the bridge\n\n{left}\n\n{right}"})
    _write_page(tmp_path / "pdfs" / "page.pdf")
    (row,) = run(tmp_path, Options()).rows
    scores = row.scores
    assert scores["all.mhs"] > scores["without headings.mhs"] == 0.0
    assert scores["all.nid"] > scores["without reading order by columns.nid"]
    assert scores["without hyphens.overall"] == scores["all.overall"]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_step_is_left_out_where_it_is_called_and_back_afterwards(step: Step) -> None:
    import importlib

    places = [
        (importlib.import_module(f"docpipe.parsers.native.{module}"), name)
        for module, name in step.places
    ]
    before = [getattr(module, name) for module, name in places]
    with left_out(step):
        assert all(getattr(module, name) is step.instead for module, name in places)
    assert [getattr(module, name) for module, name in places] == before
