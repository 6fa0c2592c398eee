"""Training from configuration to a model that loads; phases, warm starts, resuming, adapters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file

from docpipe.errors import ConfigError
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.weights import save as save_docfusion
from docpipe.parsers.pabdm.loss import CSL
from docpipe.parsers.pabdm.weights import load
from docpipe.training.pabdm.settings import LossSettings, Settings, load_settings
from docpipe.training.train_pabdm import main, train
from tests.parsers.docfusion.models import small_tiny
from tests.training.docfusion.test_train_docfusion import StopAfter, Ticking

TOY = Path(__file__).parents[3] / "training" / "configs" / "pabdm-toy.toml"
NARROW = {
    "width": 16, "layers": 1, "heads": 2, "feed_forward": 16, "block": 4, "longest": 96,
    "vision": {"dims": [8, 16, 16], "heads": [1, 2, 2]},
}  # fmt: skip


def small(tasks: dict[str, float] | None = None, **changes: Any) -> Settings:
    training = {
        "batch_size": 2, "rate": 1e-2, "evaluation": 2, "evaluations": 0, "checkpoints": 0,
        "log_steps": 1, "pool": 4, "on": "train",
    }  # fmt: skip
    training |= changes.pop("training", {"steps": 3})
    data: dict[str, Any] = {
        "model": {"changes": NARROW},
        "lengths": {"text": 8, "formula": 16, "table": 80},
        "stage": [{"until": 1.0, "tasks": tasks or {"text": 1.0}}],
        "phase": [{"until": 1.0, "loss": "suffix_ce"}],
        "training": training,
    }
    return msgspec.convert(data | changes, Settings)


def weights(folder: Path) -> dict[str, Any]:
    return dict(load_file(folder / "model.safetensors"))


def training_weights(folder: Path) -> dict[str, Any]:
    return dict(load_file(folder / "training.safetensors"))


def phases(*kinds: str) -> list[dict[str, Any]]:
    return [{"until": (at + 1) / len(kinds), "loss": kind} for at, kind in enumerate(kinds)]


def test_a_run_goes_through_its_phases_and_leaves_model_card_log_and_pictures(
    tmp_path: Path,
) -> None:
    settings = small(
        {"text": 1.0, "table": 1.0, "formula": 1.0},
        phase=phases("next", "bd3lm", "suffix_ce", "csl"),
        training={"steps": 8, "evaluations": 2, "bf16": True},
    )
    card = train(settings, tmp_path, command="it")
    stored = json.loads((tmp_path / "model_card.json").read_text())
    assert stored == json.loads(msgspec.json.encode(card))
    assert (card.steps, sum(card.samples.values()), card.config.mode) == (8, 16, "causal")
    wanted = {"eval_text_ned", "eval_table_cell_f1", "eval_text_tokens_per_forward"}
    assert wanted <= set(card.evaluation)
    log = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    active = ["active_per_block" in row for row in log if "loss" in row]
    assert active == [False, False, *[True] * 6]
    assert all(1 <= row["active_per_block"] <= 4 for row in log if "active_per_block" in row)
    with Image.open(tmp_path / "samples" / "formula-8.png") as picture:
        assert picture.width == 1200
    assert load(tmp_path).config == card.config


@pytest.mark.parametrize("extra", [{}, {"lora": {"rank": 2, "targets": ["qkv", "out"]}}])
def test_a_stopped_and_resumed_run_ends_with_the_very_same_weights(
    tmp_path: Path, extra: dict[str, Any]
) -> None:
    settings = small(phase=phases("next", "csl"), training={"steps": 6, "checkpoints": 2}, **extra)
    train(settings, tmp_path / "whole")
    train(settings, tmp_path / "parts", callbacks=[StopAfter(3)])
    stopped = weights(tmp_path / "parts")
    train(settings, tmp_path / "parts", resume=True)
    whole, resumed = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(tensor.equal(resumed[name]) for name, tensor in whole.items())
    assert not all(tensor.equal(stopped[name]) for name, tensor in whole.items())


def test_a_run_by_minutes_changes_phase_by_the_clock(tmp_path: Path) -> None:
    settings = small(phase=phases("next", "suffix_ce"), training={"minutes": 30.0})
    card = train(settings, tmp_path, clock=Ticking())
    assert 3 <= card.steps < 30
    log = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    active = ["active_per_block" in row for row in log if "loss" in row]
    assert active == sorted(active)
    assert set(active) == {False, True}


def test_warm_starts_from_weights_and_from_the_eyes_of_docfusion(tmp_path: Path) -> None:
    train(small(phase=phases("next")), tmp_path / "next")
    assert load(tmp_path / "next").config.mode == "next"
    warm = small(phase=phases("csl"), model={"init": str(tmp_path / "next")})
    card = train(warm, tmp_path / "csl")
    assert card.config.mode == "causal"
    for kind in (weights, training_weights):
        before, after = kind(tmp_path / "next"), kind(tmp_path / "csl")
        moved = max(float((after[name] - before[name]).abs().max()) for name in before)
        assert 0 < moved < 0.1  # three steps of at most 1e-2

    torch.manual_seed(0)
    lender = small_tiny()
    save_docfusion(tmp_path / "eyes", DocFusion(lender))
    vision = msgspec.to_builtins(lender.vision)
    changes = NARROW | {"width": lender.text.width, "vision": vision}
    given = small(model={"changes": changes, "vision": str(tmp_path / "eyes")})
    train(given, tmp_path / "seeing")
    name = "vision.vision_tower.convs.0.proj.weight"
    lent = DocFusion(lender).vision_tower.state_dict()  # names, with other weights
    assert name.removeprefix("vision.vision_tower.") in lent
    eyes = load_file(tmp_path / "eyes" / "model.safetensors")[name.removeprefix("vision.")]
    assert float((weights(tmp_path / "seeing")[name] - eyes).abs().max()) < 0.1


def test_the_seed_decides_the_noise_and_the_weights(tmp_path: Path) -> None:
    first = [train(small(seed=seed), tmp_path / str(at)) for at, seed in enumerate((1, 1, 2))]
    assert first[0].evaluation == first[1].evaluation
    one, two, other = (weights(tmp_path / str(at)) for at in range(3))
    assert all(tensor.equal(two[name]) for name, tensor in one.items())
    assert not all(tensor.equal(other[name]) for name, tensor in one.items())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stage": [{"until": 1.0, "tasks": {"layout": 1.0}}]}, "no layout"),
        ({"phase": [{"until": 0.5, "loss": "csl"}]}, "until = 1.0"),
        ({"phase": [{"until": 1.0, "loss": "magic"}]}, "magic"),
        ({"loss": {"low": 0.99}}, "low <= high"),
        ({"loss": {"high": 1.5}}, "low <= high"),
    ],
)
def test_settings_that_cannot_be_are_told(changes: dict[str, Any], message: str) -> None:
    with pytest.raises((ConfigError, msgspec.ValidationError), match=message):
        small(**changes)


def test_thresholds_have_names_and_may_be_given() -> None:
    assert LossSettings().thresholds == CSL["code"]
    assert LossSettings(csl="paper", low=0.5).thresholds == (0.95, 0.5, 0.0)


def test_what_cannot_be_trained_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match="no module is called nothing"):
        train(small(lora={"targets": ["nothing"]}), tmp_path)
    assert main([str(tmp_path / "none.toml"), str(tmp_path)]) == 2
    assert "no such training configuration" in capsys.readouterr().err


@pytest.mark.slow
def test_the_toy_samples_are_learnt_by_heart_in_minutes(tmp_path: Path) -> None:
    card = train(load_settings(TOY), tmp_path)
    assert card.evaluation["eval_text_ned"] == 0
    assert card.evaluation["eval_formula_ned"] == 0
    assert card.evaluation["eval_table_cell_f1"] == 1
    assert card.evaluation["eval_table_tokens_per_forward"] > 2
