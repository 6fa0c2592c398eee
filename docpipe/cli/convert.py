"""`docpipe parse` and `show`: documents as files, and pages as pictures."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

from docpipe.cli import options
from docpipe.cli.options import (
    ConfigFile,
    DocumentTimeout,
    Json,
    Layout,
    Ocr,
    PageTimeout,
    Password,
    PasswordFile,
    Schema,
    Settings,
    Weights,
)
from docpipe.errors import ConfigError, InputError

if TYPE_CHECKING:
    from docpipe.config import Config
    from docpipe.ingest import IngestReport
    from docpipe.library import Library
    from docpipe.records import Document


class Format(StrEnum):
    """What `parse` writes; the value is the file suffix."""

    markdown = "md"
    json = "json"
    html = "html"
    text = "txt"
    chunks = "chunks.jsonl"


def parse(
    inputs: Annotated[list[Path], typer.Argument(metavar="FILE|FOLDER", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A folder; without it one file goes to stdout."),
    ] = None,
    format: Annotated[
        list[str] | None,
        typer.Option("--format", "-f", help="markdown (default), json, html, text or chunks."),
    ] = None,
    figures: Annotated[
        bool, typer.Option("--figures", help="Write images of figures beside the files.")
    ] = False,
    pages: Annotated[str | None, typer.Option("--pages", help="Ranges, such as 1-3,7.")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Workers.")] = None,
    ocr: Ocr = None,
    layout: Layout = None,
    page_timeout: PageTimeout = None,
    document_timeout: DocumentTimeout = None,
    password: Password = None,
    password_file: PasswordFile = None,
    config: ConfigFile = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Convert PDFs and images to Markdown, JSON and more.

    With --output every input gets a line in OUTPUT/report.jsonl, which --json prints too. Exit code
    1 when a file failed or lost a page.
    """
    from docpipe.cli.output import print_json
    from docpipe.ingest import check_targets
    from docpipe.pipeline import check_ranges

    check_targets(inputs)
    check_ranges(pages)
    formats = _formats(format, json and output is None)
    if output is None and (len(inputs) > 1 or inputs[0].is_dir() or figures or len(formats) > 1):
        raise ConfigError("more than one file would be written", hint="name a folder with --output")
    chosen = options.configuration(
        config,
        settings,
        ocr=ocr,
        layout=layout,
        page_timeout=page_timeout,
        document_timeout=document_timeout,
    )
    secrets = options.passwords(password, password_file)
    with converted(
        inputs, chosen, secrets, pages=pages, jobs=jobs, leave_out=[output] if output else []
    ) as (library, report):
        if output is None:
            sys.stdout.write(_export(library.document(only_document(report)), formats[0], {}))
        else:
            _write_all(library, report, output, formats, figures)
            if json:
                print_json(report)
    if not report.all_good:
        explain(report)
        raise typer.Exit(1)


def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", dir_okay=False, show_default=False)],
    page: Annotated[int, typer.Option("--page", "-p", min=1, help="The page, counted from 1.")] = 1,
    output: Annotated[Path, typer.Option("--output", "-o", help="A PNG file.")] = Path("page.png"),
    layers: Annotated[
        str | None,
        typer.Option(
            "--layers",
            help="words, lines, blocks, tables, figures, furniture, forms, annotations, hidden, "
            "order, fields; by commas.",
        ),
    ] = None,
    schema: Schema = None,
    weights: Weights = None,
    dpi: Annotated[float, typer.Option("--dpi", min=18, max=600, help="Resolution.")] = 110,
    ocr: Ocr = None,
    password: Password = None,
    password_file: PasswordFile = None,
    config: ConfigFile = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Draw what docpipe found on a page.

    Blocks by role, tables with their cells, figures, reading order; with --schema the fields.
    """
    from docpipe.cli.output import note, print_json
    from docpipe.draw import DEFAULT_LAYERS, draw_page

    chosen = options.configuration(config, settings, ocr=ocr, schema=schema, weights=weights)
    secrets = options.passwords(password, password_file)
    with converted([file], chosen, secrets) as (library, report):
        document = library.document(only_document(report))
        if page > len(document.pages):
            raise ConfigError(f"{file} has {len(document.pages)} pages", code="pages")
        usual = DEFAULT_LAYERS if chosen.entities is None else ("fields",)
        names = tuple(layers.split(",")) if layers else usual
        image = library.page_image(document.id, page, dpi)
        drawn = draw_page(
            image,
            document.pages[page - 1],
            dpi=dpi,
            layers=names,
            form_fields=document.form_fields,
            fields=document.fields,
        )
        drawn.save(output, "PNG")
    quality = document.pages[page - 1].quality
    if json:
        print_json({"picture": str(output), "page": page, "layers": names, "quality": quality})
    else:
        note(f"wrote {output} (text: {quality.verdict}, from {quality.route})")


@contextlib.contextmanager
def converted(
    inputs: Sequence[Path],
    config: Config,
    passwords: tuple[str, ...],
    *,
    pages: str | None = None,
    jobs: int | None = None,
    leave_out: Sequence[Path] = (),
) -> Iterator[tuple[Library, IngestReport]]:
    """The inputs in a passing library: read by workers under limits, as an ingest does it."""
    from docpipe.cli.output import ingest_progress
    from docpipe.ingest import ingest
    from docpipe.library import Library
    from docpipe.library.store import Store

    with tempfile.TemporaryDirectory(prefix="docpipe-") as folder:
        Library.create(folder)
        with ingest_progress() as show:
            report = ingest(
                inputs,
                Store(Path(folder)),
                config=config,
                jobs=jobs,
                passwords=passwords,
                pages=pages,
                index=False,
                leave_out=leave_out,
                progress=show,
            )
        yield Library.open(folder, config=config, passwords=passwords), report


def _formats(given: list[str] | None, json: bool) -> list[Format]:
    names = [*(given or []), *(["json"] if json else [])] or ["markdown"]
    unknown = [name for name in names if name not in Format.__members__]
    if unknown:
        known = ", ".join(Format.__members__)
        raise ConfigError(f"unknown format {unknown[0]!r}", hint=f"known: {known}")
    return [Format[name] for name in dict.fromkeys(names)]


def only_document(report: IngestReport) -> str:
    """The id of the one document. Raises InputError with the reason why there is none."""
    from docpipe.errors import INPUT_CODES

    [line] = report.lines
    if line.status not in ("failed", "skipped") and line.document is not None:
        return line.document
    reason, message = line.reason or "internal", line.message or line.path
    if reason in INPUT_CODES:
        raise InputError(reason, message)  # type: ignore[arg-type]
    raise ConfigError(message, code=reason)


def _write_all(
    library: Library,
    report: IngestReport,
    output: Path,
    formats: Sequence[Format],
    figures: bool,
) -> None:
    from docpipe.cli.output import note
    from docpipe.ingest.report import write_report

    stems = Counter(PurePosixPath(line.path).with_suffix("") for line in report.lines)
    for line in report.lines:
        if line.status in ("failed", "skipped") or line.document is None:
            continue
        path = PurePosixPath(line.path)
        target = output / (path if stems[path.with_suffix("")] > 1 else path.with_suffix(""))
        target.parent.mkdir(parents=True, exist_ok=True)
        document = library.document(line.document)
        images = _write_figures(library, document, target) if figures else {}
        for format in formats:
            target.with_name(f"{target.name}.{format.value}").write_text(
                _export(document, format, images), "utf-8"
            )
    write_report(output / "report.jsonl", report)
    note(f"wrote {output} ({', '.join(f'{n} {status}' for status, n in report.counts.items())})")


def _write_figures(library: Library, document: Document, target: Path) -> dict[str, str]:
    from docpipe.export import write_figures

    folder = target.with_name(f"{target.name}.figures")
    names = write_figures(
        document, lambda page, dpi: library.page_image(document.id, page, dpi), folder
    )
    return {block: f"{folder.name}/{name}" for block, name in names.items()}


def _export(document: Document, format: Format, images: dict[str, str]) -> str:
    from docpipe import export

    match format:
        case Format.markdown:
            return export.to_markdown(document, images=images)
        case Format.json:
            return export.to_json(document)
        case Format.html:
            return export.to_html(document, images=images)
        case Format.text:
            return export.to_text(document)
        case Format.chunks:
            from docpipe.retrieval.chunks import chunks_of

            return export.to_chunks_jsonl(chunks_of(document))


def explain(report: IngestReport) -> None:
    """Say of each file that failed, or lost a page, why."""
    from docpipe.cli.output import note

    for line in report.lines:
        if line.status in ("failed", "partial"):
            note(f"{line.path}: {line.status}: {line.reason or ''} {line.message or ''}".rstrip())
