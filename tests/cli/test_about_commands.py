"""Help, doctor, stages and bench: what a newcomer tries first."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Docpipe = Callable[..., Any]


def test_help_is_fast() -> None:
    """Under 0.5 s of processor time (wall time is longer while other tests run beside this)."""
    command = [sys.executable, "-m", "docpipe", "--help"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.5


@pytest.mark.parametrize(
    "command", ["ingest", "ask", "search", "status", "parse", "show", "doctor", "stages", "bench"]
)
def test_every_command_has_help(docpipe: Docpipe, command: str) -> None:
    run = docpipe(command, "--help")
    assert run.code == 0
    assert "Usage: docpipe" in run.out


def test_doctor_names_what_works(docpipe: Docpipe) -> None:
    run = docpipe("doctor", "--json")
    assert run.code == 0
    states = {check["part"]: check["state"] for check in json.loads(run.out)}
    assert states["native parser"] == states["rapidocr"] == states["lexical search"] == "ok"
    assert "pymupdf" in docpipe("doctor").out


def test_stages_lists_names_and_options(docpipe: Docpipe) -> None:
    stages = json.loads(docpipe("stages", "--json").out)
    native = next(s for s in stages if (s["kind"], s["name"]) == ("parser", "native"))
    assert native["problem"] == ""
    run = docpipe("stages", "wheel")
    assert (run.code, "known: parser" in run.err) == (2, True)


def test_version_and_mistakes(docpipe: Docpipe, tmp_path: Path) -> None:
    assert docpipe("--version").out.startswith("docpipe 0.")
    assert docpipe("frobnicate").code == 2
    run = docpipe("bench", "parse", "--data", tmp_path / "absent")
    assert (run.code, "docs/data.md" in run.err) == (2, True)
    assert docpipe("bench").code == 2
