"""Data for DocFusion and its training, as a person uses them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docpipe.datasets.docfusion.stored import StoredSamples

Docpipe = Callable[..., Any]

SMALL = """
lengths = {text = 8}
stage = [{until = 1.0, tasks = {text = 1.0}}]
source = [{task = "text", kind = "stored", path = "%s", share = 0.5}]
training = {steps = 2, batch_size = 2, evaluation = 2, evaluations = 0, checkpoints = 0}
[model.changes]
vision = {dims = [8, 16, 16], heads = [1, 2, 2]}
text = {width = 16, layers = 1, heads = 2, feed_forward = 16}
"""


def test_a_folder_is_labelled_and_trained_on(
    docpipe: Docpipe, folder: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    labelled = docpipe("data", "docfusion", folder, "-o", data)
    assert labelled.code == 1
    assert "secret.pdf: needs_password" in labelled.out
    assert "from 4 documents" in labelled.out
    texts = StoredSamples(data, "text")
    assert "The Aldern mill employed 37 people in 1921." in {row.text for row in texts.rows}

    config = tmp_path / "small.toml"
    config.write_text(SMALL % data)
    trained = docpipe("train", "docfusion", config, "-o", tmp_path / "model", "--json")
    assert trained.code == 0
    assert json.loads(trained.out)["samples"] == {"text": 4}
    assert (tmp_path / "model" / "model.safetensors").is_file()


def test_a_folder_without_pdfs_and_a_wrong_configuration_are_told(
    docpipe: Docpipe, tmp_path: Path
) -> None:
    empty = docpipe("data", "docfusion", tmp_path, "-o", tmp_path / "out")
    assert (empty.code, "no PDF" in empty.err) == (2, True)
    (tmp_path / "wrong.toml").write_text("training = {steps = 1, epochs = 3}")
    wrong = docpipe("train", "docfusion", tmp_path / "wrong.toml", "-o", tmp_path / "model")
    assert (wrong.code, "epochs" in wrong.err) == (2, True)
