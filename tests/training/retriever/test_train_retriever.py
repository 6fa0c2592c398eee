"""The text embedder trained on questions and pages, with a BERT of a few thousand weights."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from docpipe.datasets.questions.record import GoldQuestion, write_jsonl
from docpipe.errors import ConfigError
from docpipe.library import Library
from docpipe.testing import check_embedder
from docpipe.training.retriever.data import load_data
from docpipe.training.retriever.settings import Settings, load_settings, settings_from
from tests.pdfs import write_pdf
from tests.training.retriever.tiny_bert import write_bert

pytest.importorskip("sentence_transformers")
from safetensors.torch import load_file
from transformers import TrainerCallback

from docpipe.retrieval.dense import MiniLmEmbedder
from docpipe.training.train_retriever import main, train

TOY = Path(__file__).parents[3] / "training" / "configs" / "retriever-toy.toml"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture
def settings(tiny: Path) -> Callable[..., Settings]:
    def made(steps: int, **training: Any) -> Settings:
        return settings_from(
            {
                "weights": str(tiny),
                "data": {"source": "toy", "documents": 20},
                "training": {"max_steps": steps, "batch_size": 12, "rate": 5e-3, **training},
            }
        )

    return made


class StopAfter(TrainerCallback):  # type: ignore[misc]
    def __init__(self, steps: int) -> None:
        self.steps = steps

    def on_step_end(self, _: object, state: Any, control: Any, **__: object) -> None:
        control.should_training_stop = state.global_step == self.steps


def test_words_that_no_page_has_are_learnt_and_the_folder_is_an_embedder(
    settings: Callable[..., Settings], tmp_path: Path
) -> None:
    card = train(settings(60, log_steps=20), tmp_path, command="the command")
    assert card.before.questions == card.after.questions == 24
    assert card.after.recall[1] > card.before.recall[1] + 0.3
    assert card.after.recall[5] >= card.after.recall[3] >= card.after.recall[1] > 0.6
    stored = json.loads((tmp_path / "model_card.json").read_text())
    assert stored == json.loads(msgspec.json.encode(card))
    assert stored["command"] == "the command"
    assert "loss" in (tmp_path / "metrics.jsonl").read_text()
    lines = (tmp_path / "predictions.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    right = np.mean([row["found"][0] in row["gold"] for row in found])
    assert right == pytest.approx(card.after.recall[1])
    check_embedder(MiniLmEmbedder(tmp_path))


def test_a_run_that_was_stopped_and_resumed_ends_with_the_same_weights(
    settings: Callable[..., Settings], tmp_path: Path
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train(settings(6, save_steps=3), whole)
    train(settings(6, save_steps=3), parts, callbacks=[StopAfter(3)])
    assert train(settings(6, save_steps=3), parts, resume=True).steps == 6
    once, again = (load_file(folder / "model.safetensors") for folder in (whole, parts))
    assert all(bool((once[name] == again[name]).all()) for name in once)


def test_pairs_come_from_a_library_and_its_questions(tmp_path: Path) -> None:
    write_pdf(tmp_path / "in" / "a.pdf", ["The mill has rent to pay.", "The mill is red."])
    write_pdf(tmp_path / "in" / "b.pdf", ["The ship sails.", "The ship is blue."])
    library = Library.create(tmp_path / "lib")
    library.ingest(tmp_path / "in", jobs=1)
    questions = [
        asked(library, "a.pdf", "What colour has the mill?", 2),
        asked(library, "b.pdf", "What colour has the ship?", 2),
        asked(library, "b.pdf", "Who steals the ship?"),
    ]
    write_jsonl(tmp_path / "q.jsonl", questions)
    data = {"source": "library", "library": str(tmp_path / "lib")}
    found = load_data(settings_from({"data": data | {"questions": str(tmp_path / "q.jsonl")}}))
    [example], [measured] = found.train, found.validation
    assert {example.question, measured.question} == {q.question for q in questions[:2]}
    assert "is" in example.positive
    assert "is" not in example.negative.split()
    assert measured.pages == {2}
    assert found.pools[measured.document].pages == (1, 2)
    write_jsonl(tmp_path / "q.jsonl", questions[:1])
    with pytest.raises(ConfigError, match="two documents"):
        load_data(settings_from({"data": data | {"questions": str(tmp_path / "q.jsonl")}}))


def asked(library: Library, name: str, question: str, *pages: int) -> GoldQuestion:
    id = library.find(name)
    return GoldQuestion(
        id=question,
        kind="test",
        question=question,
        answer="",
        format="Str",
        how="given",
        documents=(id,),
        pages=tuple((id, page) for page in pages),
        answerable=bool(pages),
    )


def test_mistakes_in_the_configuration_are_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load_settings(TOY).data.source == "toy"
    path = tmp_path / "x.toml"
    for text, message in [
        ('[data]\nsource = "library"\n', "data.questions"),
        ('[data]\nsource = "moon"\n', "moon"),
        ('[data]\nsource = "toy"\n[training]\nrate = -1.0\n', "rate"),
    ]:
        path.write_text(text)
        assert main([str(path), str(tmp_path / "out")]) == 2
        assert message in capsys.readouterr().err
    path.write_text('[data]\nsource = "toy"\n')
    assert main([str(path), str(tmp_path / "out"), "--resume"]) == 2
