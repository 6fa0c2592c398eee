"""Settings, examples, scores and the floor, without training."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from docpipe.datasets.kie import KieDocument, KieEntity, KiePage, company, write_jsonl
from docpipe.errors import ConfigError, DocpipeError
from docpipe.geometry import BBox
from docpipe.parsers.entities.batch import collate, page_tensors
from docpipe.parsers.entities.features import FEATURE_SIZE, PLACE, EntityPage
from docpipe.parsers.entities.losses import IGNORED
from docpipe.parsers.entities.schema import FieldSchema, FieldSpec, find_schema
from docpipe.parsers.entities.weights import build_model
from docpipe.training.knnformer.baseline import floor_predictions, neighbour_words
from docpipe.training.knnformer.data import (
    Collator,
    entity_page,
    make_examples,
    page_labels,
    pages_of,
)
from docpipe.training.knnformer.evaluation import Truth, asked, evaluate, score, truth_of
from docpipe.training.knnformer.noise import with_noise
from docpipe.training.knnformer.settings import (
    DataConfig,
    Settings,
    TrainingConfig,
    load_settings,
    settings_from,
)
from docpipe.training.knnformer.splits import load_splits, schema_of
from docpipe.training.knnformer.toy import TOY_FIELDS, toy_documents
from docpipe.training.knnformer.trainer import LikeSizes, augment

SCHEMA = FieldSchema((FieldSpec("total", "one"), FieldSpec("address")))
TOY = FieldSchema(TOY_FIELDS)


def test_a_preset_is_the_ground_for_what_the_file_says() -> None:
    model = settings_from(
        {"data": {"source": "toy"}, "model": {"preset": "hop", "width": 48}}
    ).model
    assert (model.width, model.radius, model.directions) == (48, "inf", False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[data]\nsource = "toy"\n[model]\npreset = "big"', "known: mlp, full"),
        ('[data]\nsource = "toy"\n[training]\nepoch = 3', "epoch"),
        ("seed = 1", "data"),
        ("[data", "settings.toml"),
        ('[data]\nsource = "toy"\n[model]\nradius = 7', "radius 7"),
    ],
)
def test_wrong_settings_say_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "settings.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_settings(tmp_path / "settings.toml")
    assert message in str(caught.value)


def test_the_shipped_configuration_is_valid() -> None:
    configs = Path(__file__).parents[2] / "training" / "configs"
    settings = [load_settings(path) for path in sorted(configs.glob("knnformer-*.toml"))]
    assert settings
    assert all(schema_of(each).labels for each in settings)


def test_a_jsonl_set_is_split_for_validation(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train.jsonl", toy_documents(60))
    config = DataConfig("jsonl", str(tmp_path), validation=0.2)
    splits = load_splits(Settings(config), TOY.labels)
    assert len(splits.train) + len(splits.validation) == 60
    assert splits.test == splits.validation
    with pytest.raises(ConfigError, match="no documents to evaluate on"):
        load_splits(Settings(DataConfig("jsonl", str(tmp_path), validation=0.0)), TOY.labels)
    with pytest.raises(DocpipeError, match="label 'company' is no field"):
        load_splits(Settings(config), ["total", "date", "address"])
    with pytest.raises(ConfigError, match=r"add a \[\[field\]\] table"):
        schema_of(settings_from({"data": {"source": "jsonl"}}))


def test_folds_keep_companies_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCPIPE_DATA", str(tmp_path))
    receipts = [
        KieDocument(document.key, document.pages, {"company": f"Shop {at % 7}"})
        for at, document in enumerate(toy_documents(70))
    ]
    (tmp_path / "kie").mkdir()
    write_jsonl(tmp_path / "kie" / "train.jsonl", receipts)
    tested = []
    for fold in range(3):
        splits = load_splits(Settings(DataConfig("jsonl", "kie", folds=3, fold=fold)), TOY.labels)
        seen = {company(document) for document in splits.train + splits.validation}
        assert splits.validation
        assert not seen & {company(document) for document in splits.test}
        tested += [document.key for document in splits.test]
    assert sorted(tested) == sorted(document.key for document in receipts)
    for folds, fold in ((3, 3), (1, 0)):
        with pytest.raises(ConfigError, match="fold"):
            DataConfig("jsonl", folds=folds, fold=fold)


def test_examples_carry_labels_candidates_and_padding() -> None:
    box = BBox(0, 0, 10, 10)
    long = KiePage(
        100.0,
        100.0,
        (KieEntity("9.00", box, "total"), KieEntity("9.00", box, also=("total",))),
    )
    short = KiePage(100.0, 100.0, (KieEntity("x", box, "address"),))
    empty = KiePage(100.0, 100.0, ())
    model = build_model(settings_from({"data": {"source": "toy"}}).model, SCHEMA)
    pages = pages_of([KieDocument("a", (long, empty)), KieDocument("b", (short,))])
    assert pages == [long, short]
    examples = make_examples([KieDocument("a", (long,)), KieDocument("b", (short,))], model, SCHEMA)
    batch = Collator(model.design.hop_cap)(examples)
    assert batch["labels"].tolist() == [[1, 0], [2, IGNORED]]
    assert batch["candidates"].nonzero().tolist() == [[0, 1, 1]]
    assert batch["mask"].tolist() == [[True, True], [True, False]]
    assert not batch["unknown"].any()


def test_a_batch_of_graphs_is_what_inference_gives_the_model() -> None:
    documents = toy_documents(3)
    model = build_model(settings_from({"data": {"source": "toy"}}).model, TOY)
    graphs = make_examples(documents, model, TOY)
    assert graphs[0].num_edges > graphs[0].num_nodes
    found = Collator(model.design.hop_cap)(graphs)
    tensors = [
        page_tensors(entity_page(page), model.encoder, model.design) for page in pages_of(documents)
    ]
    mask = found["mask"]
    for name, wanted in collate(tensors).items():
        if name == "hops":  # of padding they may be anything
            pairs = mask.unsqueeze(1) & mask.unsqueeze(2)
            assert found[name][pairs].equal(wanted[pairs].long())
        else:
            assert found[name].equal(wanted), name


def test_what_a_source_does_not_label_may_be_anything() -> None:
    page = KiePage(10.0, 10.0, (KieEntity("x", BBox(0, 0, 1, 1)),))
    model = build_model(settings_from({"data": {"source": "toy"}}).model, SCHEMA)
    document = KieDocument("a", (page,), annotated=("total",))
    (graph,) = make_examples([document], model, SCHEMA)
    assert graph.unknown.tolist() == [[False, False, True]]


def test_sets_of_receipts_take_the_labels_of_the_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCPIPE_DATA", str(tmp_path))
    line = {"text": "Tea", "box": [0, 0, 9, 9], "id": 0}
    part = {"segment": 0, "text": "Tea", "box": [0, 0, 9, 9]}
    row = {
        "uid": "a",
        "width": 90,
        "height": 90,
        "segments": [line],
        "entities": [{"id": 0, "label": "menu.nm", "parts": [part]}],
    }
    (tmp_path / "train.jsonl").write_text(json.dumps(row) + "\n")
    settings = settings_from(
        {"data": {"source": "toy"}, "schema": "receipt", "extra": [{"source": "cord-r-values"}]}
    )
    receipt = find_schema("receipt")
    last = load_splits(settings, receipt.labels[1:]).train[-1]
    assert [entity.label for entity in last.entities()] == ["item.description"]
    assert "date" not in last.annotated
    assert set(last.annotated) <= set(receipt.labels)


def test_made_up_receipts_have_the_labels_of_the_set_they_are_added_to() -> None:
    receipts = DataConfig("synthetic-receipt", limit=5)
    settings = Settings(DataConfig("toy"), extra=(receipts,), fields=(FieldSpec("total", "one"),))
    documents = load_splits(settings, ["total"]).train[-3:]
    labels = {e.label for document in documents for e in document.entities()}
    assert labels == {"other", "total"}


def test_made_up_documents_are_tested_on_others() -> None:
    settings = settings_from({"data": {"source": "synthetic-id", "limit": 8, "test": "test"}})
    splits = load_splits(settings, schema_of(settings).labels[1:])
    assert len(splits.train) + len(splits.validation) == 8
    assert len(splits.test) == 8


def test_batches_hold_pages_of_like_size_in_an_order_of_the_epoch() -> None:
    sizes = [at * 7 % 50 for at in range(80)]
    sampler = LikeSizes(sizes, 10, seed=1)
    first = list(sampler)
    assert sorted(first) == list(range(80))
    assert first == list(sampler)
    spread = [
        max(sizes[at] for at in first[k : k + 10]) - min(sizes[at] for at in first[k : k + 10])
        for k in range(0, 80, 10)
    ]
    assert max(spread) < 12
    sampler.set_epoch(1)
    assert list(sampler) != first


def test_augmentation_moves_boxes_and_centres_together() -> None:
    page = pages_of(toy_documents(1))[0]
    model = build_model(settings_from({"data": {"source": "toy"}}).model, TOY)
    (graph,) = make_examples([KieDocument("a", (page,))], model, TOY)
    batch = Collator(model.design.hop_cap)([graph])
    still = augment(batch, TrainingConfig(jitter=0.0, shift=0.0))
    assert all(still[name].equal(tensor) for name, tensor in batch.items())
    torch.manual_seed(0)
    moved = augment(batch, TrainingConfig())
    layout, centres = moved["features"][0], moved["centres"][0]
    assert ((layout[:, 0] + layout[:, 2]) / 2).allclose(centres[:, 0], atol=1e-5)
    assert (layout[:, 2] - layout[:, 0]).allclose(layout[:, 4], atol=1e-5)
    assert not layout[:, :4].allclose(batch["features"][0, :, :4], atol=1e-3)
    assert layout[:, 6:].equal(batch["features"][0, :, 6:])
    hidden = augment(batch, TrainingConfig(jitter=0.0, shift=0.0, placeless=1.0))["features"]
    assert (hidden[..., list(PLACE)] == 0.5).all()
    others = [at for at in range(FEATURE_SIZE) if at not in PLACE]
    assert hidden[..., others].equal(batch["features"][..., others])


def truth(*classes: int, also: dict[int, int] | None = None, blank: int = -1) -> Truth:
    candidates = np.zeros((len(classes), 3), bool)
    for entity, c in (also or {}).items():
        candidates[entity, c] = True
    return Truth(np.array(classes), candidates, np.arange(len(classes)) != blank)


def test_scores_worked_by_hand() -> None:
    gold = [truth(1, 0, 2, 2), truth(0, 1)]
    found = [np.array([1, 1, 2, 0]), np.array([0, 0])]
    scores = score(found, gold, SCHEMA)
    assert scores.micro == pytest.approx(2 * 2 / (3 + 4))
    assert scores.fields == pytest.approx({"total": 0.5, "address": 2 / 3})
    assert scores.macro == pytest.approx((0.5 + 2 / 3) / 2)
    assert scores.violations == 1


@pytest.mark.parametrize(
    ("found", "f1"),
    [([1, 0, 0], 1.0), ([0, 1, 0], 1.0), ([0, 0, 1], 0.0), ([1, 1, 0], 2 / 3), ([0, 0, 0], 0.0)],
)
def test_a_total_is_right_on_any_line_that_carries_it(found: list[int], f1: float) -> None:
    scores = score([np.array(found)], [truth(1, 0, 0, also={1: 1})], SCHEMA)
    assert scores.micro == pytest.approx(f1)


def test_entities_without_text_are_not_scored() -> None:
    scores = score([np.array([2, 0])], [truth(2, 2, blank=1)], SCHEMA)
    assert scores.micro == 1.0
    page = KiePage(9.0, 9.0, (KieEntity(" ", BBox(0, 0, 1, 1), "total"),))
    assert truth_of(page, SCHEMA).scored.tolist() == [False]


def test_matching_removes_what_argmax_gives_twice() -> None:
    page = np.log([[0.1, 0.8, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]])
    found = evaluate([page], [truth(1, 0, 2)], SCHEMA, (0.0,))
    assert (found.argmax.violations, found.matched.violations) == (1, 0)
    assert found.matched.micro == 1.0 > found.argmax.micro
    assert (found.pages, found.entities) == (1, 3)


def grid_page() -> EntityPage:
    boxes = (BBox(0, 0, 30, 10), BBox(60, 1, 90, 11), BBox(0, 20, 30, 30), BBox(5, 40, 25, 50))
    return EntityPage(100.0, 100.0, ("TOTAL", "9.00", "CASH", ""), boxes)


def test_the_words_of_neighbours_say_their_side() -> None:
    page = grid_page()
    assert neighbour_words(page)[:3] == ["right:0.00 below:cash", "left:total", "above:total"]


def test_the_floor_needs_its_neighbours_to_tell_the_total() -> None:
    train, test = pages_of(toy_documents(40, seed=1)), pages_of(toy_documents(20, seed=2))
    labels = [page_labels(page, TOY).numpy() for page in train]
    gold = [truth_of(page, TOY) for page in test]

    def total_f1(neighbours: bool) -> float:
        scores = floor_predictions(
            [entity_page(page) for page in train],
            labels,
            [entity_page(page) for page in test],
            len(TOY.labels),
            neighbours=neighbours,
        )
        assert [len(page) for page in scores] == [len(page.classes) for page in gold]
        return score([page.argmax(1) for page in scores], gold, TOY).fields["total"]

    assert total_f1(True) > 0.95
    assert total_f1(False) < 0.9


def test_noise_keeps_labels_with_their_words() -> None:
    documents = toy_documents(60)
    ones = [TOY.labels[c] for c in TOY.ones]
    assert with_noise(documents, 0.0, ones, seed=1) == documents
    noisy = with_noise(documents, 1.0, ones, seed=1)
    assert noisy == with_noise(documents, 1.0, ones, seed=1)
    assert noisy != with_noise(documents, 1.0, ones, seed=2)
    counts = [[len(list(d.entities())) for d in some] for some in (documents, noisy)]
    assert any(after > before for before, after in zip(*counts, strict=True))
    for before, after in zip(documents, noisy, strict=True):
        for name in ones:
            (one,) = [e for e in after.entities() if e.label == name]
            (was,) = [e for e in before.entities() if e.label == name]
            assert one.box.y0 == was.box.y0


def test_noise_joins_a_key_with_its_value() -> None:
    left, right = BBox(0, 0, 30, 10), BBox(40, 0, 60, 10)
    page = KiePage(90.0, 90.0, (KieEntity("TOTAL", left), KieEntity("9.00", right, "total")))
    documents = [KieDocument(str(at), (page,)) for at in range(200)]
    pages = [d.pages[0].entities for d in with_noise(documents, 1.0, ["total"], seed=1)]
    joined = [entities for entities in pages if len(entities) == 1]
    assert joined
    assert all((e.label, e.box) == ("total", BBox(0, 0, 60, 10)) for (e,) in joined)


def test_a_class_that_nobody_labelled_counts_as_none_in_the_evaluation() -> None:
    page = KiePage(10.0, 10.0, (KieEntity("x", BBox(0, 0, 1, 1)),))
    model = build_model(settings_from({"data": {"source": "toy"}}).model, SCHEMA)
    documents = [KieDocument("a", (page,)), KieDocument("b", (page,), annotated=("total",))]
    (every, known), _ = asked(model, documents, SCHEMA)
    assert np.exp(known[0, 0]) == pytest.approx(np.exp(every[0, 0]) + np.exp(every[0, 2]))
    assert known[0, 1] == pytest.approx(every[0, 1])
    assert np.exp(known).sum() == pytest.approx(1.0)
