"""How results, progress and errors are shown."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from docpipe.errors import DocpipeError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


def console(*, stderr: bool = False) -> Console:
    """A console that never reads markup or emoji codes in text: documents may contain any."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=not stderr)


def print_json(value: object) -> None:
    """`value` (a record, or plain data) as one JSON object on stdout."""
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on stdout, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    width = None if sys.stdout.isatty() else 120
    Console(markup=False, emoji=False, highlight=False, width=width).print(table)


def progress() -> Progress:
    """A progress bar on stderr."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def note(text: str) -> None:
    """A line for people, on stderr."""
    print(text, file=sys.stderr)


def fail(error: DocpipeError) -> None:
    """One line that says what happened, and what to do."""
    hint = f"\n  → {error.hint}" if error.hint else ""
    print(f"docpipe: {error.message} [{error.code}]{hint}", file=sys.stderr)
