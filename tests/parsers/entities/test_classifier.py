"""The classifier as a stage: documents in, entities out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docpipe import codec
from docpipe.errors import ConfigError, ModelError
from docpipe.geometry import BBox
from docpipe.parsers.entities.classifier import KnnFormerClassifier
from docpipe.parsers.entities.segments import segments
from docpipe.parsers.entities.weights import SavedConfig, load, save
from docpipe.records import (
    Cell,
    Document,
    Page,
    Region,
    Source,
    Table,
    TextBlock,
    Word,
)
from docpipe.registry import build
from docpipe.testing import check_classifier
from docpipe.testing.fakes import sample_document
from tests.parsers.entities.pages import SCHEMA, small_model

NAME = "docpipe.parsers.entities.classifier:KnnFormerClassifier"
RECEIPT = [["Book shop", "25/12/2018", "TOTAL 9.00"], [], ["Jalan Sagu 18", "CASH 10.00"]]


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    model = small_model()
    folder = tmp_path / "model"
    save(folder, model, SavedConfig(model.design, SCHEMA, (-9.0, -9.0)))
    return folder


def row(y: float, *words: tuple[str, float, float]) -> tuple[Word, ...]:
    return tuple(Word(text, BBox(x0, y, x1, y + 10)) for text, x0, x1 in words)


def paragraph(box: BBox, text: str = "text", id: str = "p1/text1") -> TextBlock:
    return TextBlock(id, Source((Region(1, box),), "test"), text, "paragraph")


def test_it_keeps_the_promises_of_a_classifier(weights: Path) -> None:
    check_classifier(KnnFormerClassifier(weights))
    check_classifier(KnnFormerClassifier(weights), sample_document(RECEIPT))


def test_entities_say_what_stands_where(weights: Path) -> None:
    document = sample_document(RECEIPT)
    entities = KnnFormerClassifier(weights).classify(document)
    assert entities
    for entity in entities:
        page = document.pages[entity.source.regions[0].page - 1]
        assert entity.text == " ".join(page.words[at].text for at in entity.words)
        box = entity.source.regions[0].bbox
        assert all(box.contains(page.words[at].bbox, 0.01) for at in entity.words)
        assert entity.label in ("total", "date", "address")
    stored = codec.encode(Document(id="0" * 16, name="a", pages=(), entities=entities))
    assert codec.decode_document(stored).entities == entities


def test_a_field_that_stands_once_does_so_in_the_document_or_on_the_page(weights: Path) -> None:
    document = sample_document(RECEIPT)

    def totals(**options: str) -> int:
        entities = build("classifier", NAME, {"weights": weights, **options})
        return [e.label for e in entities.classify(document)].count("total")

    assert totals() == 1
    assert totals(scope="page") == 2


def test_documents_without_text_have_no_entities(weights: Path) -> None:
    classifier = KnnFormerClassifier(weights)
    assert classifier.classify(sample_document([[], []])) == ()
    assert classifier.classify(Document(id="0" * 16, name="none", pages=())) == ()


def test_a_saved_model_is_the_same_when_loaded(weights: Path) -> None:
    trained = load(weights)
    expected = small_model().state_dict()
    assert trained.config.thresholds == (-9.0, -9.0)
    assert trained.model.state_dict().keys() == expected.keys()
    assert all(t.equal(expected[name]) for name, t in trained.model.state_dict().items())


def test_what_cannot_be_loaded_says_why(weights: Path) -> None:
    with pytest.raises(ModelError, match=r"config\.json is missing.*train.knnformer"):
        KnnFormerClassifier(weights / "none")
    config = json.loads((weights / "config.json").read_text())
    (weights / "config.json").write_text(json.dumps(config | {"thresholds": [0]}))
    with pytest.raises(ModelError, match="1 thresholds for 2 one-fields"):
        KnnFormerClassifier(weights)
    config["model"]["width"] = 32
    (weights / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="must come from one training"):
        KnnFormerClassifier(weights)
    (weights / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"model\.safetensors.* is missing|must come from one"):
        KnnFormerClassifier(weights)
    with pytest.raises(ConfigError, match="device 'abacus' cannot be used"):
        KnnFormerClassifier(weights, device="abacus")


def test_segments_part_where_a_gap_is_wide_or_a_line_ends() -> None:
    words = row(0, ("GRAND", 0, 30), ("TOTAL", 33, 60), ("9.00", 200, 220))
    words += row(20, ("CASH", 0, 25))
    page = Page(1, "1", 300, 300, words=words)
    assert [s.text for s in segments(page)] == ["GRAND TOTAL", "9.00", "CASH"]
    assert segments(page)[0].words == (0, 1)
    assert segments(page)[0].bbox == BBox(0, 0, 60, 10)


def test_segments_end_with_their_block_and_cell() -> None:
    words = row(0, ("a", 0, 8), ("b", 10, 18), ("c", 20, 28), ("d", 30, 38))
    left, right = BBox(-1, -1, 19, 11), BBox(19, -1, 39, 11)
    blocks = Page(1, "1", 99, 99, words=words, blocks=(paragraph(left), paragraph(right)))
    assert [s.text for s in segments(blocks)] == ["a b", "c d"]
    cells = (Cell(0, 0, "a b", region=Region(1, left)), Cell(0, 1, "c d", region=Region(1, right)))
    table = Table("p1/table1", Source((Region(1, BBox(-1, -1, 39, 11)),), "test"), cells)
    assert [s.text for s in segments(Page(1, "1", 99, 99, words=words, blocks=(table,)))] == [
        "a b",
        "c d",
    ]


def test_a_page_of_blocks_without_words_has_its_blocks_and_cells_as_segments() -> None:
    box = BBox(0, 0, 40, 10)
    cells = (Cell(0, 0, "x", region=Region(1, box)), Cell(0, 1, "y"))
    table = Table("p1/table1", Source((Region(1, BBox(0, 0, 90, 10)),), "test"), cells)
    bare = Table("p1/table2", Source((Region(1, box),), "test"), (Cell(0, 0, "z"),))
    page = Page(1, "1", 99, 99, blocks=(paragraph(box, "line"), table, bare))
    assert [s.text for s in segments(page)] == ["line", "x", "z"]
    assert all(s.words == () for s in segments(page))
