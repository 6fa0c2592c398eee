"""The bench of field values: two routes over the same receipts, by models new to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from PIL import Image

from docpipe.bench import extract
from docpipe.bench.task import Options
from docpipe.datasets.kie_sources import load
from docpipe.errors import ConfigError
from docpipe.library import Library
from docpipe.library.store import Entry, Manifest, Store
from docpipe.parsers.entities.model import ModelConfig
from docpipe.parsers.entities.segments import segments
from docpipe.parsers.entities.weights import SavedConfig, build_model, save
from docpipe.testing.fakes import sample_document

LINES = [("NORTH MILLS", "company"), ("25/12/2018", "date"), ("TOTAL", "other"), ("9.00", "total")]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two receipts with images."""
    folder = tmp_path / "kie" / "sroie"
    (folder / "images").mkdir(parents=True)
    rows = []
    for number in (1, 2):
        lines = [
            {"text": text, "box": [20, 20 + 30 * at, 120, 34 + 30 * at], "label": label}
            for at, (text, label) in enumerate(LINES)
        ]
        values = {label: {"value": text} for text, label in LINES if label != "other"}
        values["company"] = {"value": f"NORTH MILLS {number}"}
        rows.append(
            {
                "key": f"r{number}",
                "image_size": {"width": 200, "height": 300},
                "lines": lines,
                "fields": values,
            }
        )
        Image.new("L", (200, 300), 255).save(folder / "images" / f"r{number}.jpg")
    (folder / "entities_train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "kie"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Models that were not trained, one for each part."""
    torch.manual_seed(1)
    schema = extract.schema()
    design = ModelConfig(width=16, layers=1, heads=2, buckets=64)
    for fold in range(extract.FOLDS):
        taus = (-9.0,) * len(schema.ones)
        save(
            tmp_path / "work" / f"fold{fold}",
            build_model(design, schema),
            SavedConfig(design, schema, taus),
        )
    return tmp_path / "work"


def ingested(root: Path) -> Path:
    """A library that has read both images."""
    import msgspec

    store = Store(Library.create(root).root)
    store.documents.mkdir()
    entries = []
    for number in (1, 2):
        id = f"{number:016}"
        document = sample_document([["NORTH MILLS", f"{number}", "25/12/2018", "TOTAL 9.00"]])
        document = msgspec.structs.replace(document, id=id, name=f"r{number}.jpg")
        store.document_path(id).write_bytes(msgspec.json.encode(document))
        entries.append(
            Entry(id=id, name=document.name, status="ok", pages=1, routes={}, settings="")
        )
    store.write_manifest(Manifest(entries=tuple(entries)))
    return root


def test_both_routes_are_scored_for_each_receipt(data: Path, work: Path, tmp_path: Path) -> None:
    options = Options(library=ingested(tmp_path / "library"), work=work)
    measured = extract.values(data, options)
    assert [row.name for row in measured.rows] == ["r1", "r2"]
    for row in measured.rows:
        assert {"ocr.company", "gold.total", "ocr.found", "readable.date"} <= row.scores.keys()
        assert "ocr.address" not in row.scores  # nobody wrote one down
        assert (row.scores["readable.total"], row.scores["readable.company"]) == (1.0, 1.0)
    assert 0.0 <= measured.figures["gold.f1"] <= 1.0
    assert extract.values(data, Options(library=tmp_path / "library", work=work, limit=1)).rows


def test_each_text_of_the_data_is_an_entity(data: Path) -> None:
    receipt = load("sroie", data / "sroie", "train")[0]
    [page] = extract.gold_document(receipt).pages
    assert [segment.text for segment in segments(page)] == [text for text, _ in LINES]


def test_without_images_it_says_so(tmp_path: Path, data: Path) -> None:
    for image in (data / "sroie" / "images").iterdir():
        image.unlink()
    with pytest.raises(ConfigError, match="no images"):
        extract.values(data, Options())


def test_links_are_scored_beside_the_nearest_question(tmp_path: Path) -> None:
    form = [
        {
            "id": 0,
            "text": "Name:",
            "box": [20, 20, 60, 30],
            "label": "question",
            "linking": [[0, 1]],
        },
        {"id": 1, "text": "Anna", "box": [70, 20, 100, 30], "label": "answer", "linking": [[0, 1]]},
        {
            "id": 2,
            "text": "Town:",
            "box": [20, 50, 60, 60],
            "label": "question",
            "linking": [[2, 3]],
        },
        {"id": 3, "text": "Aldern", "box": [40, 64, 90, 74], "label": "answer", "linking": []},
        {"id": 4, "text": "", "box": [0, 0, 0, 0], "label": "other", "linking": []},
    ]
    for part in ("training_data", "testing_data"):
        folder = tmp_path / "funsd" / part / "annotations"
        folder.mkdir(parents=True)
        (folder / "a.json").write_text(json.dumps({"form": form}))
    measured = extract.run(tmp_path, Options(parts=("links",)))
    assert [row.name for row in measured.rows] == ["train a", "test a"]
    assert measured.figures["test.links.f1"] == measured.figures["test.nearest.f1"] == 1.0
    with pytest.raises(ConfigError, match="no forms"):
        extract.run(tmp_path / "none", Options(parts=("links",)))


def test_rows_of_made_up_documents(tmp_path: Path) -> None:
    figures = extract.run(tmp_path, Options(parts=("rows",), limit=5)).figures
    assert figures["invoice.rows.f1"] > 0.9
    assert 0.5 < figures["receipt.rows.f1"] <= 1.0


def test_values_of_right_labels(data: Path) -> None:
    measured = extract.run(data, Options(parts=("labels",)))
    assert measured.figures["labels.date.f1"] == measured.figures["labels.total.f1"] == 1.0
    assert measured.figures["labels.company.f1"] == 0.0  # the receipts say another name
    assert [row.group for row in measured.rows] == ["NORTHMILLS1", "NORTHMILLS2"]


def test_an_unknown_part(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such part: 'lines'"):
        extract.run(tmp_path, Options(parts=("lines",)))
