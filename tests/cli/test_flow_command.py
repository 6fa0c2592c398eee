"""`docpipe flow`: which stages a configuration names, and on what they run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
    assert "parser -- pages without text --> ocr" in shown
    assert "parser -- all pages --> ocr" in docpipe("flow", "--mermaid", "--ocr", "force").out
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
    run = docpipe("flow", "--json", "--set", "parser.name=nowhere.at.all:Parser")
    problems = {part["step"]: part["problem"] for part in json.loads(run.out) if part["problem"]}
    assert list(problems) == ["parser"]
    assert "cannot be loaded" in problems["parser"]


@pytest.mark.parametrize(
    ("step", "options"),
    [
        ("fields", ["--schema", "receipt", "--weights", "/nowhere"]),
        ("parser", ["--set", "parser.name=docfusion", "--set", "parser.weights=/nowhere"]),
        ("recognizer", ["--set", "parser.name=elements", "--set", "parser.recognizer=pabdm"]),
    ],
)
def test_weights_that_are_lacking_are_a_problem(
    docpipe: Docpipe, step: str, options: list[str]
) -> None:
    run = docpipe("flow", "--json", *options)
    assert run.code == 1
    [part] = [part for part in json.loads(run.out) if part["problem"]]
    assert part["step"] == step


@pytest.mark.parametrize("card", ["{", '{"settings": "all of them"}', "[]"])
def test_a_damaged_card_states_no_licence(docpipe: Docpipe, tmp_path: Path, card: str) -> None:
    (tmp_path / "model.safetensors").touch()
    (tmp_path / "model_card.json").write_text(card)
    run = docpipe("flow", "--json", "--schema", "receipt", "--weights", tmp_path)
    [fields] = [part for part in json.loads(run.out) if part["step"] == "fields"]
    assert fields["licence"] == "not stated"


def test_the_research_flow_ships(docpipe: Docpipe) -> None:
    run = docpipe("flow", "--json", "--config", "research.toml")
    parts = {part["step"]: part for part in json.loads(run.out)}
    assert list(parts) == [
        "parser", "recognizer", "ocr", "fields", "index", "vectors", "reader", "agent"
    ]  # fmt: skip
    assert run.code == 0
    for step in ("parser", "recognizer", "fields", "vectors"):
        assert parts[step]["megabytes"] > 1
        assert parts[step]["licence"] not in ("", "not stated")
    drawn = docpipe("flow", "--mermaid", "--config", "research.toml").out
    assert "parser -- tables, formulas, figures --> recognizer" in drawn
    assert "recognizer --> document" in drawn


def test_a_file_of_that_name_comes_first(
    docpipe: Docpipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("research.toml").write_text('ocr_mode = "off"')
    parts = json.loads(docpipe("flow", "--json", "--config", "research.toml").out)
    assert "recognizer" not in {part["step"] for part in parts}
    run = docpipe("flow", "--config", "elsewhere/research.toml")
    assert run.code == 2
    assert "research.toml" in run.err
    assert docpipe("flow", "--config", "other.toml").code == 2
