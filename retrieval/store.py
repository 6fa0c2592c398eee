"""The files of an index: one segment a document, lists merged from them, and a manifest.

    index/
      manifest.json             format, and for each document its segment; sizes of all files
      segments/<doc>-<sum>.seg  chunks, term counts and vectors of one document; never changed
      merged-<sum>/             inverted lists and vectors of all segments, memory-mapped;
                                vectors.faiss holds a flat index of faiss

Segments and merged lists are named by their contents and the manifest is replaced last, so that a
reader or a killed writer always sees the state before or after an update. The bytes of a folder
depend on its documents alone, not on the order or number of updates.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from docpipe.errors import ConfigError, SchemaError
from docpipe.records import Chunk, Document
from docpipe.retrieval import postings, vectors
from docpipe.retrieval.chunks import chunk_page, chunks_of
from docpipe.retrieval.files import unreadable
from docpipe.retrieval.hints import page_names
from docpipe.retrieval.postings import Postings
from docpipe.retrieval.words import term_hash, term_hashes
from docpipe.stages import Embedder

FORMAT = 2
_MANIFEST = "manifest.json"


class IndexedDocument(msgspec.Struct, frozen=True):
    """A document in the manifest: its segment file, with its size in bytes, and its numbers of
    chunks and pages."""

    segment: str
    size: int
    chunks: int
    pages: int


class IndexManifest(msgspec.Struct, frozen=True):
    """`vectors` is their dimension, 0 without; `sizes` are those of the files in the folder
    `merged`, in bytes; documents are in order of their ids."""

    format: int
    vectors: int
    merged: str
    sizes: dict[str, int]
    documents: dict[str, IndexedDocument]


class Segment(msgspec.Struct, frozen=True):
    """All the index knows of one document.

    `terms` counts terms in chunks, `names` in pages; `chunk_pages` (from 0) and `chunk_words` are
    little-endian uint32; `vectors` little-endian float32, a row a chunk; `chunks` holds a tuple of
    Chunk.
    """

    chunk_pages: bytes
    chunk_words: bytes
    terms: Postings
    names: Postings
    vectors: bytes
    chunks: msgspec.Raw


def read_manifest(folder: Path) -> IndexManifest:
    """The manifest of an index. Raises ConfigError (`no_index`) or SchemaError."""
    try:
        data = (folder / _MANIFEST).read_bytes()
    except FileNotFoundError as error:
        raise ConfigError(
            f"no search index in {folder}", code="no_index", hint="run docpipe ingest"
        ) from error
    except OSError as error:
        raise unreadable(folder / _MANIFEST, error.strerror) from error
    try:
        found = msgspec.json.decode(data)
        if isinstance(found, dict) and found.get("format") == FORMAT:
            return msgspec.convert(found, IndexManifest)
    except msgspec.MsgspecError as error:
        raise SchemaError(
            f"{folder / _MANIFEST} is damaged: {error}",
            hint="run the same `docpipe ingest` again: it makes the index anew",
        ) from error
    raise SchemaError(
        f"the index in {folder} is of another format than {FORMAT}",
        code="index_format",
        hint="delete the index folder and ingest again",
    )


def is_whole(folder: Path) -> bool:
    """Whether there is an index, of this format, and none of its files is missing or cut short."""
    try:
        manifest = read_manifest(folder)
        documents = manifest.documents.values()
        found = {path.name: path.stat().st_size for path in (folder / "segments").iterdir()}
        merged = {path.name: path.stat().st_size for path in (folder / manifest.merged).iterdir()}
    except (ConfigError, SchemaError, OSError):
        return False
    whole = all(found.get(document.segment) == document.size for document in documents)
    return whole and merged == manifest.sizes


def read_segment(folder: Path, entry: IndexedDocument) -> Segment:
    path = folder / "segments" / entry.segment
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=Segment)
    except (OSError, msgspec.MsgspecError) as error:
        raise unreadable(path, error) from error


def read_chunks(folder: Path, entry: IndexedDocument) -> tuple[Chunk, ...]:
    """The chunks of a document in reading order."""
    return msgspec.msgpack.decode(read_segment(folder, entry).chunks, type=tuple[Chunk, ...])


def update(
    folder: Path,
    documents: Iterable[Document],
    *,
    remove: Collection[str] = (),
    embedder: Embedder | None = None,
) -> None:
    """Add `documents` to the index in `folder`, replacing those of the same id, and drop `remove`.

    The index is made if there is none. Give a generator that loads one document at a time: each is
    let go before the next is asked for, and memory stays flat. Ids in `remove` that are unknown
    are ignored. An index has vectors of one embedder or none at all; chunks whose text did not
    change are not embedded again. One writer at a time. Raises SchemaError when the folder holds
    an index of another format: then delete it and update with all documents.
    """
    dimension = embedder.dimension if embedder else 0
    entries: dict[str, IndexedDocument] = {}
    if (folder / _MANIFEST).exists():
        manifest = read_manifest(folder)
        entries = {id: entry for id, entry in manifest.documents.items() if id not in remove}
        if entries and manifest.vectors != dimension:
            raise ConfigError(
                f"the index in {folder} has vectors of dimension {manifest.vectors}, "
                f"the embedder makes {dimension}",
                code="embedder",
                hint="use the same embedder, or delete the index folder and ingest again",
            )
    (folder / "segments").mkdir(parents=True, exist_ok=True)
    for document in documents:
        known = entries.get(document.id)
        entries[document.id] = _add(folder, document, embedder, known)
    _publish(folder, dict(sorted(entries.items())), dimension)


def _add(
    folder: Path, document: Document, embedder: Embedder | None, known: IndexedDocument | None
) -> IndexedDocument:
    chunks = chunks_of(document)
    hashes = [term_hashes(chunk.text) for chunk in chunks]
    names = [
        np.array([term_hash(name) for name in names], np.uint64) for names in page_names(document)
    ]
    old = (folder, known) if known and embedder else None
    segment = Segment(
        np.array([chunk_page(chunk) - 1 for chunk in chunks], "<u4").tobytes(),
        np.array([len(terms) for terms in hashes], "<u4").tobytes(),
        postings.count(hashes),
        postings.count(names),
        _embed(chunks, embedder, old) if embedder else b"",
        msgspec.Raw(msgspec.msgpack.encode(chunks)),
    )
    data = msgspec.msgpack.encode(segment)
    name = f"{document.id}-{_sum(data)}.seg"
    _write(folder / "segments" / name, data)
    return IndexedDocument(name, len(data), len(chunks), len(document.pages))


def _embed(
    chunks: Sequence[Chunk], embedder: Embedder, old: tuple[Path, IndexedDocument] | None
) -> bytes:
    """Unit vectors of the chunks: the old ones when all texts are as before.

    All or none, because the last bits of a vector depend on what is embedded along with it.
    """
    texts = [chunk.text for chunk in chunks]
    if old and [chunk.text for chunk in read_chunks(*old)] == texts:
        return read_segment(*old).vectors
    return embedder.embed_texts(texts).astype("<f4").tobytes() if texts else b""


def _publish(folder: Path, entries: dict[str, IndexedDocument], dimension: int) -> None:
    """Merge the segments, put the manifest in place, delete what it no longer names."""
    listing = msgspec.json.encode([FORMAT, dimension, entries])
    merged = f"merged-{_sum(listing)}"
    if not (folder / merged).exists():
        draft = folder / f"{merged}.part"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        _merge(folder, list(entries.values()), dimension, draft)
        os.replace(draft, folder / merged)
    sizes = {path.name: path.stat().st_size for path in sorted((folder / merged).iterdir())}
    manifest = IndexManifest(FORMAT, dimension, merged, sizes, entries)
    _write(folder / _MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    for path in folder.glob("merged-*"):
        if path.name != merged:
            shutil.rmtree(path)
    used = {entry.segment for entry in entries.values()}
    for path in (folder / "segments").iterdir():
        if path.name not in used:
            path.unlink()


def _merge(folder: Path, entries: Sequence[IndexedDocument], dimension: int, target: Path) -> None:
    chunk_starts = list(itertools.accumulate((entry.chunks for entry in entries), initial=0))
    page_starts = list(itertools.accumulate((entry.pages for entry in entries), initial=0))

    def segments() -> Iterator[Segment]:
        return (read_segment(folder, entry) for entry in entries)

    def terms() -> Iterator[tuple[int, Postings]]:
        return zip(chunk_starts, (segment.terms for segment in segments()), strict=False)

    def names() -> Iterator[tuple[int, Postings]]:
        return zip(page_starts, (segment.names for segment in segments()), strict=False)

    postings.merge(terms, sum(len(part) for _, part in terms()), target, "terms")
    postings.merge(names, sum(len(part) for _, part in names()), target, "names")
    with (target / "chunk_pages").open("wb") as pages, (target / "chunk_words").open("wb") as words:
        for start, segment in zip(page_starts, segments(), strict=False):
            pages.write((np.frombuffer(segment.chunk_pages, "<u4") + np.uint32(start)).tobytes())
            words.write(segment.chunk_words)
    if dimension:
        rows = (
            np.frombuffer(segment.vectors, "<f4").reshape(-1, dimension) for segment in segments()
        )
        vectors.write(target / "vectors.faiss", rows, dimension)


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _write(path: Path, data: bytes) -> None:
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(data)
    os.replace(draft, path)
