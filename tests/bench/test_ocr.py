"""The bench of OCR engines: what is taken for the truth, and how errors are counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docpipe.bench import ocr
from docpipe.bench.task import Options
from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.pdf import open_document
from docpipe.records import Word

PROSE = "It is known that the level of the river was read from the bridge and not from the wall. "


def write(path: Path, text: str, *, width: float = 595, height: float = 842) -> None:
    path.parent.mkdir(exist_ok=True)
    page: Any = pymupdf.open().new_page(width=width, height=height)
    page.insert_textbox((50, 50, width - 50, height - 50), text, fontsize=11)
    page.parent.save(path)


def word(text: str, x: float, y: float) -> Word:
    return Word(text, BBox(x, y, x + 8 * len(text), y + 10))


def test_pages_are_drawn_evenly_from_the_kinds(tmp_path: Path) -> None:
    for number in range(4):
        write(tmp_path / "pdfs" / f"a{number}.pdf", PROSE * 8)
        write(tmp_path / "pdfs" / f"s{number}.pdf", PROSE * 4, width=800, height=500)
        write(tmp_path / "pdfs" / f"t{number}.pdf", "Mill 12 41.5 Weir 7 " * 20)
        write(tmp_path / "other" / f"x{number}.pdf", PROSE * 8)
    write(tmp_path / "documents" / "short.pdf", PROSE)
    picked = ocr.pick(tmp_path, Options(limit=6))
    assert sorted(sample.kind for sample in picked) == sorted(["slides", "tables", "text"] * 2)
    assert picked == ocr.pick(tmp_path, Options(limit=6))
    assert len(ocr.pick(tmp_path, Options())) == 12
    with pytest.raises(ConfigError):
        ocr.run(tmp_path / "documents", Options())


def test_errors_are_counted_line_by_line_in_any_order() -> None:
    lines = [[word("left", 50, 100), word("side", 90, 100)], [word("right", 300, 100)]]
    truth = ocr.Truth(lines, "leftsideright")
    assert truth.characters == 13
    same = [word("right", 300, 101), word("left", 50, 99), word("side", 90, 100)]
    assert ocr.errors(truth, same) == 0
    assert ocr.errors(truth, same[:2]) == 4
    assert ocr.errors(truth, [*same, word("speck", 50, 400)]) == 5
    assert ocr.errors(truth, [word("rlght", 300, 100), *same[1:]]) == 1


def test_quotes_dashes_and_ligatures_are_no_errors() -> None:
    assert ocr.fold("“ﬁne” – it’s") == ocr.fold('"fine" - it\'s')


def test_the_truth_has_a_line_for_each_line(tmp_path: Path) -> None:
    write(tmp_path / "pdfs" / "a.pdf", PROSE * 3)
    with open_document(tmp_path / "pdfs" / "a.pdf") as document:
        truth = ocr.truth_of(document.page(1))
        assert ocr.errors(truth, document.page(1).words()) == 0
    assert len(truth.lines) == 3
    assert ocr.fold(PROSE * 3) == truth.text
