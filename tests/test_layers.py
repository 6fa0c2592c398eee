"""Dependencies point one way, and the core stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "docpipe"

# A module may import only from layers before its own, or from its own group.
LAYERS: list[set[str]] = [
    {"geometry", "errors", "records"},
    {"content", "codec", "stages", "config", "registry", "pdf"},
    {"parsers", "retrieval", "agents", "datasets"},
    {
        "export",
        "draw",
        "pipeline",
        "library",
        "workers",
        "ingest",
        "doctor",
        "flow",
        "testing",
        "training",
    },
    {"bench"},
    {"cli", "server", "integrations", "__main__"},
]
APART = {"parsers", "retrieval", "agents", "datasets"}  # never import each other
LEVEL = {name: level for level, layer in enumerate(LAYERS) for name in layer}


def modules() -> list[Path]:
    folders = [PACKAGE, *(PACKAGE / name for name in (*APART, "training"))]
    return sorted({path for folder in folders for path in folder.rglob("*.py")})


def group_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> list[str]:
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.append(node.module or "")
            if node.module == "docpipe":
                found += [f"docpipe.{a.name}" for a in node.names if a.name in LEVEL]
    return [name.split(".")[1] for name in found if name.startswith("docpipe.")]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    group = group_of(path)
    if group == "__init__":
        return
    assert group in LEVEL, f"{group} is in no layer: add it to LAYERS"
    for imported in imports(path):
        assert LEVEL[imported] <= LEVEL[group], f"{group} must not import {imported}"
        if group in APART:
            assert imported == group or imported not in APART, f"{group} imports {imported}"


@pytest.mark.parametrize("statement", ["import docpipe", "import docpipe.cli"])
def test_the_core_loads_no_heavy_package(statement: str) -> None:
    heavy = ["torch", "transformers", "pymupdf", "numpy", "scipy", "faiss", "onnxruntime"]
    check = f"{statement}; import sys; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
