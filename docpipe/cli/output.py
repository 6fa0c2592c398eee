"""How results, progress and errors are shown."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

    from docpipe.ingest import Progress as IngestProgress
    from docpipe.records import Region


@dataclass(frozen=True)
class Place:
    """A place that was found, as `search --json` gives it."""

    document: str
    name: str
    page: int
    page_label: str
    regions: tuple[Region, ...]
    text: str
    score: float
    chunk: str


def visible(text: str) -> str:
    """`text` with control characters as escapes: names and texts of documents may hold commands
    to the terminal."""
    return "".join(
        char if char.isprintable() or char in "\n\t" else repr(char)[1:-1] for char in text
    )


def print_json(value: object) -> None:
    """`value` (a record, or plain data) as JSON on stdout."""
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
        table.add_row(*(Text(visible(cell)) for cell in row))
    width = None if sys.stdout.isatty() else 120
    Console(markup=False, emoji=False, highlight=False, width=width).print(table)


def progress() -> Progress:
    """A progress bar on stderr; none where that is not a terminal."""
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
        disable=not sys.stderr.isatty(),
    )


@contextlib.contextmanager
def ingest_progress() -> Iterator[Callable[[IngestProgress], None]]:
    """A progress bar of files, with the pages read so far."""
    with progress() as bar:
        task = bar.add_task("reading", total=None)

        def show(now: IngestProgress) -> None:
            text = f"{now.pages} pages"
            bar.update(task, completed=now.done, total=now.total, description=text)

        yield show


def print_places(
    places: Iterable[tuple[str, int, str, Sequence[Region], str]], *, shorten: int | None = None
) -> None:
    """Numbered places on stdout: document, page, printed page label, boxes, text."""
    for number, (document, page, label, regions, text) in enumerate(places, start=1):
        printed = f" ({label})" if label not in ("", str(page)) else ""
        boxes = ", ".join(_box(region) for region in regions[:3])
        more = f" and {len(regions) - 3} more" if len(regions) > 3 else ""
        flat = visible(" ".join(text.split()))
        if shorten is not None and len(flat) > shorten:
            flat = flat[:shorten].rstrip() + "…"
        print(
            f"[{number}] {visible(document)}, page {page}{printed}, box {boxes}{more}\n    {flat}"
        )


def _box(region: Region) -> str:
    box = region.bbox
    return f"[{box.x0:.0f} {box.y0:.0f} {box.x1:.0f} {box.y1:.0f}]"


def note(text: str) -> None:
    """A line for people, on stderr."""
    print(visible(text), file=sys.stderr)


def fail(message: str, code: str, hint: str) -> None:
    """One line that says what happened, and one what to do."""
    note(f"docpipe: {message} [{code}]" + (f"\n  → {hint}" if hint else ""))
