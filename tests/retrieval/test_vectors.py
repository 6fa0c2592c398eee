from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.errors import SchemaError
from docpipe.retrieval.vectors import VectorIndex, write

ROWS = np.random.default_rng(0).standard_normal((40, 16), np.float32)
ROWS /= np.linalg.norm(ROWS, axis=1, keepdims=True)
QUERY = ROWS[7] + ROWS[30]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> VectorIndex:
    path = tmp_path_factory.mktemp("vectors") / "vectors.faiss"
    write(path, [ROWS[:25], ROWS[25:25], ROWS[25:]], 16)
    return VectorIndex(path)


@settings(max_examples=50)
@given(st.integers(0, 20), st.lists(st.booleans(), max_size=20))
def test_cosines_are_those_of_the_searched_rows(
    index: VectorIndex, first: int, searched: list[bool]
) -> None:
    mask = np.array(searched, np.bool_)
    products = np.maximum(ROWS[first : first + len(mask)] @ QUERY, 0)
    expected = np.where(mask, products, 0)
    assert index.cosines(QUERY, first, mask) == pytest.approx(expected, abs=1e-6)


def test_a_run_of_rows_is_searched_alone(index: VectorIndex) -> None:
    found = index.cosines(QUERY, 5, np.ones(10, np.bool_))
    assert found == pytest.approx(np.maximum(ROWS[5:15] @ QUERY, 0), abs=1e-6)
    assert int(found.argmax()) == 2


def test_bytes_do_not_depend_on_the_parts(tmp_path: Path) -> None:
    write(tmp_path / "one", [ROWS], 16)
    write(tmp_path / "many", np.split(ROWS, 8), 16)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()


@pytest.mark.parametrize("content", [None, b"", b"no index"])
def test_a_file_that_is_no_index_is_reported(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "vectors.faiss").write_bytes(content)
    with pytest.raises(SchemaError) as error:
        VectorIndex(tmp_path / "vectors.faiss")
    assert error.value.code == "index_changed"


def test_a_file_cut_short_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "vectors.faiss"
    write(path, [ROWS], 16)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(SchemaError):
        VectorIndex(path)


def test_faiss_is_loaded_for_vectors_alone() -> None:
    check = "import docpipe.retrieval.index, sys; assert 'faiss' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True)
