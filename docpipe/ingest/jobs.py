"""What an ingest does inside worker processes.

Facts of pages go to disk, not to the parent: `work/<document>/` holds `head.json`, and for each
page `<number>.json`, or `<number>.text.json` as long as it waits for OCR. A page is done when its
file is there, so that a resumed ingest goes on from what it finds.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from docpipe import codec, registry
from docpipe.config import Config
from docpipe.errors import INPUT_CODES, ConfigError, DocpipeError, InputError, SchemaError
from docpipe.library.store import Entry, Store, write_atomically
from docpipe.pdf import OpenDocument
from docpipe.pipeline import Head, Pipeline, open_with_passwords, page_numbers, read_head
from docpipe.records import Document, Issue
from docpipe.stages import PageFacts

if TYPE_CHECKING:
    from PIL import Image

OPEN = f"{__name__}:open_file"
READ = f"{__name__}:read_page"
OCR = f"{__name__}:ocr_page"
COMPOSE = f"{__name__}:compose"
EXTRACT = f"{__name__}:extract"
INDEX = f"{__name__}:index"
PICTURE = f"{__name__}:picture"
CHECK = f"{__name__}:check"
PREPARE = f"{__name__}:prepare"


class Job(msgspec.Struct, frozen=True):
    """A document to be read: the file, its id, its folder in `work/`, passwords to try, and the
    page ranges to read, such as "1-3,7" (all without)."""

    path: Path
    id: str
    folder: Path
    passwords: tuple[str, ...] = ()
    pages: str | None = None


class Opened(msgspec.Struct, frozen=True):
    """How many pages there are, which still are to be read and to be OCRed, and the password."""

    pages: int
    to_read: tuple[int, ...]
    to_ocr: tuple[int, ...]
    passwords: tuple[str, ...]


class Composed(msgspec.Struct, frozen=True):
    """What the manifest and the report say of a document."""

    status: Literal["ok", "partial", "failed"]
    reason: str | None
    message: str | None
    pages: int
    routes: dict[str, int]
    issues: int


def failure(issue: Issue) -> Composed:
    """A file of which no document could be made."""
    return Composed("failed", issue.code, issue.message, 0, {}, 0)


def composed_before(entry: Entry) -> Composed:
    """What is known of a document that an earlier ingest has read."""
    return Composed(
        entry.status, entry.reason, entry.message, entry.pages, entry.routes, entry.issues
    )


# A worker's own: its stages, and the file it read from last.
_pipeline: Pipeline
_open: tuple[Job, OpenDocument] | None = None


def prepare(config: Config, stage: Literal["parse", "ocr", "large", "entities"]) -> None:
    """Build the stage that this worker serves with, before the clock of its first page starts."""
    global _pipeline
    _pipeline = Pipeline(config)
    if stage == "parse":
        _ = _pipeline.parser
    elif stage == "ocr":
        _ = _pipeline.ocr
    elif stage == "entities":
        _ = _pipeline.extractor


def check() -> None:
    """Nothing: a worker that was asked has built its stage."""


def open_file(job: Job) -> Opened:
    """Open a file, write what only the whole file knows, and find what is left to do."""
    document, password = open_with_passwords(job.path, job.passwords, _pipeline.config)
    passwords = () if password is None else (password,)
    _keep(msgspec.structs.replace(job, passwords=passwords), document)
    head = read_head(document)
    job.folder.mkdir(parents=True, exist_ok=True)
    write_atomically(job.folder / "head.json", codec.encode(head), durable=False)
    numbers = page_numbers(job.pages, head.page_count)
    done = {number for number in numbers if _stored(job, number, "")}
    texts = {number for number in numbers if _stored(job, number, ".text")} - done
    return Opened(
        pages=len(numbers),
        to_read=tuple(sorted(set(numbers) - done - texts)),
        to_ocr=tuple(sorted(texts)),
        passwords=passwords,
    )


def read_page(job: Job, number: int) -> bool:
    """Read a page with the parser and store its facts; whether it should be OCRed."""
    facts = _pipeline.read_text(_document(job).page(number))
    ocr = _pipeline.wants_ocr(facts, _pipeline.config.ocr_mode)
    _write(job, facts, ".text" if ocr else "")
    return ocr


def ocr_page(job: Job, number: int) -> None:
    """Read a page by OCR, and store its facts in place of the parser's."""
    text = _read(job, number, ".text")
    facts = _pipeline.read_ocr(_document(job).page(number), text)
    _write(job, facts, "")
    _path(job, number, ".text").unlink()


def compose(
    job: Job, name: str, failures: tuple[Issue, ...], target: Path, plain: bool
) -> Composed:
    """Write the document of all pages that were read; none when no page could be."""
    head = codec.decode((job.folder / "head.json").read_bytes(), Head)
    numbers = page_numbers(job.pages, head.page_count)
    facts = [
        _read(job, number, suffix)
        for number in numbers
        for suffix in ("", ".text")
        if _path(job, number, suffix).exists()
    ]
    document = _pipeline.compose(
        head, facts, failures, id=job.id, name=name, numbers=numbers, plain=plain
    )
    if facts:
        write_atomically(target, codec.encode(document))
    return _judge(document, failures, readable=bool(facts))


def extract(target: Path) -> None:
    """Put entities and fields into the document in the file `target`."""
    assert _pipeline.extractor is not None
    document = codec.decode_document(target.read_bytes())
    write_atomically(target, codec.encode(_pipeline.extractor.extract(document)))


def _judge(document: Document, failures: Sequence[Issue], *, readable: bool) -> Composed:
    """`ok`, or `partial` when pages or their OCR failed or the file says its content is not
    readable, or `failed` when no page was read; the first such issue gives the reason. A file
    whose pages are all damaged is itself beyond recovery."""
    flaws = [*failures, *(issue for issue in document.issues if issue.code in INPUT_CODES)]
    routes = [page.quality.route for page in document.pages]
    first = flaws[0] if flaws else None
    reason = first.code if first else None
    if not readable and reason == "damaged_page":
        reason = "damaged_unrecoverable"
    return Composed(
        status="failed" if not readable else "partial" if flaws else "ok",
        reason=reason,
        message=first.message if first else None,
        pages=len(document.pages),
        routes={route: routes.count(route) for route in sorted(set(routes))},
        issues=len(document.issues),
    )


def index(root: Path, changed: frozenset[str], listed: tuple[str, ...], anew: bool) -> None:
    """Bring the search index in line with the `listed` documents, of which `changed` are new, or
    make it `anew` for other settings."""
    from docpipe.retrieval.index import update

    store = Store(root)
    config = _pipeline.config
    embedder = None
    if config.dense:
        embedder = registry.build("embedder", config.embedder.name, config.embedder.options)
    if anew and store.index.exists():
        shutil.rmtree(store.index)
    indexed = _indexed(store)
    wanted = [id for id in listed if id in changed or id not in indexed]
    documents = (store.read_document(id) for id in wanted)
    update(store.index, documents, remove=indexed - set(listed), embedder=embedder)


def picture(root: Path, files: tuple[tuple[str, Path], ...], passwords: tuple[str, ...]) -> None:
    """Bring the vectors of page images in line with the documents, given by id and file."""
    from docpipe.retrieval.visual_store import update

    config = _pipeline.config
    assert config.visual is not None
    visual = config.visual
    embedder = registry.build("visual_embedder", visual.name, visual.options)
    pages = {id: partial(_pictures, path, passwords, visual.dpi) for id, path in files}
    update(Store(root).visual, pages, embedder, visual.made_by, nearest=visual.nearest > 0)


def _pictures(path: Path, passwords: tuple[str, ...], dpi: float) -> Iterator[Image.Image | None]:
    """The pages of a file, None for one that cannot be shown; of a file that is gone none."""
    try:
        document, _ = open_with_passwords(path, passwords, _pipeline.config)
    except InputError:
        return
    with document:
        for number in range(1, document.page_count + 1):
            try:
                yield document.page(number).render(dpi)
            except DocpipeError:
                yield None


def _indexed(store: Store) -> set[str]:
    """The documents in the index; none when there is none, or one of another format."""
    from docpipe.retrieval.index import Index

    try:
        return set(Index.open(store.index).documents)
    except ConfigError:
        return set()
    except SchemaError:
        shutil.rmtree(store.index)
        return set()


def _document(job: Job) -> OpenDocument:
    """The open file; it stays open for the next page."""
    if _open is None or _open[0] != job:
        document, _ = open_with_passwords(job.path, job.passwords, _pipeline.config)
        _keep(job, document)
    assert _open is not None
    return _open[1]


def _keep(job: Job, document: OpenDocument) -> None:
    global _open
    if _open is not None:
        _open[1].close()
    _open = job, document


def _path(job: Job, number: int, suffix: str) -> Path:
    return job.folder / f"{number}{suffix}.json"


def _write(job: Job, facts: PageFacts, suffix: str) -> None:
    path = _path(job, facts.number, suffix)
    write_atomically(path, codec.encode(facts), durable=False)


def _read(job: Job, number: int, suffix: str) -> PageFacts:
    return codec.decode(_path(job, number, suffix).read_bytes(), PageFacts)


def _stored(job: Job, number: int, suffix: str) -> bool:
    """Whether usable facts are there: a power failure may leave an empty file."""
    try:
        _read(job, number, suffix)
    except (FileNotFoundError, SchemaError):
        return False
    return True
