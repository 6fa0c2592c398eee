"""Training of an agent's policy, as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Docpipe = Callable[..., Any]

SMALL = """
[data]
toy = 1

[policy]
options = {path = "toy", max_tokens = 4}

[env]
turns = 1
reader = "fake"

[training]
steps = 1
questions = 1
group = 2
"""


def test_one_update_of_a_tiny_language_model(docpipe: Docpipe, tmp_path: Path) -> None:
    config, out = tmp_path / "agent.toml", tmp_path / "model"
    config.write_text(SMALL)
    trained = docpipe("train", "agent", config, "-o", out, "--json")
    assert trained.code == 0
    card = json.loads(trained.out)
    assert card["questions"] == 1
    assert card["trained_parameters"] == card["parameters"] > 10_000
    assert {"model.safetensors", "model_card.json", "metrics.jsonl", "rollouts"} <= {
        path.name for path in out.iterdir()
    }
    shown = docpipe("train", "agent", config, "-o", out, "--resume")
    assert shown.code == 0
    assert "reward" in shown.out

    config.write_text("[data]\ntoy = 1\nsteps = 3")
    wrong = docpipe("train", "agent", config, "-o", out)
    assert (wrong.code, "steps" in wrong.err) == (2, True)
