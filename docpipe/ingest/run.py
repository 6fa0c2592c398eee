"""The course of an ingest: find the inputs, read what is new, update the index, commit.

The parent process holds no page contents. Finished documents are noted in a journal at once; the
manifest, the index and the report follow at the end. An ingest that was killed is resumed by
running it again: documents in the journal are taken as they are, and pages whose facts are in
`work/` are not read again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

import docpipe
from docpipe.config import Config, Limits, StageConfig
from docpipe.errors import INPUT_CODES, ConfigError, InputError, StageError
from docpipe.ingest import jobs, journal
from docpipe.ingest.inputs import INPUT_SUFFIXES, Input, check_targets, find_inputs, printable
from docpipe.ingest.journey import Journey
from docpipe.ingest.report import Done, IngestReport, ReportLine, write_report
from docpipe.library.store import (
    CANNOT_WRITE,
    Entry,
    Manifest,
    Store,
    copy_atomically,
    path_from,
    path_text,
    sweep,
)
from docpipe.registry import MODEL_PARSERS
from docpipe.workers import Kind, Task, WorkerPool

_CANNOT_GO_ON = "make room for the library and run the same command again: it goes on from there"
_INDEX_AGAIN = "run the same ingest again, or ingest the folder of the document it names"
_LOCKED = ("needs_password", "wrong_password")


_Files = tuple[tuple[str, Path], ...]


class Progress(msgspec.Struct, frozen=True):
    """How far an ingest is: inputs done of all, pages read, and the name of the last input."""

    done: int
    total: int
    pages: int
    name: str


def ingest(
    targets: Path | Iterable[Path],
    store: Store,
    *,
    config: Config | None = None,
    jobs: int | None = None,
    passwords: Sequence[str] = (),
    resume: bool = True,
    copy: bool = False,
    prune: bool = False,
    pages: str | None = None,
    index: bool = True,
    leave_out: Iterable[Path] = (),
    progress: Callable[[Progress], None] | None = None,
) -> IngestReport:
    """Read folders and files into the library in `store`: see `Library.ingest`.

    For a library that serves one conversion only, `pages` names the page ranges to read of each
    document, and without `index` it is not made searchable. Folders to `leave_out` are not read,
    such as the one that the conversion writes to.
    """
    given = [targets] if isinstance(targets, Path) else list(targets)
    check_targets(given)
    config = config or Config()
    with store.locked():
        inputs = find_inputs(given, leave_out=(store.root, *leave_out))
        run = _Run(store, config, inputs, passwords, resume=resume, copy=copy, pages=pages)
        with _pool(store, config, jobs or os.cpu_count() or 1) as pool:
            _check_ocr(config, pool)
            run.read(pool, progress)
            return run.commit(pool, given if prune else (), index=index)


def _pool(store: Store, config: Config, workers: int) -> WorkerPool:
    limits = config.limits
    kinds = {
        "parse": Kind(
            memory_of(config.parser, limits.parse_memory, limits),
            _prepare(config, "parse"),
            limits.pages_per_worker,
        ),
        "ocr": Kind(
            memory_of(config.ocr, limits.ocr_memory, limits),
            _prepare(config, "ocr"),
            limits.pages_per_worker,
            required=False,
        ),
        "large": Kind(limits.model_memory, _prepare(config, "large"), limits.pages_per_worker),
    }
    if config.entities is not None:
        kinds["entities"] = Kind(
            limits.model_memory, _prepare(config, "entities"), limits.pages_per_worker
        )
    return WorkerPool(workers, kinds, store.log, preload=(jobs.__name__, "pymupdf"))


def memory_of(parser: StageConfig, usual: int, limits: Limits) -> int:
    """The memory, in MiB, that workers with this parser may use."""
    return max(usual, limits.model_memory) if parser.name in MODEL_PARSERS else usual


def _prepare(config: Config, stage: str) -> tuple[str, tuple[Config, str]]:
    return jobs.PREPARE, (config, stage)


def _is_whole(index: Path) -> bool:
    from docpipe.retrieval.store import is_whole  # with numpy, which a first ingest does without

    return is_whole(index)


def _check_ocr(config: Config, pool: WorkerPool) -> None:
    """Raise ConfigError for wrong settings of OCR now and not at the first page that needs it."""
    if config.ocr_mode != "off" and config.ocr != Config().ocr:
        pool.start(Task("ocr", jobs.CHECK, ()))
        pool.wait()


class _Run:
    """One ingest. `_known` are the entries to build on, by id: the manifest's and the journal's."""

    def __init__(
        self,
        store: Store,
        config: Config,
        inputs: Sequence[Input],
        passwords: Sequence[str],
        *,
        resume: bool,
        copy: bool,
        pages: str | None,
    ) -> None:
        self._store = store
        self._config = config
        self._passwords = tuple(passwords)
        self._copy = copy
        self._chosen = pages
        self._inputs = inputs
        self._before = store.read_manifest()
        if not resume and store.work.exists():
            shutil.rmtree(store.work)
        store.work.mkdir(exist_ok=True)
        self._settings = _Settings(config)
        self._journal = journal.read(store.journal)
        self._known = {entry.id: entry for entry in self._before.entries} if resume else {}
        self._known |= {id: done.entry for id, done in self._journal.items()}
        self._ids: dict[str, str] = {}  # by path, of the inputs that could be hashed
        self._first: dict[str, str] = {}  # by id, the first path with that content
        self._lines: dict[str, ReportLine] = {}  # by path, of the inputs that could not
        self._unread: list[Path] = []  # files and folders that are there but cannot be read
        self._results: dict[str, Entry] = {}  # by id
        self._reused = 0
        self._pages = 0
        self._journeys: dict[str, Journey] = {}

    # ── Reading ─────────────────────────────────────────────────────────────────────────────

    def read(self, pool: WorkerPool, progress: Callable[[Progress], None] | None) -> None:
        """Make a document of every input that is not known."""
        waiting = self._admit()
        if progress:
            progress(self._progress(""))
        while True:
            while pool.room and (task := self._next_task(waiting)):
                pool.start(task)
            if not pool.running:
                return
            for task, outcome in pool.wait():
                if outcome.issue and outcome.issue.code in (CANNOT_WRITE, "read_only"):
                    raise ConfigError(
                        outcome.issue.message, code=outcome.issue.code, hint=_CANNOT_GO_ON
                    )
                journey = self._journeys[task.topic]
                journey.take(task, outcome)
                if journey.done is not None:
                    self._finish(journey, journey.done)
                if progress:
                    progress(self._progress(journey.name))

    def _next_task(self, waiting: Iterator[Journey]) -> Task | None:
        """A task of a document that is under way, or else of the next one."""
        for journey in self._journeys.values():
            if task := journey.next_task():
                return task
        for journey in waiting:
            self._journeys[journey.job.id] = journey
            return journey.next_task()
        return None

    def _admit(self) -> Iterator[Journey]:
        """The inputs to be read, one content once, in order."""
        for item in self._inputs:
            id = self._identify(item)
            if id is None:
                continue
            self._ids[item.path] = id
            if self._first.setdefault(id, item.path) != item.path:
                continue
            entry = self._known.get(id)
            current = entry is not None and self._is_current(entry)
            if entry and current and not self._settings.lacks_fields(entry):
                self._results[id] = entry
                self._reused += id not in self._journal
                self._keep_original(id, item.source)
                continue
            self._journal.pop(id, None)
            folder = self._store.work / id
            job = jobs.Job(item.source, id, folder, self._passwords, self._chosen)
            yield Journey(
                job,
                printable(item.source.name),
                self._store.document_path(id),
                self._config.limits,
                fields=self._config.entities is not None,
                composed=jobs.composed_before(entry) if entry and current else None,
            )

    def _identify(self, item: Input) -> str | None:
        """The id of an input's content, or None with a line in the report that says why not."""
        if item.skipped:
            self._lines[item.path] = _line(item, "skipped", item.skipped)
            return None
        if item.problem:
            self._lines[item.path] = _line(item, "failed", "source_missing", item.problem)
            self._unread.append(item.source)
            return None
        try:
            return _hash(item.source, self._config.limits.max_file_size)
        except InputError as error:
            if isinstance(error.__cause__, OSError):
                self._unread.append(item.source)
            self._lines[item.path] = _line(item, "failed", error.code, error.message)
            return None

    def _is_current(self, entry: Entry) -> bool:
        """Whether an entry is what reading the file again would give."""
        if not self._settings.fit(entry):
            return False
        if entry.status != "failed" and not self._store.has_document(entry.id):
            return False
        if entry.reason in _LOCKED:
            return not self._passwords
        return entry.reason is None or entry.reason in INPUT_CODES

    def _finish(self, journey: Journey, done: Done) -> None:
        id = journey.job.id
        del self._journeys[id]
        entry = msgspec.structs.replace(
            done.entry,
            settings=self._settings.digest(done.entry.status),
            fields=self._settings.fields,
        )
        done = msgspec.structs.replace(done, entry=entry)
        journal.append(self._store.journal, done)
        self._journal[id] = done
        self._results[id] = entry
        self._pages += entry.pages
        self._keep_original(id, journey.job.path)
        shutil.rmtree(journey.job.folder, ignore_errors=True)

    def _keep_original(self, id: str, source: Path) -> None:
        entry = self._results[id]
        if entry.status == "failed" or entry.original:
            return
        original = next((e.original for e in self._before.entries if e.id == id), None)
        if original is None and self._copy:
            suffix = source.suffix.lower()
            name = f"{id}{suffix if suffix in INPUT_SUFFIXES else ''}"
            copy_atomically(source, self._store.originals / name)
            original = f"originals/{name}"
        self._results[id] = msgspec.structs.replace(entry, original=original)

    def _progress(self, name: str) -> Progress:
        done = len(self._ids) + len(self._lines) - len(self._journeys)
        pages = self._pages + sum(journey.pages_done for journey in self._journeys.values())
        return Progress(done, len(self._inputs), pages, name)

    # ── Committing ──────────────────────────────────────────────────────────────────────────

    def commit(self, pool: WorkerPool, prune: Sequence[Path], *, index: bool) -> IngestReport:
        """Write manifest, index and report, in this order of need: none is read before it is
        whole, and each is made again from the journal when this is cut off."""
        entries = self._merge([Path(os.path.abspath(folder)) for folder in prune])
        index_problem = self._index(pool, entries) if index else None
        made_with = self._before.index if index_problem else self._settings.index
        self._store.write_manifest(Manifest(index=made_with, entries=tuple(entries)))
        kept = {entry.id for entry in entries}
        report = IngestReport(
            lines=tuple(self._line(item) for item in self._inputs),
            made=len(self._journal.keys() & self._results.keys()),
            unchanged=self._reused,
            removed=len({entry.id for entry in self._before.entries} - kept),
        )
        write_report(self._store.report, report)
        if index_problem:  # the journal stays, so that the next ingest makes up for it
            raise StageError("index", None, index_problem, hint=_INDEX_AGAIN)
        self._clean(entries, report)
        return report

    def _merge(self, prune: Sequence[Path]) -> list[Entry]:
        """The new manifest's entries: what was read now, and what stands from before.

        A path that was ingested before and now holds something else leaves its old entry; an entry
        without a path is dropped. Files that are gone stay, except in folders to `prune`; there,
        too, where it cannot be told.
        """
        sources: dict[str, set[str]] = {id: set() for id in self._results}
        now = {
            path_text(item.source): self._ids[item.path]
            for item in self._inputs
            if item.path in self._ids
        }
        for entry in self._before.entries:
            for path in entry.sources:
                gone = _is_below(path, prune) and not _is_below(path, self._unread)
                if path not in now and not gone:
                    sources.setdefault(entry.id, set()).add(path)
        for path, id in now.items():
            sources[id].add(path)
        known = {entry.id: entry for entry in self._before.entries} | self._results
        entries = [
            msgspec.structs.replace(known[id], sources=tuple(sorted(paths)))
            for id, paths in sources.items()
            if paths
        ]
        return sorted(entries, key=lambda entry: entry.sources)

    def _index(self, pool: WorkerPool, entries: Sequence[Entry]) -> str | None:
        """Update the search index; a text that says what went wrong."""
        listed = tuple(entry.id for entry in entries if entry.status != "failed")
        before = {entry.id for entry in self._before.entries if entry.status != "failed"}
        changed = frozenset(self._journal)
        anew = self._before.index != self._settings.index or not _is_whole(self._store.index)
        if not (anew or changed or before != set(listed)):
            return None
        tasks = [Task("large", jobs.INDEX, (self._store.root, changed, listed, anew))]
        if self._config.visual is not None:
            tasks.append(Task("large", jobs.PICTURE, self._pictured(entries)))
        for task in tasks:
            pool.start(task)
            [(_, outcome)] = pool.wait()
            if outcome.issue:
                return outcome.issue.message
        return None

    def _pictured(self, entries: Sequence[Entry]) -> tuple[Path, _Files, tuple[str, ...]]:
        """The arguments of the job PICTURE."""
        root = self._store.root
        files = tuple(
            (entry.id, root / entry.original if entry.original else path_from(entry.sources[0]))
            for entry in entries
            if entry.status != "failed"
        )
        return root, files, self._passwords

    def _line(self, item: Input) -> ReportLine:
        if item.path in self._lines:
            return self._lines[item.path]
        id = self._ids[item.path]
        entry = self._results[id]
        first = self._first[id]
        if item.path != first and entry.status != "failed":
            return _line(item, "duplicate", None, f"the same as {first}", document=id)
        done = self._journal.get(id)
        return ReportLine(
            path=item.path,
            name=printable(item.source.name),
            document=id,
            status=entry.status,
            reason=entry.reason,
            message=entry.message,
            pages=entry.pages,
            routes=entry.routes,
            issues=entry.issues,
            seconds=done.seconds if done else 0.0,
            peak_mb=done.peak_mb if done else 0,
        )

    def _clean(self, entries: Sequence[Entry], report: IngestReport) -> None:
        """Remove files that no entry speaks of, and what was needed on the way.

        The log of the workers stays when it may explain a failure.
        """
        documents = {entry.id for entry in entries if entry.status != "failed"}
        sweep(self._store.documents, {self._store.document_path(id).name for id in documents})
        sweep(self._store.originals, {Path(e.original).name for e in entries if e.original})
        puzzling = any(line.reason == "internal" for line in report.lines)
        for leftover in self._store.root.glob(".*.tmp"):
            leftover.unlink()
        for path in self._store.work.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif not (puzzling and path == self._store.log):
                path.unlink()
        if not puzzling:
            self._store.work.rmdir()


class _Settings:
    """Digests of the settings that a result depends on.

    What was read in full does not depend on the limits; a failure may.
    """

    def __init__(self, config: Config) -> None:
        reading = (docpipe.__version__, config.parser, config.ocr, config.ocr_mode)
        self._of_success = _digest(reading)
        self._of_failure = _digest((*reading, config.limits))
        searched = (docpipe.__version__, config.dense and config.embedder)
        visual = config.visual
        pictures = (visual.made_by, visual.nearest > 0) if visual else ()
        self.index = _digest((*searched, *pictures))
        self.fields = _fields_digest(config)

    def digest(self, status: str) -> str:
        return self._of_success if status == "ok" else self._of_failure

    def lacks_fields(self, entry: Entry) -> bool:
        """Whether a document has not the fields that are wanted; without any wanted, those it has
        stay."""
        return bool(self.fields) and entry.fields != self.fields and entry.status != "failed"

    def fit(self, entry: Entry) -> bool:
        return entry.settings == self.digest(entry.status)


def _fields_digest(config: Config) -> str:
    if config.entities is None:
        return ""
    from docpipe.parsers.entities.extraction import digest

    return digest(config.entities)


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:12]


def _line(
    item: Input,
    status: Literal["skipped", "failed", "duplicate"],
    reason: str | None,
    message: str | None = None,
    document: str | None = None,
) -> ReportLine:
    return ReportLine(
        path=item.path,
        name=printable(item.source.name),
        document=document,
        status=status,
        reason=reason,
        message=message,
        routes={},
    )


def _hash(path: Path, max_megabytes: int) -> str:
    """The document id of a file's content. Raises InputError when it cannot or should not be
    read."""
    from docpipe.pdf import document_id, unreadable

    name = printable(path.name)
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise InputError("source_missing", f"{name} is not a regular file")
        size = found.st_size >> 20
        if size > max_megabytes:
            raise InputError("too_large", f"{name} has {size} MiB, more than {max_megabytes}")
        return document_id(path)
    except FileNotFoundError:
        raise InputError("source_missing", f"{name} is missing") from None
    except OSError as error:
        raise unreadable(path, error) from error


def _is_below(path: str, folders: Iterable[Path]) -> bool:
    return any(path_from(path).is_relative_to(folder) for folder in folders)
