"""`docpipe train retriever` on a few made-up documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sentence_transformers")
from tests.training.retriever.tiny_bert import write_bert


def test_an_embedder_is_trained_and_its_recall_shown(
    docpipe: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "bert").mkdir()
    config = tmp_path / "small.toml"
    weights = json.dumps(str(write_bert(tmp_path / "bert")))
    config.write_text(
        f'weights = {weights}\n[data]\nsource = "toy"\ndocuments = 4\n'
        "[training]\nmax_steps = 2\nbatch_size = 4\n"
    )
    shown = docpipe("train", "retriever", config, "-o", tmp_path / "model")
    assert shown.code == 0, shown.err
    assert "before" in shown.out
    resumed = docpipe("train", "retriever", config, "-o", tmp_path / "no", "--resume", "--json")
    assert resumed.code == 2
    assert "no checkpoint" in resumed.err
