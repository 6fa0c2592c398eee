"""Training from configuration to a classifier that loads; stopping and resuming."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from safetensors.torch import load_file
from transformers import TrainerCallback

from docpipe.errors import ConfigError
from docpipe.parsers.entities.classifier import KnnFormerClassifier
from docpipe.testing import check_classifier
from docpipe.training.knnformer.settings import Settings, load_settings, settings_from
from docpipe.training.train_knnformer import main, train

TOY = Path(__file__).parents[2] / "training" / "configs" / "knnformer-toy.toml"


def tiny(steps: int, **training: object) -> Settings:
    return settings_from(
        {
            "data": {"source": "toy"},
            "model": {"width": 16, "layers": 1, "heads": 2, "buckets": 256},
            "loss": {"targets": "hungarian", "field_loss": "sinkhorn"},
            "training": {"max_steps": steps, "batch_size": 4, "log_steps": 1, **training},
        }
    )


class StopAfter(TrainerCallback):  # type: ignore[misc]
    def __init__(self, steps: int) -> None:
        self.steps = steps

    def on_step_end(self, _: object, state: object, control: object, **__: object) -> None:
        if state.global_step == self.steps:  # type: ignore[attr-defined]
            control.should_training_stop = True  # type: ignore[attr-defined]


def test_twenty_steps_lead_to_a_classifier_and_a_card(tmp_path: Path) -> None:
    card = train(tiny(20, rate=1e-2), tmp_path, command="the command")
    losses = [
        row["loss"]
        for row in map(json.loads, (tmp_path / "metrics.jsonl").read_text().splitlines())
        if "loss" in row
    ]
    assert len(losses) == 20
    assert sum(losses[-3:]) < 0.8 * sum(losses[:3])
    assert card.evaluation.matched.violations == 0
    assert card.evaluation.matched.micro > 0.2
    stored = json.loads((tmp_path / "model_card.json").read_text())
    assert stored == json.loads(msgspec.json.encode(card))
    assert stored["settings"]["seed"] == 1
    assert stored["command"] == "the command"
    predictions = (tmp_path / "predictions.jsonl").read_text().splitlines()
    assert set(json.loads(predictions[0])) == {"page", "text", "gold", "predicted"}
    check_classifier(KnnFormerClassifier(tmp_path))


def test_a_stopped_and_resumed_run_ends_with_the_very_same_weights(tmp_path: Path) -> None:
    settings = tiny(7, save_steps=4)  # three batches an epoch: it stops amid the second
    train(settings, tmp_path / "whole")
    train(settings, tmp_path / "parts", callbacks=[StopAfter(4)])
    stopped = load_file(tmp_path / "parts" / "model.safetensors")
    card = train(settings, tmp_path / "parts", resume=True)
    whole = load_file(tmp_path / "whole" / "model.safetensors")
    resumed = load_file(tmp_path / "parts" / "model.safetensors")
    assert card.steps == 7
    assert all(tensor.equal(resumed[name]) for name, tensor in whole.items())
    assert not all(tensor.equal(stopped[name]) for name, tensor in whole.items())


def test_the_seed_decides(tmp_path: Path) -> None:
    def weights(name: str, seed: int) -> bytes:
        train(msgspec.structs.replace(tiny(2), seed=seed), tmp_path / name)
        return (tmp_path / name / "model.safetensors").read_bytes()

    first = weights("first", 5)
    assert weights("again", 5) == first
    assert weights("other", 6) != first


def test_resuming_nothing_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match="no checkpoint in"):
        train(tiny(1), tmp_path, resume=True)
    assert main([str(TOY), str(tmp_path), "--resume"]) == 2
    assert "train without --resume" in capsys.readouterr().err
    assert main([str(tmp_path / "none.toml"), str(tmp_path)]) == 2


@pytest.mark.slow
def test_the_toy_receipts_are_learnt_by_heart_in_two_minutes(tmp_path: Path) -> None:
    card = train(load_settings(TOY), tmp_path)
    assert card.evaluation.argmax.micro == 1.0
    assert card.evaluation.matched.micro == 1.0
    assert card.seconds < 120


@pytest.mark.slow
def test_two_processes_train_one_model(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(
        """
        [data]
        source = "toy"
        [model]
        width = 16
        layers = 1
        heads = 2
        buckets = 256
        [training]
        max_steps = 6
        batch_size = 2
        """
    )
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    script = ["-m", "docpipe.training.train_knnformer", "tiny.toml", "out"]
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": root}
    subprocess.run([*launcher, *script], cwd=tmp_path, env=environment, check=True, timeout=280)
    card = json.loads((tmp_path / "out" / "model_card.json").read_text())
    assert card["steps"] == 6
    check_classifier(KnnFormerClassifier(tmp_path / "out"))
