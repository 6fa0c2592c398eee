"""`docpipe ingest`, `status`, `search` and `ask`: the commands over a library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docpipe.cli import options
from docpipe.cli.options import (
    DEFAULT_LIBRARY,
    ConfigFile,
    DocumentTimeout,
    Json,
    Layout,
    LibraryDir,
    Ocr,
    PageTimeout,
    Password,
    PasswordFile,
    Schema,
    Settings,
    Weights,
)

if TYPE_CHECKING:
    from docpipe.ingest import IngestReport
    from docpipe.library import Library
    from docpipe.records import Answer, Evidence, Trajectory


Documents = Annotated[
    list[str] | None,
    typer.Option(
        "--document", "-d", metavar="NAME", help="Only this document (name or id); may be repeated."
    ),
]


def ingest(
    inputs: Annotated[list[Path], typer.Argument(metavar="FOLDER|FILE", show_default=False)],
    library: LibraryDir = DEFAULT_LIBRARY,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Workers.")] = None,
    copy: Annotated[bool, typer.Option("--copy", help="Keep copies of the files.")] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove documents whose files are gone.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Read all files again, also unchanged ones.")
    ] = False,
    ocr: Ocr = None,
    layout: Layout = None,
    schema: Schema = None,
    weights: Weights = None,
    page_timeout: PageTimeout = None,
    document_timeout: DocumentTimeout = None,
    password: Password = None,
    password_file: PasswordFile = None,
    config: ConfigFile = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Read PDFs and images into a library.

    Running it again resumes a broken ingest and reads only what is new or changed. Every file gets
    a line in LIBRARY/report.jsonl. Exit code 1 when a file failed or lost a page.
    """
    from docpipe.cli.output import ingest_progress, note, print_json
    from docpipe.ingest import check_targets
    from docpipe.library import Library

    check_targets(inputs)
    opened = Library.create(
        library,
        config=options.configuration(
            config,
            settings,
            ocr=ocr,
            layout=layout,
            schema=schema,
            weights=weights,
            page_timeout=page_timeout,
            document_timeout=document_timeout,
        ),
        passwords=options.passwords(password, password_file),
    )
    with ingest_progress() as show:
        report = opened.ingest(
            inputs, jobs=jobs, resume=not fresh, copy=copy, prune=prune, progress=show
        )
    if json:
        print_json(report)
    else:
        _print_report(report)
        note(f"library: {library}   report: {library / 'report.jsonl'}")
    if not report.lines:
        note("no PDF or image was found there")
    if not report.all_good:
        raise typer.Exit(1)


def _print_report(report: IngestReport) -> None:
    from docpipe.cli.output import print_table

    rows = [
        (
            line.path,
            line.status if line.reason is None else f"{line.status}: {line.reason}",
            str(line.pages or ""),
            ", ".join(f"{route} {count}" for route, count in line.routes.items()),
            f"{line.seconds:.1f}" if line.seconds else "",
        )
        for line in report.lines
    ]
    print_table("", ("file", "status", "pages", "text from", "seconds"), rows)
    counts = ", ".join(f"{count} {status}" for status, count in report.counts.items())
    pages = sum(line.pages for line in report.lines if line.status != "duplicate")
    print(
        f"{len(report.lines)} files ({counts or 'none'}), {pages} pages; "
        f"{report.made} read, {report.unchanged} unchanged, {report.removed} removed"
    )


def status(library: LibraryDir = DEFAULT_LIBRARY, json: Json = False) -> None:
    """List the documents of a library.

    With the reason for each file that could not be read.
    """
    from docpipe.cli.output import print_json, print_table
    from docpipe.library import Library

    entries = Library.open(library).status()
    if json:
        print_json(entries)
        return
    rows = [
        (
            entry.id,
            entry.name,
            entry.status if entry.reason is None else f"{entry.status}: {entry.reason}",
            str(entry.pages or ""),
            ", ".join(f"{route} {count}" for route, count in entry.routes.items()),
        )
        for entry in entries
    ]
    print_table("", ("id", "document", "status", "pages", "text from"), rows)
    print(f"{len(entries)} documents, {sum(entry.pages for entry in entries)} pages")


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", show_default=False)],
    library: LibraryDir = DEFAULT_LIBRARY,
    document: Documents = None,
    limit: Annotated[int, typer.Option("--limit", "-k", min=1, help="How many places.")] = 10,
    config: ConfigFile = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Find the places that fit a query best."""
    from docpipe.cli.output import Place, print_json, print_places
    from docpipe.library import Library
    from docpipe.retrieval.chunks import chunk_regions

    opened = Library.open(library, config=options.configuration(config, settings))
    hits = opened.search(options.text(query), limit, document)
    found = [
        Place(
            document=hit.chunk.document,
            name=whole.name,
            page=regions[0].page,
            page_label=whole.pages[regions[0].page - 1].label,
            regions=regions,
            text=hit.chunk.text,
            score=hit.score,
            chunk=hit.chunk.id,
        )
        for hit in hits
        for whole in [opened.document(hit.chunk.document)]
        for regions in [chunk_regions(whole, hit.chunk)]
    ]
    if json:
        print_json(found)
        return
    places = [
        (place.name, place.page, place.page_label, place.regions, place.text) for place in found
    ]
    if not hits:
        print("nothing found")
    elif hits[0].retriever == "opening":
        print("nothing found; the first pages:")
    print_places(places, shorten=300)


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", show_default=False)],
    library: LibraryDir = DEFAULT_LIBRARY,
    document: Documents = None,
    pictures: Annotated[
        Path | None,
        typer.Option("--pictures", help="Write the cited pages here, with the quotes marked."),
    ] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Show each step that was taken.")] = False,
    trace_file: Annotated[
        Path | None,
        typer.Option("--trace-file", metavar="FILE", help="Add the steps as a line of JSON."),
    ] = None,
    password: Password = None,
    password_file: PasswordFile = None,
    config: ConfigFile = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Answer a question, with page, box and quote.

    Or say that the documents do not answer it, with the nearest that was found.
    """
    from docpipe.cli.output import print_json
    from docpipe.cli.trace import append_trajectory, print_trace
    from docpipe.library import Library

    opened = Library.open(
        library,
        config=options.configuration(config, settings),
        passwords=options.passwords(password, password_file),
    )
    trajectory = opened.run(options.text(question), documents=document)
    if trace_file is not None:
        append_trajectory(trace_file, trajectory)
    if json:
        print_json(_with_names(trajectory, opened) if trace else _answer(trajectory.answer, opened))
    else:
        if trace:
            print_trace(trajectory, lambda id: opened.document(id).name)
        _print_answer(trajectory.answer, opened)
    if pictures is not None:
        _draw_evidence(trajectory.answer.evidence, opened, pictures)


def _answer(answer: Answer, library: Library) -> dict[str, Any]:
    """The answer as plain data, its evidence with the names of the documents."""
    from msgspec import to_builtins

    plain: dict[str, Any] = to_builtins(answer)
    for item in plain["evidence"]:
        item["name"] = library.document(item["document"]).name
    return plain


def _with_names(trajectory: Trajectory, library: Library) -> dict[str, Any]:
    from msgspec import to_builtins

    plain: dict[str, Any] = to_builtins(trajectory)
    return plain | {"answer": _answer(trajectory.answer, library)}


def _print_answer(answer: Answer, library: Library) -> None:
    from docpipe.cli.output import print_places, visible

    print(visible(answer.text))
    if answer.value is not None and str(answer.value) != answer.text:
        print(f"\nValue: {visible(_shown(answer))}")
    if not answer.evidence:
        return
    print("\nEvidence:" if answer.answerable else "\nThe nearest that was found:")
    print_places(
        (
            library.document(item.document).name,
            item.page,
            item.page_label,
            item.regions,
            f"“{item.quote}”",
        )
        for item in answer.evidence
    )


def _shown(answer: Answer) -> str:
    values = answer.value if isinstance(answer.value, list) else [answer.value]
    return ", ".join(str(value) for value in values)


def _draw_evidence(evidence: tuple[Evidence, ...], library: Library, folder: Path) -> None:
    from docpipe.cli.output import note
    from docpipe.draw import highlight

    folder.mkdir(parents=True, exist_ok=True)
    dpi = 110.0
    pages = dict.fromkeys(
        (item.document, region.page) for item in evidence for region in item.regions
    )
    for document, page in pages:
        regions = [
            region
            for item in evidence
            if item.document == document
            for region in item.regions
            if region.page == page
        ]
        image = library.page_image(document, page, dpi)
        path = folder / f"{document}-p{page}.png"
        highlight(image, regions, dpi=dpi).save(path)
        note(f"wrote {path}")
