"""Weights in a folder: whole, and in little space."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from docpipe.parsers.entities.classifier import log_probabilities
from docpipe.parsers.entities.weights import SavedConfig, load, save
from tests.parsers.entities.pages import SCHEMA, random_page, small_model


@pytest.mark.parametrize("compact", [False, True])
def test_what_is_saved_is_loaded(tmp_path: Path, compact: bool) -> None:
    model, page = small_model(), random_page(20)
    save(tmp_path, model, SavedConfig(model.design, SCHEMA, (0.0, 0.5)), compact=compact)
    again, config = load(tmp_path)
    assert config.thresholds == (0.0, 0.5)
    before, after = (log_probabilities(each, [page])[0] for each in (model, again))
    assert after == pytest.approx(before, abs=0.05 if compact else 0)
    assert (after.argmax(1) == before.argmax(1)).all() or compact


def test_compact_weights_take_far_less_space(tmp_path: Path) -> None:
    model = small_model(buckets=4096)
    config = SavedConfig(model.design, SCHEMA, (0.0, 0.0))
    for compact in (False, True):
        save(tmp_path / str(compact), model, config, compact=compact)
    whole, small = (
        (tmp_path / str(compact) / "model.safetensors").stat().st_size for compact in (False, True)
    )
    assert small < 0.4 * whole


def test_using_a_model_loads_nothing_that_only_training_needs() -> None:
    check = (
        "import sys, docpipe.parsers.entities.classifier; "
        "print([m for m in ('torch_geometric', 'transformers', 'sklearn') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
