"""Results that outlive an interruption of the bench."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from docpipe import codec
from docpipe.bench.result import versions
from docpipe.bench.task import Options
from docpipe.errors import ConfigError
from docpipe.library.store import write_atomically

T = TypeVar("T")


class Kept:
    """Results in a folder, one JSON file each; without a folder nothing is kept.

    Raises ConfigError when the folder holds results of other data, settings or versions.
    """

    def __init__(self, folder: Path | None, data: Path, options: Options) -> None:
        self._folder = folder
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        made_with = {
            "data": str(data.resolve()),
            "limit": options.limit,
            "seed": options.seed,
            "config": msgspec.to_builtins(options.config),
            "versions": {name: number for name, number in versions().items() if name != "commit"},
        }
        text, path = codec.encode(made_with), folder / "made_with.json"
        if path.exists() and path.read_bytes() != text:
            message = f"{folder} holds results of other data, settings or versions"
            raise ConfigError(message, hint="name another folder, or remove this one")
        write_atomically(path, text)

    def once(self, name: str, type: type[T], make: Callable[[], T]) -> T:
        """The result called `name`: as it was kept, or else made now."""
        path = None if self._folder is None else self._folder / f"{name}.json"
        if path is not None and path.exists():
            return codec.decode(path.read_bytes(), type)
        made = make()
        if path is not None:
            write_atomically(path, codec.encode(made))
        return made
