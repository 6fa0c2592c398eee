"""Vectors of chunks in a flat inner-product index of faiss: exact search, memory-mapped.

A row a chunk, of unit length, so that inner products are cosines. faiss is loaded when vectors are
first written or searched.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from docpipe.retrieval.files import unreadable

Vectors = np.ndarray[Any, np.dtype[np.float32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


def write(path: Path, parts: Iterable[Vectors], dimension: int) -> None:
    """An index of the rows of all parts, each of shape (n, dimension), in order.

    Memory holds them all until the file is written: 1.5 kB a chunk at 384 dimensions.
    """
    import faiss

    index = faiss.IndexFlatIP(dimension)
    for part in parts:
        index.add(part)
    faiss.write_index(index, str(path))


class VectorIndex:
    """An index made by `write`. Raises SchemaError (`index_changed`) when it cannot be read."""

    def __init__(self, path: Path) -> None:
        import faiss

        try:
            # The one flag of faiss that maps flat indexes; the others read them into memory.
            self._index = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            # What faiss says begins with the place in its source.
            raise unreadable(path, str(error).rpartition("failed: ")[2]) from error

    def cosines(self, vector: Vectors, first: int, searched: Mask) -> np.ndarray[Any, Any]:
        """The cosines of the rows `first`… with a vector, 0 where not above 0 or not searched.

        `searched` tells for each of those rows whether it is.
        """
        import faiss

        found = np.zeros(len(searched))
        if searched.any():
            chosen = faiss.SearchParameters(sel=_selector(first, searched))
            _, near, rows = self._index.range_search(vector[None], 0.0, params=chosen)
            found[rows - first] = near
        return found


def _selector(first: int, searched: Mask) -> Any:
    import faiss

    if searched.all():
        return faiss.IDSelectorRange(first, first + len(searched))
    bits = np.concatenate((np.zeros(first, np.bool_), searched))
    return faiss.IDSelectorBitmap(np.packbits(bits, bitorder="little"))
