"""A run of the command line in this process, and a folder of small PDFs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pymupdf
import pytest

from docpipe.cli import main


class Run(msgspec.Struct):
    code: int
    out: str
    err: str


@pytest.fixture
def docpipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Run]:
    """`docpipe("status", "--json")` gives exit code, stdout and stderr."""

    def run(*arguments: str | Path) -> Run:
        monkeypatch.setattr(sys, "argv", ["docpipe", *map(str, arguments)])
        capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return run


def write_pdf(path: Path, pages: list[list[str]], **save: object) -> Path:
    with pymupdf.open() as document:
        for lines in pages:
            page = document.new_page()
            for row, line in enumerate(lines):
                page.insert_text((72, 90 + row * 16), line, fontsize=11)
        path.parent.mkdir(parents=True, exist_ok=True)
        document.save(path, **save)
    return path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three readable PDFs, an encrypted one and one that is none."""
    root = tmp_path_factory.mktemp("inputs")
    write_pdf(
        root / "mill.pdf",
        [
            ["The Aldern mill", "The mill was built in 1893 by Anna Keller."],
            ["Staff", "The Aldern mill employed 37 people in 1921."],
        ],
    )
    write_pdf(root / "sub" / "river.pdf", [["The river Tarn is 381 km long."]])
    write_pdf(root / "secret.pdf", [["The vault code is blue."]], encryption=4, user_pw="open")
    (root / "broken.pdf").write_bytes(b"%PDF-1.7\n%%EOF\n")
    return root


@pytest.fixture(scope="session")
def library(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The readable ones, ingested."""
    from docpipe.library import Library

    root = tmp_path_factory.mktemp("library") / "mills"
    Library.create(root).ingest([folder / "mill.pdf", folder / "sub"], jobs=1)
    return root
