"""Inverted lists on disk: in which units (chunks or pages) a term stands, and how often.

Terms are 64-bit hashes (words.term_hash), so that no vocabulary is held in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from docpipe.retrieval.files import read_array
from docpipe.retrieval.words import Hashes

Units = np.ndarray[Any, np.dtype[np.uint32]]
Counts = np.ndarray[Any, np.dtype[np.uint16]]

# Postings sorted at a time when lists are merged: bounds the memory of a merge.
MERGE_POSTINGS = 1_000_000

_KEY, _START, _UNIT, _COUNT = np.dtype("<u8"), np.dtype("<u8"), np.dtype("<u4"), np.dtype("<u2")


class Postings(msgspec.Struct, frozen=True):
    """The postings of one document, sorted by term and unit; arrays as little-endian bytes."""

    keys: bytes
    units: bytes
    counts: bytes

    def __len__(self) -> int:
        return len(self.units) // _UNIT.itemsize

    def arrays(self) -> tuple[Hashes, Units, Counts]:
        return (
            np.frombuffer(self.keys, _KEY),
            np.frombuffer(self.units, _UNIT),
            np.frombuffer(self.counts, _COUNT),
        )


def count(units: Sequence[Hashes]) -> Postings:
    """The postings of units 0, 1, … given the term hashes of each."""
    counted = [np.unique(hashes, return_counts=True) for hashes in units]
    keys = np.concatenate([np.empty(0, _KEY), *(keys for keys, _ in counted)])
    counts = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in counted)])
    numbers = np.repeat(np.arange(len(counted)), [len(keys) for keys, _ in counted])
    order = np.argsort(keys, kind="stable")
    return Postings(
        keys[order].astype(_KEY).tobytes(),
        numbers[order].astype(_UNIT).tobytes(),
        np.minimum(counts[order], np.iinfo(np.uint16).max).astype(_COUNT).tobytes(),
    )


def merge(
    parts: Callable[[], Iterable[tuple[int, Postings]]], total: int, folder: Path, name: str
) -> None:
    """Write the lists of all parts to `folder`, under `name`.

    `parts` gives, each time it is called, every part's first unit number and postings, in order;
    `total` is the number of all postings.
    """
    with (
        (folder / f"{name}.keys").open("wb") as keys_file,
        (folder / f"{name}.starts").open("wb") as starts_file,
        (folder / f"{name}.units").open("wb") as units_file,
        (folder / f"{name}.counts").open("wb") as counts_file,
    ):
        written = 0
        for keys, units, counts in _buckets(parts, total):
            first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
            keys_file.write(keys[first].astype(_KEY).tobytes())
            starts_file.write((first + written).astype(_START).tobytes())
            units_file.write(units.astype(_UNIT).tobytes())
            counts_file.write(counts.astype(_COUNT).tobytes())
            written += len(keys)
        starts_file.write(np.array([written], _START).tobytes())


def _buckets(
    parts: Callable[[], Iterable[tuple[int, Postings]]], total: int
) -> Iterator[tuple[Hashes, Units, Counts]]:
    """Sorted postings of one range of hashes after the other; hashes fill their space evenly."""
    buckets = max(1, math.ceil(total / MERGE_POSTINGS))
    bounds = [bucket * 2**64 // buckets for bucket in range(buckets)]
    for number, low in enumerate(bounds):
        high = bounds[number + 1] if number + 1 < buckets else None
        slices = [_slice(offset, postings, low, high) for offset, postings in parts()]
        keys = np.concatenate([np.empty(0, _KEY), *(keys for keys, _, _ in slices)])
        units = np.concatenate([np.empty(0, _UNIT), *(units for _, units, _ in slices)])
        counts = np.concatenate([np.empty(0, _COUNT), *(counts for _, _, counts in slices)])
        order = np.argsort(keys, kind="stable")
        yield keys[order], units[order], counts[order]


def _slice(
    offset: int, postings: Postings, low: int, high: int | None
) -> tuple[Hashes, Units, Counts]:
    keys, units, counts = postings.arrays()
    start = int(np.searchsorted(keys, np.uint64(low)))
    end = len(keys) if high is None else int(np.searchsorted(keys, np.uint64(high)))
    shifted = (units[start:end] + np.uint32(offset)).astype(_UNIT)
    return keys[start:end].copy(), shifted, counts[start:end].copy()


class Lists:
    """Merged lists, memory-mapped."""

    def __init__(self, folder: Path, name: str) -> None:
        self._keys = read_array(folder / f"{name}.keys", _KEY)
        self._starts = read_array(folder / f"{name}.starts", _START, len(self._keys) + 1)
        self._units = read_array(folder / f"{name}.units", _UNIT, int(self._starts[-1]))
        self._counts = read_array(folder / f"{name}.counts", _COUNT, len(self._units))

    def find(self, key: int, low: int, high: int) -> tuple[Units, Counts]:
        """Units from `low` up to `high` with this term, ascending, and its count in each."""
        at = int(np.searchsorted(self._keys, np.uint64(key)))
        if at == len(self._keys) or self._keys[at] != np.uint64(key):
            return np.empty(0, _UNIT), np.empty(0, _COUNT)
        start, end = int(self._starts[at]), int(self._starts[at + 1])
        units = self._units[start:end]
        first, last = np.searchsorted(units, np.array([low, high], _UNIT))
        return units[first:last], self._counts[start + first : start + last]
