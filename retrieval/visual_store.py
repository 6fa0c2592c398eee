"""Vectors of page images on disk, and pages scored by them.

    visual/
      manifest.json        the model, and for each document its file and the vectors of each page
      <doc>-<model>.f16    little-endian float16, the vectors of its pages in order
      nearest.faiss        all vectors in one index, where that is wanted

The score of a page is MaxSim: for each vector of the query the highest inner product with a vector
of the page, summed. `exact` computes it over all vectors; `near` over the pages on which faiss
finds the nearest ones, which is as good for few results and much cheaper in a large library.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from docpipe.errors import ConfigError, SchemaError
from docpipe.retrieval.files import read_array, unreadable
from docpipe.stages import VisualEmbedder

if TYPE_CHECKING:
    from PIL import Image

FORMAT = 1
BATCH = 8  # pages held in memory as pictures
_MANIFEST = "manifest.json"
_NEAREST = "nearest.faiss"
_HALF = np.dtype("<f2")

Floats = np.ndarray[Any, np.dtype[np.float32]]
PageKey = tuple[str, int]


class PicturedDocument(msgspec.Struct, frozen=True):
    """The file of a document's vectors, and how many each of its pages has."""

    file: str
    pages: tuple[int, ...]


class VisualManifest(msgspec.Struct, frozen=True):
    """`model` names what made the vectors; `nearest` tells whether faiss's index is there."""

    format: int
    model: str
    dimension: int
    documents: dict[str, PicturedDocument]
    nearest: bool = False


def max_sim(query: Floats, vectors: Floats, counts: Sequence[int]) -> Floats:
    """The MaxSim of each page, shape (pages,), for a query of shape (tokens, dimension).

    `vectors` holds those of all pages in order, `counts` how many each page has, at least one.
    """
    starts = np.cumsum([0, *counts[:-1]])
    best = np.maximum.reduceat(vectors @ query.T, starts, axis=0)
    return np.asarray(best.sum(axis=1), np.float32)


def update(
    folder: Path,
    pictures: Mapping[str, Callable[[], Iterable[Image.Image | None]]],
    embedder: VisualEmbedder,
    model: str,
    *,
    nearest: bool = False,
) -> None:
    """Bring the vectors in `folder` in line with the given documents, by id.

    `pictures` gives the pages of a document in order, None for one that cannot be shown. Documents
    that this `model` has embedded are kept; each new one is on disk when the next begins, so that
    an update that was cut off goes on. With `nearest` an index of faiss is made, too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = _known(folder, model, embedder.dimension)
    documents = {id: known[id] for id in pictures if id in known}
    manifest = VisualManifest(FORMAT, model, embedder.dimension, documents)
    for id, pages in pictures.items():
        if id not in documents and (added := _add(folder, id, pages(), embedder, model)):
            documents[id] = added
            _write_manifest(folder, manifest)
    ordered = VisualManifest(FORMAT, model, embedder.dimension, dict(sorted(documents.items())))
    if nearest:
        _write_nearest(folder, ordered)
    _write_manifest(folder, msgspec.structs.replace(ordered, nearest=nearest))
    used = {document.file for document in documents.values()} | {_MANIFEST}
    used |= {_NEAREST} if nearest else set()
    for path in folder.iterdir():
        if path.name not in used:
            path.unlink()


def remove(folder: Path, document: str) -> None:
    """Drop a document; nothing where it is not there. The index of faiss is made anew."""
    if not (folder / _MANIFEST).exists():
        return
    manifest = read_manifest(folder)
    gone = manifest.documents.pop(document, None)
    if gone is not None:
        if manifest.nearest:
            _write_nearest(folder, manifest)
        _write_manifest(folder, manifest)
        (folder / gone.file).unlink(missing_ok=True)


def read_manifest(folder: Path) -> VisualManifest:
    """Raises ConfigError (`no_index`) where there are no vectors, SchemaError for other files."""
    path = folder / _MANIFEST
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=VisualManifest)
    except FileNotFoundError as error:
        raise ConfigError(
            f"no vectors of pages in {folder}",
            code="no_index",
            hint="ingest with the same [visual] settings",
        ) from error
    except (OSError, msgspec.MsgspecError) as error:
        raise unreadable(path, error) from error
    if manifest.format != FORMAT:
        raise unreadable(path, f"it is of format {manifest.format}, not {FORMAT}")
    return manifest


def _known(folder: Path, model: str, dimension: int) -> dict[str, PicturedDocument]:
    """The documents whose vectors can be kept."""
    try:
        manifest = read_manifest(folder)
    except (ConfigError, SchemaError):
        return {}
    same = (manifest.model, manifest.dimension) == (model, dimension)
    return {
        id: document
        for id, document in (manifest.documents if same else {}).items()
        if _is_whole(folder / document.file, sum(document.pages) * dimension)
    }


def _is_whole(path: Path, numbers: int) -> bool:
    return path.is_file() and path.stat().st_size == numbers * _HALF.itemsize


def _add(
    folder: Path,
    id: str,
    pages: Iterable[Image.Image | None],
    embedder: VisualEmbedder,
    model: str,
) -> PicturedDocument | None:
    """The document with its vectors on disk; None where it has no pages."""
    name = f"{id}-{model}.f16"
    counts: list[int] = []
    draft = folder / f"{name}.part"
    with draft.open("wb") as file:
        remaining = iter(pages)
        while batch := list(itertools.islice(remaining, BATCH)):
            for vectors in _embedded(batch, embedder):
                counts.append(len(vectors))
                file.write(vectors.astype(_HALF).tobytes())
    os.replace(draft, folder / name)
    return PicturedDocument(name, tuple(counts)) if counts else None


def _embedded(batch: Sequence[Image.Image | None], embedder: VisualEmbedder) -> list[Floats]:
    """The vectors of each page; of one that cannot be shown a vector that nothing is like."""
    shown = iter(embedder.embed_images([image for image in batch if image is not None]))
    none = np.zeros((1, embedder.dimension), np.float32)
    return [none if image is None else next(shown) for image in batch]


def _write_nearest(folder: Path, manifest: VisualManifest) -> None:
    import faiss

    index = faiss.IndexScalarQuantizer(
        manifest.dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    )
    for document in manifest.documents.values():
        rows = read_array(folder / document.file, _HALF).reshape(-1, manifest.dimension)
        index.add(rows.astype(np.float32))
    draft = folder / f"{_NEAREST}.part"
    faiss.write_index(index, str(draft))
    os.replace(draft, folder / _NEAREST)


def _write_manifest(folder: Path, manifest: VisualManifest) -> None:
    draft = folder / f"{_MANIFEST}.part"
    draft.write_bytes(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    os.replace(draft, folder / _MANIFEST)


class PageVectors:
    """The vectors made by `update`. Opening reads the manifest; vectors are mapped when used.

    Raises ConfigError (`no_index`, or `embedder` where another model made them).
    """

    def __init__(self, folder: Path, model: str) -> None:
        self._folder = folder
        self._manifest = read_manifest(folder)
        if self._manifest.model != model:
            raise ConfigError(
                f"the vectors of pages in {folder} were made by another model or setting",
                code="embedder",
                hint="ingest again with the same [visual] settings",
            )
        entries = self._manifest.documents.values()
        totals = itertools.accumulate((sum(entry.pages) for entry in entries), initial=0)
        self._first = dict(zip(self._manifest.documents, totals, strict=False))

    def exact(self, query: Floats, documents: Iterable[str]) -> dict[PageKey, float]:
        """The scores of all pages of the documents; of one without vectors none."""
        return {
            (id, page): float(score)
            for id in documents
            if id in self._manifest.documents
            for page, score in enumerate(max_sim(query, *self._pages(id)), 1)
        }

    def near(self, query: Floats, documents: Iterable[str], nearest: int) -> dict[PageKey, float]:
        """The scores of the pages on which the `nearest` vectors to any of the query's stand.

        Raises ConfigError (`no_index`) where faiss's index was not made.
        """
        searched = [id for id in documents if id in self._manifest.documents]
        pages: dict[str, set[int]] = {}
        for row in self._nearest_rows(query, searched, nearest):
            id, page = self._place(row)
            pages.setdefault(id, set()).add(page)
        found: dict[PageKey, float] = {}
        for id, numbers in sorted(pages.items()):
            vectors, counts = self._pages(id)
            starts = np.cumsum([0, *counts])
            for page in sorted(numbers):
                part = vectors[starts[page - 1] : starts[page]]
                found[id, page] = float(max_sim(query, part, (len(part),))[0])
        return found

    def _pages(self, id: str) -> tuple[Floats, tuple[int, ...]]:
        document = self._manifest.documents[id]
        dimension = self._manifest.dimension
        count = sum(document.pages) * dimension
        vectors = read_array(self._folder / document.file, _HALF, count).reshape(-1, dimension)
        return vectors.astype(np.float32), document.pages

    def _nearest_rows(self, query: Floats, documents: Sequence[str], nearest: int) -> list[int]:
        import faiss

        chosen = np.zeros(sum(sum(e.pages) for e in self._manifest.documents.values()), np.bool_)
        for id in documents:
            first = self._first[id]
            chosen[first : first + sum(self._manifest.documents[id].pages)] = True
        bits = np.packbits(chosen, bitorder="little")
        limits = faiss.SearchParameters(sel=faiss.IDSelectorBitmap(bits))
        _, rows = self._faiss.search(np.ascontiguousarray(query), nearest, params=limits)
        return [int(row) for row in np.unique(rows) if row >= 0]

    def _place(self, row: int) -> PageKey:
        """The document and page of a row of faiss's index."""
        before = (id for id, first in self._first.items() if first <= row)
        id = max(before, key=self._first.__getitem__)
        ends = np.cumsum(self._manifest.documents[id].pages)
        return id, int(np.searchsorted(ends, row - self._first[id], side="right")) + 1

    @cached_property
    def _faiss(self) -> Any:
        import faiss

        if not self._manifest.nearest:
            raise ConfigError(
                f"no index of faiss in {self._folder}",
                code="no_index",
                hint="ingest again with the same visual.nearest",
            )
        try:
            return faiss.read_index(str(self._folder / _NEAREST), faiss.IO_FLAG_MMAP)
        except RuntimeError as error:
            raise unreadable(self._folder / _NEAREST, error) from error
