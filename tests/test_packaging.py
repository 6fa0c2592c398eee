"""The sdist builds a wheel that holds everything, and a plugin joins by installing it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*command: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, env=os.environ | environment
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def install(what: Path, target: Path) -> None:
    run(
        *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--disable-pip-version-check", "--target", str(target), str(what)),
        cwd=target.parent,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made from the sdist, as `python -m build` does."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT), cwd=out)
    (found,) = out.glob("*.whl")
    return found


def test_every_module_of_the_tree_is_in_the_wheel(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    tracked = run("git", "ls-files", "*.py", cwd=ROOT).splitlines()
    package = [name for name in tracked if not name.startswith(("tests/", "docs/"))]
    expected = {name if name.startswith("docpipe/") else f"docpipe/{name}" for name in package}
    assert expected <= packed


def test_all_data_of_the_tree_is_in_the_wheel(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    folders = ("docpipe", "parsers", "retrieval", "agents", "training", "datasets")
    tracked = run("git", "ls-files", *folders, cwd=ROOT).splitlines()
    data = {
        name if name.startswith("docpipe/") else f"docpipe/{name}"
        for name in tracked
        if not name.endswith(".py") and not (ROOT / name).is_symlink()
    }
    assert data <= packed
    for kind in ("docfusion/tiny/model.safetensors", "configs/research.toml", "static/index.html"):
        assert any(name.endswith(kind) for name in data)


@pytest.mark.slow
def test_the_wheel_answers_away_from_the_source_tree(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    install(wheel, target)

    def docpipe(*words: str) -> str:
        command = (sys.executable, "-P", "-m", "docpipe", *words)
        return run(*command, cwd=tmp_path, PYTHONPATH=str(target))

    report = str(target / "docpipe" / "datasets" / "samples" / "report.pdf")
    docpipe("ingest", report, "--library", "library", "--jobs", "1", "--ocr", "off")
    answer = docpipe("ask", "--library", "library", "How many people does Lindmoor Water supply?")
    assert "412,600" in answer
    parts = json.loads(docpipe("flow", "--json", "--config", "research.toml"))
    weighed = [part for part in parts if part["megabytes"]]
    assert {"parser", "recognizer", "fields"} <= {part["step"] for part in weighed}
    assert all(Path(p["weights"]).is_relative_to(target) for p in weighed if "/" in p["weights"])


def test_the_wheel_imports_away_from_the_source_tree(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    install(wheel, target)
    modules = sorted(
        ".".join(path.relative_to(target).with_suffix("").parts).removesuffix(".__init__")
        for path in (target / "docpipe").rglob("*.py")
        if path.name != "__main__.py"
        and path.parent.name != "integrations"  # they need what is not installed here
    )
    code = (
        "import importlib, docpipe\n"
        f"assert docpipe.__file__.startswith({str(target)!r}), docpipe.__file__\n"
        f"for name in {modules}: importlib.import_module(name)\n"
        "import datasets; assert hasattr(datasets, 'Dataset')\n"
    )
    run(
        sys.executable,
        "-W",
        "error::ImportWarning",
        "-c",
        code,
        cwd=tmp_path,
        PYTHONPATH=str(target),
    )


def test_the_plugin_of_the_extension_guide_works(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "extending.md").read_text("utf-8")
    project = tmp_path / "plugin"
    project.mkdir()
    for name, body in re.findall(r"`(\S+)`:\n\n```\w+\n(.*?)```", guide, flags=re.DOTALL):
        (project / name).write_text(body, "utf-8")
    assert {"pyproject.toml", "docpipe_lines.py", "test_lines.py"} <= {
        path.name for path in project.iterdir()
    }
    target = tmp_path / "site"
    install(project, target)
    listed = run(
        *(sys.executable, "-m", "docpipe", "stages", "parser", "--json"),
        cwd=tmp_path,
        PYTHONPATH=str(target),
    )
    assert "lines" in {stage["name"] for stage in json.loads(listed)}
    run(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(project)),
        cwd=project,
        PYTHONPATH=str(target),
    )
