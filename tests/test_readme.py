"""The README's commands and Python code do what they say, on the sample folder."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docpipe.config import load

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with the samples in it."""
    samples = tmp_path / "datasets" / "samples"
    samples.mkdir(parents=True)
    for file in (ROOT / "datasets" / "samples").glob("*.pdf"):
        shutil.copy(file, samples)
    return tmp_path


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def test_commands(folder: Path) -> None:
    commands = [line[2:] for block in blocks("console") for line in block.splitlines()]
    outputs = {}
    for command in commands:
        name, *arguments = shlex.split(command)
        assert name == "docpipe"
        outputs[arguments[0]] = run([sys.executable, "-m", "docpipe", *arguments], folder)
    assert "412,600" in outputs["ask"]
    assert "report.pdf, page 1" in outputs["ask"]
    assert "[1] report.pdf" in outputs["search"]
    assert (folder / "out" / "report.md").exists()
    assert (folder / "page.png").exists()


def test_python(folder: Path) -> None:
    code = "\n".join(blocks("python"))
    output = run([sys.executable, "-W", "error", "-c", code], folder)
    assert "1 1 ok" in output
    assert "2,024.07" in output


def test_settings(tmp_path: Path) -> None:
    (settings,) = blocks("toml")
    path = tmp_path / "docpipe.toml"
    path.write_text(settings, "utf-8")
    config = load(path)
    assert config.dense
    assert config.language_model is not None
    assert config.language_model.options["model"] == "qwen3-8b"


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


def test_documented_commands_exist() -> None:
    listed = run([sys.executable, "-m", "docpipe", "--help"], ROOT)
    for command in set(re.findall(r"`docpipe (\w+)", README)):
        assert re.search(rf"^\s*{command}\b", listed, flags=re.MULTILINE), command
