"""Ingests that look for fields: kept in the documents, made anew only where they must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docpipe.config import Config, from_mapping
from docpipe.errors import ConfigError, ModelError
from docpipe.ingest import IngestReport
from docpipe.library import Library
from docpipe.stages import EntityClassifier
from docpipe.testing.fakes import FakeClassifier
from tests.libraries import ingest
from tests.pdfs import write_pdf

TEXTS = {"Date: 25/12/2018": "date", "TOTAL RM 9.00": "total"}
FAKE = {"name": "fake", "schema": "receipt", "texts": TEXTS}


class Failing(FakeClassifier):
    """Fails on documents that say so."""

    def classify(self, document: Any) -> Any:
        if any(word.text == "FAIL" for page in document.pages for word in page.words):
            raise RuntimeError("no entities today")
        return super().classify(document)


def config(**entities: object) -> Config:
    return from_mapping({"entities": FAKE | entities})


def values(root: Path, name: str) -> dict[str, object]:
    return {field.name: field.value for field in Library.open(root).document(name).fields}


def reasons(report: IngestReport) -> dict[str, tuple[str, str | None]]:
    return {line.name: (line.status, line.reason) for line in report.lines}


@pytest.fixture
def receipts(tmp_path: Path) -> Path:
    folder = tmp_path / "receipts"
    write_pdf(folder / "a.pdf", ["Book shop\nDate: 25/12/2018\nTOTAL RM 9.00"])
    write_pdf(folder / "b.pdf", ["Nothing here"])
    return folder


def test_fields_are_kept_in_the_library(receipts: Path, tmp_path: Path) -> None:
    root = tmp_path / "library"
    report = ingest(receipts, root, config=config())
    assert reasons(report) == {"a.pdf": ("ok", None), "b.pdf": ("ok", None)}
    assert values(root, "a.pdf") == {"date": "2018-12-25", "total": 9.0}
    assert values(root, "b.pdf") == {}
    assert Library.open(root).search("book shop")


def test_documents_are_not_read_again_for_other_fields(receipts: Path, tmp_path: Path) -> None:
    root = tmp_path / "library"
    plain = ingest(receipts, root, config=Config())
    assert (plain.made, values(root, "a.pdf")) == (2, {})
    (receipts / "b.pdf").unlink()
    written = Library.open(root).document("a.pdf")

    fields = ingest(receipts, root, config=config())
    assert (fields.made, fields.unchanged) == (1, 0)
    assert values(root, "a.pdf") == {"date": "2018-12-25", "total": 9.0}
    assert Library.open(root).document("a.pdf").pages == written.pages
    assert ingest(receipts, root, config=config()).unchanged == 1

    ingest(receipts, root, config=config(texts={"TOTAL RM 9.00": "total"}))
    assert values(root, "a.pdf") == {"total": 9.0}
    assert ingest(receipts, root, config=Config()).unchanged == 1  # what is there stays
    assert values(root, "a.pdf") == {"total": 9.0}


def test_a_document_that_fails_keeps_its_text_and_stops_no_other(
    receipts: Path, tmp_path: Path
) -> None:
    write_pdf(receipts / "bad.pdf", ["FAIL TOTAL RM 9.00"])
    root = tmp_path / "library"
    report = ingest(receipts, root, config=config(name=f"{__name__}:Failing"))
    assert reasons(report) == {
        "a.pdf": ("ok", None),
        "b.pdf": ("ok", None),
        "bad.pdf": ("partial", "internal"),
    }
    [bad] = [line for line in report.lines if line.name == "bad.pdf"]
    assert bad.message == "no fields: RuntimeError: no entities today"
    assert values(root, "a.pdf")["total"] == 9.0
    assert Library.open(root).document("bad.pdf").pages[0].words
    assert isinstance(Failing(), EntityClassifier)


def test_wrong_settings_stop_the_ingest_before_anything_is_read(
    receipts: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="unknown field schema"):
        ingest(receipts, tmp_path / "one", config=config(schema="recipe"))
    with pytest.raises(ModelError, match="no trained entity model"):
        ingest(
            receipts,
            tmp_path / "two",
            config=from_mapping({"entities": {"schema": "id", "weights": str(tmp_path)}}),
        )
    with pytest.raises(ConfigError, match="unknown locale"):
        ingest(receipts, tmp_path / "three", config=config(locale="xx_YY"))
