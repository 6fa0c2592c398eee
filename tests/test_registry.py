from __future__ import annotations

import pytest

from docpipe.errors import ConfigError, InputError, StageError
from docpipe.registry import KINDS, build, names, resolve
from docpipe.testing import FakeEmbedder


def test_built_in_name_and_import_path_lead_to_the_same_class() -> None:
    assert resolve("embedder", "fake") is FakeEmbedder
    assert resolve("embedder", "docpipe.testing.fakes:FakeEmbedder") is FakeEmbedder


@pytest.mark.parametrize("kind", KINDS)
def test_every_built_in_name_resolves(kind: str) -> None:
    for name in names(kind):  # type: ignore[arg-type]
        assert callable(resolve(kind, name))  # type: ignore[arg-type]


def test_options_are_the_constructor_arguments() -> None:
    assert build("embedder", "fake", {"dimension": 8}).dimension == 8
    with pytest.raises(ConfigError, match="options: dimension"):
        build("embedder", "fake", {"size": 8})
    with pytest.raises(ConfigError, match="dimension"):
        build("embedder", "fake", {"dimension": "many"})


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"unknown parser 'magic'.*native"):
        build("parser", "magic")
    with pytest.raises(ConfigError, match="cannot be loaded"):
        build("parser", "no.such.module:Parser")


def test_errors_survive_pickling() -> None:
    import pickle

    for error in (InputError("timeout", "slow"), StageError("ocr", 3, "no"), ConfigError("x")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (again.__dict__, str(again)) == (error.__dict__, str(error))
