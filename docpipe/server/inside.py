"""What a server's workers do: read pages, render them, search, ask and extract.

Each call gets the `Place` to work in and returns plain data, or a `Refused` for an error that is
to be told to the client. The library stays open between calls, and is read anew when its manifest
has changed.
"""

from __future__ import annotations

import functools
import io
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Concatenate, Literal, ParamSpec, TypeVar

import msgspec

from docpipe import codec
from docpipe.config import Config, EntitiesConfig
from docpipe.content import find_page
from docpipe.errors import ConfigError, DocpipeError
from docpipe.library import Library
from docpipe.library.store import Store
from docpipe.records import Field
from docpipe.server import shapes

P = ParamSpec("P")
T = TypeVar("T")
Export = Literal["markdown", "html", "text", "json"]
_LOOK_EVERY = 0.2  # seconds


class Place(msgspec.Struct, frozen=True):
    """The library of a server, and how it is opened."""

    root: Path
    config: Config
    passwords: tuple[str, ...] = ()


class Refused(msgspec.Struct, frozen=True):
    """An error of docpipe, as a server tells it."""

    code: str
    message: str
    hint: str = ""


# A worker's own: the library it has open, where, and the state of the manifest it has seen.
_held: tuple[Place, Library] | None = None
_seen: tuple[int, int] = (0, 0)


def _on_library(
    call: Callable[Concatenate[Library, P], T],
) -> Callable[Concatenate[Place, P], T | Refused]:
    """The call on the library of a place; errors of docpipe are returned."""

    @functools.wraps(call)
    def run(place: Place, /, *arguments: P.args, **options: P.kwargs) -> T | Refused:
        try:
            return call(_library(place), *arguments, **options)
        except DocpipeError as error:
            return Refused(error.code, error.message, error.hint)

    return run


def _library(place: Place) -> Library:
    global _held, _seen
    state = state_of(place.root)
    if _held is None or _held[0] != place:
        library = Library.open(place.root, config=place.config, passwords=place.passwords)
        _held = (place, library)
    elif state != _seen:
        _held[1].refresh()
    _seen = state
    return _held[1]


def state_of(root: Path) -> tuple[int, int]:
    """What changes whenever the library in a folder does."""
    try:
        found = Store(root).manifest_path.stat()
    except OSError as error:
        raise ConfigError(
            f"the library {root.name} is gone", code="no_library", hint="put it back"
        ) from error
    return found.st_mtime_ns, found.st_ino


@_on_library
def ready(library: Library) -> None:
    """Nothing: the worker has started and the library is open."""


@_on_library
def document(library: Library, id: str) -> bytes:
    """A document's pages, outline and issues, as JSON of `models.DocumentDetail`."""
    return codec.encode(shapes.document(library.document(id)))


@_on_library
def page(library: Library, id: str, number: int) -> bytes:
    """What was found on a page, as JSON of `models.PageLayers`."""
    found = library.document(id)
    page = find_page(found, number)
    if page is None:
        raise ConfigError(f"{found.name} has no page {number}", code="pages")
    return codec.encode(shapes.page_layers(found, page))


@_on_library
def image(library: Library, id: str, number: int, dpi: int) -> bytes:
    """A page as PNG."""
    out = io.BytesIO()
    library.page_image(id, number, dpi).save(out, "PNG", compress_level=3)
    return out.getvalue()


@_on_library
def export(library: Library, id: str, form: Export) -> str:
    """A whole document in another form."""
    from docpipe import export

    to = {
        "markdown": export.to_markdown,
        "html": export.to_html,
        "text": export.to_text,
        "json": export.to_json,
    }
    return to[form](library.document(id))


@_on_library
def search(library: Library, query: str, limit: int) -> bytes:
    """The best places for a query, as JSON of `models.SearchResult`."""
    return codec.encode({"found": shapes.search(library, query, limit)})


@_on_library
def ask(library: Library, question: str, documents: list[str] | None, trace: Path) -> bytes:
    """An answer with its steps, as JSON of `models.Asked`.

    What happens on the way is written to the file `trace`, a line of JSON each. When that file is
    removed nobody waits for the answer, and the worker ends.
    """
    from docpipe.server.watched import WatchedAgent

    ended = threading.Event()
    threading.Thread(target=_end_with, args=(trace, ended), daemon=True).start()
    try:
        with _opened(trace) as out:
            names = {entry.id: entry.name for entry in library.status()}
            agent = WatchedAgent(
                library.agent, lambda step: _append(out, step), lambda id: names.get(id, id)
            )
            trajectory = library.run(question, documents=documents, agent=agent)
        return codec.encode(shapes.asked(trajectory, lambda id: names.get(id, id)))
    finally:
        ended.set()


def _opened(trace: Path) -> BinaryIO:
    """The trace to write on; where it is gone already, the worker ends. It is never made anew,
    which would look as if somebody waited."""
    try:
        out = trace.open("r+b")
    except FileNotFoundError:
        os._exit(0)
    out.seek(0, os.SEEK_END)
    return out


def _append(out: BinaryIO, step: dict[str, Any]) -> None:
    out.write(codec.encode(step) + b"\n")
    out.flush()


def _end_with(file: Path, ended: threading.Event) -> None:
    while not ended.wait(_LOOK_EVERY):
        if not file.exists():
            os._exit(0)


@_on_library
def extract(library: Library, id: str, schema: EntitiesConfig) -> tuple[Field, ...]:
    """The fields of a document."""
    fields: tuple[Field, ...] = extractor(codec.encode(schema)).extract(library.document(id)).fields
    return fields


@functools.lru_cache(2)
def extractor(schema: bytes) -> Any:
    """The extractor of a schema, as JSON of `EntitiesConfig`: its model is loaded once."""
    from docpipe.parsers.entities.extraction import build_extractor

    return build_extractor(codec.decode(schema, EntitiesConfig))
