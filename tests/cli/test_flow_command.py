"""`docpipe flow`: which stages a configuration names, and on what they run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Docpipe = Callable[..., Any]


def test_the_default_flow_is_told_and_drawn(docpipe: Docpipe) -> None:
    run = docpipe("flow", "--json")
    assert run.code == 0
    parts = {part["step"]: part for part in json.loads(run.out)}
    assert list(parts) == ["parser", "ocr", "index", "reader", "agent"]
    assert (parts["parser"]["name"], parts["parser"]["weights"]) == ("native", "rules")
    assert parts["ocr"]["licence"] == "Apache-2.0"
    shown = docpipe("flow").out
    assert "flowchart LR" in shown
    assert "parser: native" in shown


def test_what_is_switched_on_and_off_shows(docpipe: Docpipe) -> None:
    run = docpipe("flow", "--json", "--ocr", "off", "--set", "dense=true")
    steps = [part["step"] for part in json.loads(run.out)]
    assert "ocr" not in steps
    assert "vectors" in steps
    drawn = docpipe("flow", "--mermaid", "--set", "dense=true").out
    assert drawn.startswith("flowchart LR")
    assert "vectors --> agent" in drawn


def test_weights_are_weighed_and_their_licence_is_read(docpipe: Docpipe, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"0" * 2_000_000)
    (tmp_path / "README.md").write_text("---\nlicense: mit\n---\n")
    run = docpipe("flow", "--json", "--schema", "receipt", "--weights", tmp_path)
    [fields] = [part for part in json.loads(run.out) if part["step"] == "fields"]
    assert (round(fields["megabytes"], 1), fields["licence"]) == (2.0, "mit")


def test_a_stage_that_cannot_be_used_is_a_problem(docpipe: Docpipe) -> None:
    run = docpipe("flow", "--set", "parser.name=nowhere.at.all:Parser")
    assert run.code == 1
    assert "cannot be loaded" in run.out.replace("\n", " ") or "nowhere" in run.out
    run = docpipe("flow", "--json", "--schema", "receipt", "--weights", "/nowhere")
    assert run.code == 1
