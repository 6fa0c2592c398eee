"""The folder layout that packaging rests on."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LINKED = ["parsers", "retrieval", "agents", "training", "datasets"]


@pytest.mark.parametrize("name", LINKED)
def test_top_level_folders_are_linked_into_the_package(name: str) -> None:
    link = ROOT / "docpipe" / name
    assert link.is_symlink()
    assert link.resolve() == (ROOT / name).resolve()


def test_datasets_folder_does_not_shadow_hugging_face() -> None:
    assert not (ROOT / "datasets" / "__init__.py").exists()
    import datasets

    assert hasattr(datasets, "Dataset")


def test_every_package_folder_imports() -> None:
    import docpipe.agents
    import docpipe.parsers
    import docpipe.retrieval
    import docpipe.training

    assert docpipe.parsers.__name__ == "docpipe.parsers"
