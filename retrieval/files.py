"""The files of an index that are mapped into memory, and what is said when one cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from docpipe.errors import SchemaError


def read_array(path: Path, dtype: np.dtype[Any], count: int | None = None) -> np.ndarray[Any, Any]:
    """The numbers in a raw file, memory-mapped. Raises SchemaError when it is not there, was cut
    short, or does not hold `count` numbers."""
    try:
        size = path.stat().st_size
        array = np.memmap(path, dtype, mode="r") if size else np.empty(0, dtype)
    except OSError as error:
        raise unreadable(path, error.strerror) from error
    except ValueError as error:
        raise unreadable(path, "it was cut short") from error
    if count is not None and len(array) != count:
        raise unreadable(path, f"it holds {len(array)} numbers in place of {count}")
    return array


def unreadable(path: Path, reason: object) -> SchemaError:
    """The error (`index_changed`) to raise for a file of the index that cannot be read."""
    return SchemaError(
        f"the index file {path} cannot be read: {reason}",
        code="index_changed",
        hint="open the library again if it was ingested meanwhile; else run the same ingest again",
    )
