"""parse and show as a person uses them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from docpipe.codec import decode_document

Docpipe = Callable[..., Any]


def test_one_file_goes_to_stdout(docpipe: Docpipe, folder: Path) -> None:
    run = docpipe("parse", folder / "mill.pdf")
    assert run.code == 0
    assert "The Aldern mill employed 37 people in 1921." in run.out
    document = decode_document(docpipe("parse", folder / "mill.pdf", "--json").out)
    assert [page.number for page in document.pages] == [1, 2]


def test_page_ranges(docpipe: Docpipe, folder: Path) -> None:
    run = docpipe("parse", folder / "mill.pdf", "--pages", "2", "--format", "text")
    assert "37 people" in run.out
    assert "1893" not in run.out
    run = docpipe("parse", folder / "mill.pdf", "--pages", "2-9")
    assert "2 pages" in run.err
    for pages in ("0", "3-1", "x", ""):
        run = docpipe("parse", folder / "mill.pdf", "--pages", pages)
        assert (run.code, "no list of pages" in run.err) == (2, True)


def test_a_folder_is_mirrored_with_a_report(docpipe: Docpipe, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = docpipe("parse", folder, "-o", out, "-f", "markdown", "-f", "html", "-f", "chunks")
    assert run.code == 1
    assert "secret.pdf: failed: needs_password" in run.err
    written = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert written == {
        "report.jsonl",
        *(f"{name}.{suffix}" for name in ("mill", "sub/river") for suffix in ("md", "html")),
        "mill.chunks.jsonl",
        "sub/river.chunks.jsonl",
    }
    chunk = json.loads((out / "sub/river.chunks.jsonl").read_text().splitlines()[0])
    assert "381 km" in chunk["text"]


@pytest.mark.parametrize(("name", "reason"), [("secret.pdf", "needs_password"), ("broken.pdf", "")])
def test_a_bad_file_is_one_line(docpipe: Docpipe, folder: Path, name: str, reason: str) -> None:
    run = docpipe("parse", folder / name)
    assert run.code == 1
    assert run.out == ""
    assert run.err.startswith("docpipe: ")
    assert reason in run.err
    assert "Traceback" not in run.err


def test_show_draws_layers(docpipe: Docpipe, folder: Path, tmp_path: Path) -> None:
    plain, drawn = tmp_path / "plain.png", tmp_path / "drawn.png"
    file = folder / "mill.pdf"
    assert docpipe("show", file, "-p", "2", "-o", plain, "--layers", "tables").code == 0
    assert docpipe("show", file, "-p", "2", "-o", drawn, "--layers", "words,blocks").code == 0
    with Image.open(plain) as first, Image.open(drawn) as second:
        assert first.tobytes() != second.tobytes()
    told = json.loads(docpipe("show", file, "-o", plain, "--json").out)
    assert (told["picture"], told["quality"]["verdict"]) == (str(plain), "ok")
    run = docpipe("show", file, "--layers", "magic")
    assert (run.code, "unknown layer 'magic'" in run.err) == (2, True)
    run = docpipe("show", file, "-p", "7")
    assert (run.code, "2 pages" in run.err) == (2, True)


def test_places_that_cannot_be_written_are_said(
    docpipe: Docpipe, folder: Path, tmp_path: Path
) -> None:
    file, taken = folder / "mill.pdf", tmp_path / "taken"
    taken.write_text("")
    for arguments in (("show", file, "-o", taken / "x.png"), ("parse", file, "-o", taken)):
        run = docpipe(*arguments)
        assert run.code == 1
        assert "taken" in run.err
        assert "Traceback" not in run.err
    assert docpipe("show", folder).code == 2
    run = docpipe("parse", tmp_path / "absent.pdf")
    assert (run.code, "does not exist" in run.err) == (1, True)


def test_a_report_as_json(docpipe: Docpipe, folder: Path, tmp_path: Path) -> None:
    run = docpipe("parse", folder / "sub", "-o", tmp_path / "out", "--json")
    assert [line["status"] for line in json.loads(run.out)["lines"]] == ["ok"]


def test_what_was_written_is_not_read_again(docpipe: Docpipe, folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "river.pdf").write_bytes((folder / "sub" / "river.pdf").read_bytes())
    (source / "out").mkdir()
    Image.new("RGB", (40, 40), "white").save(source / "out" / "figure.png")
    run = docpipe("parse", source, "-o", source / "out", "--json")
    assert [line["path"] for line in json.loads(run.out)["lines"]] == ["river.pdf"]


def test_folders_need_an_output(docpipe: Docpipe, folder: Path) -> None:
    run = docpipe("parse", folder)
    assert run.code == 2
    assert "--output" in run.err
    run = docpipe("parse", folder / "mill.pdf", "-f", "word")
    assert run.code == 2
    assert "markdown" in run.err


def test_layout_models_serve_in_workers(docpipe: Docpipe, tmp_path: Path) -> None:
    path = tmp_path / "table.pdf"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for row, label in enumerate(("Question", "Answer", "Method", "River")):
            page.draw_line((100, 96 + 40 * row), (500, 96 + 40 * row))
            page.insert_text((104, 109 + 40 * row), label, fontsize=9)
            page.insert_textbox(
                (183, 99 + 40 * row, 496, 140 + 40 * row),
                "The committee met in the morning to discuss the new bridge over the river, and "
                "some asked how long the work would take and what it would cost them in the end.",
                fontsize=9,
            )
        page.draw_line((100, 256), (500, 256))
        page.insert_text((200, 270), "Table 1: Examples.", fontsize=10)
        pdf.save(path)
    assert "| River |" in docpipe("parse", path, "--layout", "model").out
    assert "| River |" not in docpipe("parse", path, "--layout", "fast").out
    run = docpipe("parse", path, "--layout", "sharp")
    assert run.code == 2
    assert "layout" in run.err
