"""A place from which processes cannot reach out unseen: see audit."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from docpipe.bench.reliability import audit


class Seal:
    """The environment for commands that are watched, with an empty home and folder for temporary
    files in `folder`, and what was seen of them. They may write to `allowed`."""

    def __init__(self, folder: Path, allowed: Sequence[Path]) -> None:
        self._log = folder / "log"
        self._home = folder / "home"
        self._temporary = folder / "temporary"
        site = folder / "site"
        for path in (site, self._home, self._temporary):
            path.mkdir(parents=True)
        shutil.copy(audit.__file__, site / "sitecustomize.py")
        writable = [*map(str, allowed), str(self._temporary)]
        paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.environment = {
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(self._home),
            "TMPDIR": str(self._temporary),
            audit.LOG: str(self._log),
            audit.ALLOWED: os.pathsep.join(writable),
        }

    def events(self, kind: str) -> list[str]:
        """What was noted of a kind: `start`, `network` or `file`."""
        if not self._log.exists():
            return []
        lines = self._log.read_text("utf-8").splitlines()
        return [line for line in lines if line.startswith(f"{kind} ")]

    def leftovers(self) -> Iterator[Path]:
        """Files in the home and temporary folders, by whatever language they were written."""
        return (
            path
            for folder in (self._home, self._temporary)
            for path in folder.rglob("*")
            if not path.is_dir()
        )
