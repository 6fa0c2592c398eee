"""What every bench function gets, and the choice of a part of the data."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from docpipe.config import Config

T = TypeVar("T")


class Progress(Protocol):
    """Called after each item with its number and the total."""

    def __call__(self, done: int, total: int) -> None: ...


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How a bench runs.

    `limit` takes that many documents, drawn with `seed`; `library` is the folder of an ingested
    library to reuse, for benches that ask one; `config` the stages. A bench of several `parts` does
    those, all if none is named, and one that trains keeps what is done in the folder `work`.
    """

    limit: int | None = None
    seed: int = 0
    library: Path | None = None
    config: Config = Config()
    parts: tuple[str, ...] = ()
    work: Path | None = None
    progress: Progress | None = None

    def track(self, items: Sequence[T]) -> Iterator[T]:
        """The items one by one, reported to `progress`."""
        for number, item in enumerate(items, 1):
            yield item
            if self.progress is not None:
                self.progress(number, len(items))


def chosen(items: Iterable[T], options: Options) -> list[T]:
    """At most `options.limit` of the items, drawn with the seed, in their order."""
    everything = list(items)
    if options.limit is None or options.limit >= len(everything):
        return everything
    numbers = random.Random(options.seed).sample(range(len(everything)), options.limit)
    return [everything[number] for number in sorted(numbers)]
