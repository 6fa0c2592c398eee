"""A folder of documents that can be searched and asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from docpipe import registry
from docpipe.config import Config, StageConfig
from docpipe.errors import ConfigError, InputError
from docpipe.library.store import Entry, Manifest, Store, path_from
from docpipe.records import Answer, Chunk, Document, Hit, PageHit, Trajectory

if TYPE_CHECKING:
    from PIL import Image

    from docpipe.ingest import IngestReport, Progress
    from docpipe.retrieval.reranked import Search
    from docpipe.stages import Agent, LibraryView

_KEPT_DOCUMENTS = 8


class Library:
    """An opened library; it is a `stages.LibraryView`.

    Opening reads the manifest only. Documents, index and models are loaded when first needed, and
    the last few documents are kept. `passwords` open encrypted originals for page images.
    """

    def __init__(
        self, root: Path, *, config: Config | None = None, passwords: Sequence[str] = ()
    ) -> None:
        self.root = root
        self.config = config or Config()
        self._passwords = tuple(passwords)
        self._store = Store(root)
        self._entries: dict[str, Entry] = {}
        self._load = lru_cache(_KEPT_DOCUMENTS)(self._store.read_document)
        self.refresh()

    @classmethod
    def open(
        cls, root: str | Path, *, config: Config | None = None, passwords: Sequence[str] = ()
    ) -> Library:
        """The library in a folder. Raises ConfigError (code `no_library`) when there is none,
        SchemaError when its manifest is damaged or of a newer docpipe."""
        return cls(Path(root), config=config, passwords=passwords)

    @classmethod
    def create(
        cls, root: str | Path, *, config: Config | None = None, passwords: Sequence[str] = ()
    ) -> Library:
        """The library in a folder, made if there is none yet. Raises ConfigError when the folder
        holds other files."""
        store = Store(Path(root))
        if not store.manifest_path.exists():
            try:
                store.root.mkdir(parents=True, exist_ok=True)
                foreign = [path for path in store.root.iterdir() if not path.name.startswith(".")]
            except OSError as error:
                raise ConfigError(
                    f"no library can be made in {root}: {error.strerror}",
                    hint="name another folder, or check the permissions",
                ) from error
            if foreign:
                raise ConfigError(
                    f"{root} is no library and is not empty", hint="name a new folder"
                )
            store.write_manifest(Manifest())
        return cls(store.root, config=config, passwords=passwords)

    # ── Filling ─────────────────────────────────────────────────────────────────────────────

    def ingest(
        self,
        targets: str | Path | Iterable[str | Path],
        *,
        jobs: int | None = None,
        resume: bool = True,
        copy: bool = False,
        prune: bool = False,
        progress: Callable[[Progress], None] | None = None,
    ) -> IngestReport:
        """Read folders and files into the library, in worker processes under the configured
        limits, and bring the index up to date.

        Every input gets one line in the report, in the order of paths, whatever happens to it; a
        page that fails costs that page. Content that is in the library already is not read again
        (all is, with `resume=False`). A changed file replaces its old document. Documents whose
        files are gone stay, so that an unplugged disk costs nothing; `prune` removes those that
        were below the given folders. `jobs` is the number of workers (default: one per processor);
        the result does not depend on it. `copy` stores the originals, so that page images can be
        made without them. `progress` is called in this thread.

        Raises ConfigError when another ingest is running (code `locked`) or the library cannot be
        written (`read_only`, `cannot_write`), InputError (`source_missing`) when a target does not
        exist, StageError when the index failed.
        """
        from docpipe.ingest import ingest

        given = [targets] if isinstance(targets, str | Path) else targets
        try:
            return ingest(
                [Path(target) for target in given],
                self._store,
                config=self.config,
                jobs=jobs,
                passwords=self._passwords,
                resume=resume,
                copy=copy,
                prune=prune,
                progress=progress,
            )
        finally:
            self.refresh()

    def remove(self, document: str) -> None:
        """Drop a document, by id or name, from the library and its index; by id also a file that
        could not be read."""
        from docpipe.retrieval import visual_store
        from docpipe.retrieval.index import update

        id = document if document in self._entries else self.find(document)
        with self._store.locked():
            manifest = self._store.read_manifest()
            kept = tuple(entry for entry in manifest.entries if entry.id != id)
            self._store.write_manifest(msgspec.structs.replace(manifest, entries=kept))
            update(self._store.index, (), remove=[id], embedder=self._embedder)
            visual_store.remove(self._store.visual, id)
            self._store.document_path(id).unlink(missing_ok=True)
            if original := self._entries[id].original:
                (self.root / original).unlink(missing_ok=True)
        self.refresh()

    def refresh(self) -> None:
        """Read the manifest again, which another process may have written, and let go of what may
        have changed with it."""
        entries = self._store.read_manifest().entries
        self._entries = {entry.id: entry for entry in entries}
        self._load.cache_clear()
        self.__dict__.pop("_index", None)

    # ── Looking ─────────────────────────────────────────────────────────────────────────────

    def documents(self) -> Iterator[str]:
        """The ids of the documents, in the order of their paths."""
        return (entry.id for entry in self._entries.values() if entry.status != "failed")

    def status(self) -> tuple[Entry, ...]:
        """What is known of each file, also of those that could not be read, by path."""
        return tuple(self._entries.values())

    def find(self, document: str) -> str:
        """The id of a document given by id, name, or the end of a path it was found at.

        Raises ConfigError (`unknown_document`) when there is none or more than one.
        """
        entry = self._entries.get(document)
        if entry and entry.status != "failed":
            return entry.id
        found = [id for id in self.documents() if self._is_called(self._entries[id], document)]
        if len(found) != 1:
            what = f"{len(found)} documents are" if found else "no document is"
            raise ConfigError(
                f"{what} called {document!r}",
                code="unknown_document",
                hint=f"give an id: {', '.join(found[:5])}" if found else "see `docpipe status`",
            )
        return found[0]

    def document(self, id: str) -> Document:
        """A document, by id or name. Raises ConfigError (`unknown_document`), SchemaError."""
        return self._load(self.find(id))

    def search(self, query: str, k: int = 10, documents: Sequence[str] | None = None) -> list[Hit]:
        """At most `k` chunks for a query, best first, from all documents or those given by id or
        name."""
        within = None if documents is None else [self.find(name) for name in documents]
        hits = self._index.search(query, k, within)
        return [hit for hit in hits if hit.chunk.document in self._entries]

    def search_pages(
        self, query: str, k: int = 10, documents: Sequence[str] | None = None
    ) -> list[PageHit]:
        """As `search`, ranked as pages."""
        within = None if documents is None else [self.find(name) for name in documents]
        hits = self._index.search_pages(query, k, within)
        return [hit for hit in hits if hit.document in self._entries]

    def chunk(self, id: str) -> Chunk:
        """The chunk with this id. Raises ConfigError (`unknown_chunk`)."""
        return self._index.chunk(id)

    def page_image(self, document: str, page: int, dpi: float = 144) -> Image.Image:
        """A page as an image, from the original. Raises InputError (`source_missing`) when no
        file with that content is left."""
        from docpipe.pipeline import open_with_passwords

        entry = self._entries[self.find(document)]
        opened, _ = open_with_passwords(self._original(entry), self._passwords, self.config)
        with opened:
            if not 1 <= page <= opened.page_count:
                raise ConfigError(f"{entry.name} has no page {page}", code="pages")
            return opened.page(page).render(dpi)

    # ── Asking ──────────────────────────────────────────────────────────────────────────────

    def ask(self, question: str, *, documents: Sequence[str] | None = None) -> Answer:
        """An answer with its evidence, from all documents or those given by id or name."""
        return self.run(question, documents=documents).answer

    def run(
        self,
        question: str,
        *,
        documents: Sequence[str] | None = None,
        agent: Agent | None = None,
    ) -> Trajectory:
        """As `ask`, with all steps that led to the answer; by the configured agent or another."""
        from docpipe.agents.scope import Scope

        view: LibraryView = self
        if documents is not None:
            view = Scope(self, [self.find(name) for name in documents])
        return (agent or self.agent).run(question, view)

    @cached_property
    def agent(self) -> Agent:
        """The configured agent, built when first needed."""
        reader = _build("reader", self.config.reader, self._parts())
        agent: Agent = _build("agent", self.config.agent, self._parts() | {"reader": reader})
        return agent

    def _parts(self) -> dict[str, Any]:
        """What stages may ask for by the name of a constructor argument."""
        if self.config.language_model is None:
            return {}
        model = _build("language_model", self.config.language_model, {})
        return {"model": model, "language_model": model}

    @cached_property
    def _index(self) -> Search:
        found = self._found_by()
        if self.config.reranker is None:
            return found
        from docpipe.retrieval.reranked import RerankedSearch

        return RerankedSearch(found, _build("reranker", self.config.reranker, {}))

    def _found_by(self) -> Search:
        from docpipe.retrieval.index import Index

        text = Index.open(self._store.index, self._embedder, fusion=self.config.fusion)
        visual = self.config.visual
        if self.config.retriever == "text" or visual is None:
            return text
        from docpipe.retrieval.visual import VisualSearch
        from docpipe.retrieval.visual_store import PageVectors

        return VisualSearch(
            text,
            PageVectors(self._store.visual, visual.made_by),
            registry.build("visual_embedder", visual.name, visual.options),
            fused=self.config.retriever == "fused",
            fusion=self.config.fusion,
            nearest=visual.nearest,
        )

    @cached_property
    def _embedder(self) -> Any:
        return _build("embedder", self.config.embedder, {}) if self.config.dense else None

    def _original(self, entry: Entry) -> Path:
        """A file with the document's content: the stored copy, or an input that is unchanged."""
        from docpipe.pdf import document_id

        if entry.original and (self.root / entry.original).exists():
            return self.root / entry.original
        for source in map(path_from, entry.sources):
            if source.is_file() and document_id(source) == entry.id:
                return source
        raise InputError("source_missing", f"no original of {entry.name} is left")

    @staticmethod
    def _is_called(entry: Entry, name: str) -> bool:
        return name == entry.name or any(
            source == name or source.endswith(f"/{name}") for source in entry.sources
        )


def _build(kind: Any, stage: StageConfig, parts: dict[str, Any]) -> Any:
    return registry.build(kind, stage.name, stage.options, parts)
