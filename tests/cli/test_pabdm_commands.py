"""PA-BDM's training, as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Docpipe = Callable[..., Any]

SMALL = """
lengths = {text = 8}
stage = [{until = 1.0, tasks = {text = 1.0}}]
phase = [{until = 0.5, loss = "next"}, {until = 1.0, loss = "csl"}]
training = {steps = 2, batch_size = 2, evaluation = 2, evaluations = 0, checkpoints = 0}
[model.changes]
vision = {dims = [8, 16, 16], heads = [1, 2, 2]}
width = 16
layers = 1
heads = 2
feed_forward = 16
"""


def test_a_recogniser_is_trained_and_named_in_place_of_another(
    docpipe: Docpipe, tmp_path: Path
) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    trained = docpipe("train", "pabdm", tmp_path / "small.toml", "-o", tmp_path / "model", "--json")
    assert trained.code == 0
    assert json.loads(trained.out)["samples"] == {"text": 4}
    stages = docpipe("stages", "--json")
    assert "PaBdmRecognizer" in stages.out

    (tmp_path / "small.toml").write_text("phase = []\ntraining = {steps = 1}")
    wrong = docpipe("train", "pabdm", tmp_path / "small.toml", "-o", tmp_path / "other")
    assert (wrong.code, "[[phase]]" in wrong.err) == (2, True)
