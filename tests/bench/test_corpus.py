from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from docpipe.bench.corpus import cache_folder, document_files, prepare_library
from docpipe.bench.task import Options
from docpipe.config import Config
from docpipe.errors import ConfigError
from docpipe.library import Library

TEXT_ONLY = Config(ocr_mode="off")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "documents").mkdir()
    for name in ("one", "two"):
        with pymupdf.open() as pdf:
            pdf.new_page().insert_text((72, 72), f"This is document {name}.")
            pdf.save(tmp_path / "documents" / f"{name}.pdf")
    return tmp_path


def test_documents_are_ingested_once_and_found_again(data: Path) -> None:
    files = document_files(data)
    first = prepare_library(files[:1], Options(config=TEXT_ONLY))
    assert first.root == cache_folder(data / "documents")
    assert [entry.name for entry in first.status()] == ["one.pdf"]
    made = first.document("one.pdf")
    second = prepare_library(files, Options(config=TEXT_ONLY))
    assert [entry.name for entry in second.status()] == ["one.pdf", "two.pdf"]
    assert second.document("one.pdf") == made


def test_a_library_at_hand_is_used_if_it_holds_the_documents(data: Path) -> None:
    files = document_files(data)
    Library.create(data / "library", config=TEXT_ONLY).ingest(files[:1])
    options = Options(library=data / "library", config=TEXT_ONLY)
    assert prepare_library(files[:1], options).root == data / "library"
    with pytest.raises(ConfigError, match=r"two\.pdf"):
        prepare_library(files, options)


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no PDF"):
        document_files(tmp_path)
