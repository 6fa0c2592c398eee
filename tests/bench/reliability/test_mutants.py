from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.bench.reliability.mutants import (
    DAMAGES,
    MAX_SOURCE,
    flip_structure,
    mutant,
    sources,
    swap_objects,
)
from tests.pdfs import write_pdf


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    for name in "abc":
        write_pdf(tmp_path / f"{name}.pdf", [f"text of {name}"] * 3)
    (tmp_path / "empty.pdf").touch()
    (tmp_path / "large.pdf").write_bytes(b"%PDF-" + bytes(MAX_SOURCE))
    return sources(tmp_path)


def test_mutants_are_given_by_seed_and_number(files: list[Path]) -> None:
    assert [path.name for path in files] == ["a.pdf", "b.pdf", "c.pdf"]
    made = [mutant(files, 0, number) for number in range(40)]
    assert made == [mutant(files, 0, number) for number in range(40)]
    assert made != [mutant(files, 1, number) for number in range(40)]
    assert {item.damage for item in made} == set(DAMAGES)
    assert {item.source for item in made} == {"a.pdf", "b.pdf", "c.pdf"}
    originals = {path.name: path.read_bytes() for path in files}
    assert sum(item.data != originals[item.source] for item in made) > 35
    assert len({item.name for item in made}) == 40


def test_swapping_keeps_all_objects(files: list[Path]) -> None:
    data = files[0].read_bytes()
    swapped = swap_objects(data, random.Random(1))
    pattern = re.compile(rb"\d+ \d+ obj\b(.*?)endobj", re.DOTALL)
    assert pattern.findall(swapped) != pattern.findall(data)
    assert sorted(pattern.findall(swapped)) == sorted(pattern.findall(data))


def test_damage_to_the_structure_leaves_streams_alone(files: list[Path]) -> None:
    data = files[0].read_bytes()
    streams = [match.span() for match in re.finditer(rb"stream\r?\n.*?endstream", data, re.DOTALL)]
    damaged = flip_structure(data, random.Random(1))
    assert damaged != data
    assert all(damaged[start:end] == data[start:end] for start, end in streams)


@given(st.binary(min_size=1, max_size=200), st.sampled_from(sorted(DAMAGES)), st.integers(0, 99))
def test_any_bytes_can_be_damaged(data: bytes, damage: str, seed: int) -> None:
    assert len(DAMAGES[damage](data, random.Random(seed))) <= len(data)
