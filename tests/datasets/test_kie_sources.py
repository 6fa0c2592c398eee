"""Loaders of public sets, on small files in their form."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from docpipe.datasets.kie import KieDocument, company, grouped_folds
from docpipe.datasets.kie_sources import FIELDS, Source, amount, amount_of, load
from docpipe.errors import ConfigError, SchemaError
from docpipe.geometry import BBox

BOX = [1, 2, 30, 12]


def put(path: Path, *rows: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")


def labelled(document: KieDocument) -> list[tuple[str, str]]:
    return [(entity.text, entity.label) for entity in document.entities()]


def test_sroie_lines_values_and_equally_right_totals(tmp_path: Path) -> None:
    lines = [("BOOK SHOP", "company"), ("TOTAL", "other"), ("RM 9.00", "total"), ("9.00", "other")]
    row = {
        "key": "X1",
        "image_size": {"width": 463, "height": 1013},
        "lines": [{"text": text, "box": BOX, "label": label} for text, label in lines],
        "fields": {"total": {"value": "9.00", "how": "exact", "n_cand": 2, "lines": [2]}},
    }
    put(tmp_path / "entities_train.jsonl", row, row | {"key": "X0"})
    first, second = load("sroie", tmp_path, "train")
    assert (first.key, second.key) == ("X0", "X1")
    assert labelled(first) == lines
    assert first.values == {"total": "9.00"}
    assert [entity.also for entity in first.entities()] == [(), (), (), ("total",)]
    assert (first.pages[0].width, first.pages[0].height) == (463, 1013)


def cord_row() -> dict[str, object]:
    texts = ["Nasi Campur", "Total", "75,000", "thanks"]
    parts = [{"segment": at, "text": text, "box": BOX} for at, text in enumerate(texts)]
    return {
        "uid": "train_0",
        "width": 864,
        "height": 1296,
        "segments": [{"id": at, "text": text, "box": BOX} for at, text in enumerate(texts)],
        "entities": [
            {"id": 0, "label": "menu.nm", "parts": [parts[0]]},
            {"id": 1, "label": "menu.etc", "parts": [parts[0] | {"text": "Na"}]},
            {"id": 2, "label": "total.total_price", "parts": parts[1:3]},
        ],
    }


def test_cord_segments_have_the_label_of_most_of_their_characters(tmp_path: Path) -> None:
    put(tmp_path / "val.jsonl", cord_row())
    (document,) = load("cord-r", tmp_path, "val")
    total = "total.total_price"
    assert [label for _, label in labelled(document)] == ["menu.nm", total, total, "other"]
    (document,) = load("cord-r-values", tmp_path, "val")
    assert [label for _, label in labelled(document)] == ["menu.nm", "other", total, "other"]


def test_funsd_entities_with_the_size_of_the_image(tmp_path: Path) -> None:
    form = [
        {"id": 0, "text": "Date:", "label": "question", "box": [9, 9, 4, 2], "words": []},
        {"id": 1, "text": "", "label": "other", "box": BOX, "words": []},
    ]
    put(tmp_path / "training_data/annotations/a.json", {"form": form})
    (tmp_path / "training_data/images").mkdir()
    Image.new("L", (76, 100)).save(tmp_path / "training_data/images/a.png")
    (document,) = load("funsd", tmp_path, "train")
    assert labelled(document) == [("Date:", "question"), ("", "other")]
    assert (document.pages[0].width, document.pages[0].height) == (76, 100)
    assert next(document.entities()).box == BBox(4, 2, 9, 9)
    (tmp_path / "training_data/images/a.png").unlink()
    with pytest.raises(SchemaError, match=r"a\.png cannot be read"):
        load("funsd", tmp_path, "train")


def test_ec_funsd_segments_have_the_label_of_most_of_their_words(tmp_path: Path) -> None:
    words = [{"id": at, "text": f"w{at}", "box": BOX} for at in range(5)]
    raw = {
        "uid": "f1",
        "img": {"fname": "images/f1.png", "width": 762, "height": 1000},
        "document": [
            {"id": 0, "text": "w0 w1 w2", "box": BOX, "words": words[:3]},
            {"id": 1, "text": "w3 w4", "box": BOX, "words": words[3:]},
        ],
        "label_entities": [{"entity_id": 0, "label": "header", "word_idx": [1, 2]}],
    }
    put(tmp_path / "jsons/f1.json", raw)
    (tmp_path / "data.train.txt").write_text("f1.json\n")
    (document,) = load("ec-funsd", tmp_path, "train")
    assert labelled(document) == [("w0 w1 w2", "header"), ("w3 w4", "other")]


@pytest.mark.parametrize(
    ("text", "number"),
    [("RM 1,234.5", "1234.50"), ("9", "9.00"), ("*9.00*", "9.00"), ("TOTAL 9", ""), ("", "")],
)
def test_amounts_compare_by_value(text: str, number: str) -> None:
    assert amount(text) == number


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("NETT TOTAL: $8.20", "8.20"),
        ("Total RM 1,008.20", "1008.20"),
        ("8.20", "8.20"),
        ("4 x 2.05", ""),
        ("INV 20.18 8.20", ""),
        ("VERSION 1.08.20", ""),
    ],
)
def test_an_amount_may_stand_behind_its_name(line: str, number: str) -> None:
    assert amount_of(line) == number


@pytest.mark.parametrize("source", ["sroie", "cord-r", "funsd", "ec-funsd"])
def test_a_missing_split_is_named(tmp_path: Path, source: Source) -> None:
    with pytest.raises(ConfigError, match=f"no such split: {tmp_path}"):
        load(source, tmp_path, "tset")


def test_malformed_files_are_named_with_the_line(tmp_path: Path) -> None:
    put(tmp_path / "val.jsonl", cord_row(), {"uid": "train_1"})
    with pytest.raises(SchemaError, match=r"val\.jsonl, line 2: 'entities' is missing"):
        load("cord-r", tmp_path, "val")
    (tmp_path / "val.jsonl").write_text("{")
    with pytest.raises(SchemaError, match=r"val\.jsonl, line 1: "):
        load("cord-r", tmp_path, "val")
    with pytest.raises(ConfigError, match="known: sroie, cord-r"):
        load("xfund", tmp_path, "train")  # type: ignore[arg-type]


@pytest.mark.data
@pytest.mark.parametrize(
    ("source", "split", "documents", "entities"),
    [
        ("sroie", "train", 626, 33_626),
        ("cord-r", "val", 100, 1_466),
        ("funsd", "test", 50, 2_332),
        ("ec-funsd", "val", 50, 2_648),
    ],
)
def test_the_sets_as_published(
    data: Path, source: Source, split: str, documents: int, entities: int
) -> None:
    loaded = load(source, data / "kie" / source, split)
    labels = Counter(entity.label for document in loaded for entity in document.entities())
    assert len(loaded) == documents
    assert labels.total() == entities
    assert set(labels) <= {"other", *FIELDS[source]}
    if source == "sroie":
        folds = grouped_folds(loaded, 5, company)
        assert max(map(len, folds)) - min(map(len, folds)) <= 2
