"""The weights that docpipe brings along for its own schemas."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from docpipe.parsers.entities.classifier import log_probabilities
from docpipe.parsers.entities.schema import BUILT_IN, find_schema
from docpipe.parsers.entities.weights import load
from tests.parsers.entities.pages import random_page

SHIPPED = Path(__file__).parents[3] / "parsers" / "entities" / "weights"


@pytest.mark.parametrize("name", BUILT_IN)
def test_shipped_weights_know_the_fields_of_their_schema(name: str) -> None:
    model, config = load(SHIPPED / name)
    assert config.schema.labels == find_schema(name).labels
    assert model.core_parameters() <= 500_000
    (scores,) = log_probabilities(model, [random_page(60)])
    assert np.isfinite(scores).all()
    assert {path.name for path in (SHIPPED / name).iterdir()} == {
        "config.json",
        "model.safetensors",
        "model_card.json",
    }


def test_shipped_weights_take_less_than_eight_megabytes() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*")) < 8_000_000
