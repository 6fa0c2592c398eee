"""What was made lately, kept for the next time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The last `size` values made, by their keys; safe to share between threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: dict[K, V] = {}
        self._lock = threading.Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        with self._lock:
            found = self._kept.pop(key, None)
        value = make() if found is None else found
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > self._size:
                del self._kept[next(iter(self._kept))]
        return value
