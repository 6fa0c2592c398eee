"""Training from configuration to a model that loads; stopping and resuming, adapters, the clock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image
from safetensors.torch import load_file
from transformers import TrainerCallback

from docpipe.errors import ConfigError
from docpipe.parsers.docfusion.weights import load
from docpipe.training.docfusion.settings import Settings, load_settings
from docpipe.training.docfusion.study import ARMS, study, table
from docpipe.training.train_docfusion import main, make_model, train

TOY = Path(__file__).parents[3] / "training" / "configs" / "docfusion-toy.toml"
NARROW = {
    "vision": {"dims": [8, 16, 16], "heads": [1, 2, 2]},
    "text": {"width": 16, "layers": 1, "heads": 2, "feed_forward": 16, "dropout": 0.1},
}


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
        "training": training,
    }
    return msgspec.convert(data | changes, Settings)


class StopAfter(TrainerCallback):  # type: ignore[misc]
    def __init__(self, steps: int) -> None:
        self.steps = steps

    def on_step_end(self, _: object, state: object, control: object, **__: object) -> None:
        if state.global_step == self.steps:  # type: ignore[attr-defined]
            control.should_training_stop = True  # type: ignore[attr-defined]


class Ticking:
    """A clock that a minute passes on whenever it is looked at."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 60
        return self.seconds


def weights(folder: Path) -> dict[str, Any]:
    return dict(load_file(folder / "model.safetensors"))


def test_a_run_leaves_a_model_a_card_a_log_and_pictures(tmp_path: Path) -> None:
    tasks = {"text": 1.0, "layout": 1.0, "table": 1.0, "formula": 1.0}
    card = train(small(tasks, training={"steps": 8, "evaluations": 1}), tmp_path, command="it")
    stored = json.loads((tmp_path / "model_card.json").read_text())
    assert stored == json.loads(msgspec.json.encode(card))
    assert (stored["command"], stored["steps"]) == ("it", 8)
    assert sum(card.samples.values()) == 16
    assert {"eval_text_ned", "eval_layout_f1_50", "eval_table_grid_f1"} <= set(card.evaluation)
    log = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert sum("loss" in row for row in log) == 8
    for task in tasks:
        with Image.open(tmp_path / "samples" / f"{task}-8.png") as picture:
            assert picture.width == 1200
    assert load(tmp_path).model.config == card.config


def test_a_stopped_and_resumed_run_ends_with_the_very_same_weights(tmp_path: Path) -> None:
    settings = small({"text": 1.0, "formula": 1.0}, training={"steps": 6, "checkpoints": 2})
    train(settings, tmp_path / "whole")
    train(settings, tmp_path / "parts", callbacks=[StopAfter(3)])
    stopped = weights(tmp_path / "parts")
    card = train(settings, tmp_path / "parts", resume=True)
    whole, resumed = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert (card.steps, sum(card.samples.values())) == (6, 12)
    assert all(tensor.equal(resumed[name]) for name, tensor in whole.items())
    assert not all(tensor.equal(stopped[name]) for name, tensor in whole.items())


def test_a_run_by_minutes_ends_with_them(tmp_path: Path) -> None:
    settings = small(training={"minutes": 30.0, "evaluations": 2, "checkpoints": 3})
    card = train(settings, tmp_path, clock=Ticking())
    assert 3 <= card.steps < 30
    assert card.minutes >= 30
    log = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert sum("eval_text_ned" in row for row in log) >= 2
    rates = [row["learning_rate"] for row in log if "learning_rate" in row]
    assert rates[-1] < 0.3 * max(rates)
    assert any((tmp_path / "checkpoints").glob("checkpoint-*/progress.json"))


def test_fine_tuning_in_full_and_with_adapters(tmp_path: Path) -> None:
    train(small(), tmp_path / "base")
    base = weights(tmp_path / "base")
    init = {"model": {"init": str(tmp_path / "base")}}

    full = train(small(**init), tmp_path / "full")
    lora = train(small(**init, lora={"rank": 2, "alpha": 4}), tmp_path / "lora")
    assert full.trained_parameters > full.parameters  # the auxiliary head is trained, too
    assert lora.trained_parameters < 0.3 * lora.parameters
    assert lora.parameters == full.parameters

    tuned = weights(tmp_path / "lora")
    assert set(tuned) == set(base)
    moved = {name for name in base if not tuned[name].equal(base[name])}
    assert moved
    assert all("q_proj" in name or "v_proj" in name or "qkv" in name for name in moved)
    with pytest.raises(ConfigError, match="no module is called nothing"):
        train(small(**init, lora={"targets": ["nothing"]}), tmp_path / "none")


def test_adapters_survive_a_resume(tmp_path: Path) -> None:
    settings = small(lora={"rank": 2}, training={"steps": 4, "checkpoints": 2})
    train(settings, tmp_path / "whole")
    train(settings, tmp_path / "parts", callbacks=[StopAfter(2)])
    train(settings, tmp_path / "parts", resume=True)
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(tensor.equal(parts[name]) for name, tensor in whole.items())


def test_the_seed_decides_the_weights() -> None:
    def first(seed: int) -> float:
        import transformers

        transformers.set_seed(seed)
        return float(make_model(small())[0].image_projection.detach().sum())

    assert first(1) == first(1) != first(2)


def test_what_cannot_be_trained_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match="no checkpoint in"):
        train(small(), tmp_path, resume=True)
    too_long = small({"table": 1.0}, model={"changes": NARROW | {"text": {"targets": 12}}})
    with pytest.raises(ConfigError, match="longer than the model writes"):
        train(too_long, tmp_path)
    assert main([str(tmp_path / "none.toml"), str(tmp_path)]) == 2
    assert "no such training configuration" in capsys.readouterr().err


def test_the_study_compares_arms_and_goes_on_where_it_was(tmp_path: Path) -> None:
    settings = small({"layout": 1.0})
    (tmp_path / "steps.json").write_text("2")
    arms = ("ce", "gk_cel")
    runs = study(settings, tmp_path, minutes=1, seeds=2, arms=arms, jitters=(0,))
    assert [(run.arm, run.seed, run.steps) for run in runs] == [
        ("ce", 1, 2), ("gk_cel", 1, 2), ("ce", 2, 2), ("gk_cel", 2, 2)
    ]  # fmt: skip
    assert all(0 < run.figures["location_gradient"] < 1 for run in runs)
    assert all(run.figures["layout_cross_entropy"] > 0 for run in runs)
    shown = (tmp_path / "study.md").read_text()
    assert shown == table(runs)
    assert "| gk_cel | 0 | 2 |" in shown
    assert study(settings, tmp_path, minutes=1, seeds=2, arms=arms, jitters=(0,)) == runs
    assert set(arms) < set(ARMS)


@pytest.mark.slow
def test_two_processes_train_one_model(tmp_path: Path) -> None:
    config = tmp_path / "two.toml"
    config.write_text(
        """
        stage = [{until = 1.0, tasks = {text = 1.0, formula = 1.0}}]
        lengths = {text = 8, formula = 16}
        training = {steps = 3, batch_size = 2, evaluation = 2, evaluations = 1}
        [model.changes]
        vision = {dims = [8, 16, 16], heads = [1, 2, 2]}
        text = {width = 16, layers = 1, heads = 2, feed_forward = 16}
        """
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    command += ["-m", "docpipe.training.train_docfusion", str(config), str(tmp_path / "out")]
    subprocess.run(command, check=True, capture_output=True, timeout=280)
    card = json.loads((tmp_path / "out" / "model_card.json").read_text())
    assert sum(card["samples"].values()) == 12


@pytest.mark.slow
def test_the_toy_samples_are_learnt_by_heart_in_two_minutes(tmp_path: Path) -> None:
    card = train(load_settings(TOY), tmp_path)
    assert card.evaluation["eval_text_ned"] == 0
    assert card.evaluation["eval_formula_ned"] == 0
    assert card.evaluation["eval_table_cell_f1"] == 1
    assert card.evaluation["eval_layout_f1_75"] == 1
    assert card.minutes < 4  # a busy machine takes longer
