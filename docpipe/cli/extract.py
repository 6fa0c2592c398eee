"""`docpipe extract`: the fields of receipts, invoices, identity documents and forms."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docpipe.cli import options
from docpipe.cli.convert import converted, explain
from docpipe.cli.options import (
    ConfigFile,
    DocumentTimeout,
    Ocr,
    PageTimeout,
    Password,
    PasswordFile,
    Schema,
    Settings,
    Weights,
)
from docpipe.errors import ConfigError

if TYPE_CHECKING:
    from docpipe.export.fields import Extracted
    from docpipe.ingest import IngestReport, ReportLine
    from docpipe.library import Library
    from docpipe.parsers.entities.schema import FieldSchema

_DPI = 110.0


def extract(
    inputs: Annotated[list[Path], typer.Argument(metavar="FILE|FOLDER", show_default=False)],
    schema: Schema = None,
    weights: Weights = None,
    json: Annotated[bool, typer.Option("--json", help="A line of JSON for each file.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="A line of CSV for each file.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A folder for JSON Lines, CSV, and CSV of the rows."),
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option("--pictures", help="Draw the fields on their pages, into this folder."),
    ] = None,
    locale: Annotated[
        str | None,
        typer.Option("--locale", help="How dates and amounts are written, such as de_DE."),
    ] = None,
    per_page: Annotated[
        bool, typer.Option("--per-page", help="Each page is a document of its own.")
    ] = False,
    pages: Annotated[str | None, typer.Option("--pages", help="Ranges, such as 1-3,7.")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Workers.")] = None,
    ocr: Ocr = None,
    page_timeout: PageTimeout = None,
    document_timeout: DocumentTimeout = None,
    password: Password = None,
    password_file: PasswordFile = None,
    config: ConfigFile = None,
    settings: Settings = None,
) -> None:
    """Extract the fields of receipts, invoices, IDs and forms.

    From PDFs and images, with the place, the score and notes for each value. Exit code 1 when a
    file failed or lost a page.
    """
    from docpipe.ingest import check_targets
    from docpipe.parsers.entities.schema import find_schema
    from docpipe.pipeline import check_ranges

    if json and csv and output is None:
        raise ConfigError("two formats on one output", hint="name a folder with --output")
    check_targets(inputs)
    check_ranges(pages)
    chosen = options.configuration(
        config,
        settings,
        ocr=ocr,
        page_timeout=page_timeout,
        document_timeout=document_timeout,
        schema=schema,
        weights=weights,
        locale=locale,
        per_page=per_page,
    )
    if chosen.entities is None:
        raise ConfigError("no fields are named", hint="name them with --schema, such as receipt")
    fields = find_schema(chosen.entities.schema)
    secrets = options.passwords(password, password_file)
    written = [folder for folder in (output, pictures) if folder]
    with converted(inputs, chosen, secrets, pages=pages, jobs=jobs, leave_out=written) as (
        library,
        report,
    ):
        results = _results(library, report, per_page=chosen.entities.scope == "page")
        if pictures is not None:
            _draw(library, report, pictures)
    if output is not None:
        _write(output, results, report, fields, json=json, csv=csv)
    elif json or csv:
        from docpipe.export.fields import fields_jsonl

        sys.stdout.write(fields_jsonl(results) if json else _csv(results, fields))
    else:
        _print(results, fields)
    if not report.all_good:
        explain(report)
        raise typer.Exit(1)


def _results(library: Library, report: IngestReport, *, per_page: bool) -> list[Extracted]:
    """A result for each input, whatever became of it."""
    from msgspec.structs import replace

    from docpipe.export.fields import Extracted, extracted

    results: list[Extracted] = []
    for line in report.lines:
        found = [Extracted(file=line.path, values={})]
        if id := _document(line):
            found = extracted(library.document(id), file=line.path, per_page=per_page)
        results += [
            replace(each, status=line.status, reason=line.reason, message=line.message)
            for each in found
        ]
    return results


def _document(line: ReportLine) -> str | None:
    """The id of what was made of an input, if anything was."""
    return None if line.status in ("failed", "skipped") else line.document


def _csv(results: list[Extracted], schema: FieldSchema) -> str:
    from docpipe.export.fields import fields_csv, pairs_csv

    if schema.links_answers:
        return pairs_csv(results)
    return fields_csv(results, schema.single_names)


def _write(
    folder: Path,
    results: list[Extracted],
    report: IngestReport,
    schema: FieldSchema,
    *,
    json: bool,
    csv: bool,
) -> None:
    from docpipe.cli.output import note
    from docpipe.export.fields import fields_jsonl, rows_csv
    from docpipe.ingest.report import write_report

    folder.mkdir(parents=True, exist_ok=True)
    both = json == csv
    if json or both:
        (folder / "fields.jsonl").write_text(fields_jsonl(results), "utf-8")
    if csv or both:
        (folder / "fields.csv").write_text(_csv(results, schema), "utf-8")
        if schema.row_names:
            (folder / "rows.csv").write_text(rows_csv(results, schema.row_names), "utf-8")
    write_report(folder / "report.jsonl", report)
    note(f"wrote {folder} ({', '.join(f'{n} {status}' for status, n in report.counts.items())})")


def _draw(library: Library, report: IngestReport, folder: Path) -> None:
    """Pages with fields, a picture each."""
    from docpipe.cli.output import note
    from docpipe.draw import draw_page

    folder.mkdir(parents=True, exist_ok=True)
    for id in dict.fromkeys(filter(None, map(_document, report.lines))):
        document = library.document(id)
        for page in document.pages:
            fields = [
                field
                for field in document.fields
                if any(region.page == page.number for region in field.source.regions)
            ]
            if not fields:
                continue
            image = library.page_image(id, page.number, _DPI)
            path = folder / f"{Path(document.name).stem}-{id}-p{page.number}.png"
            draw_page(image, page, dpi=_DPI, layers=["fields"], fields=fields).save(path)
            note(f"wrote {path}")


def _print(results: list[Extracted], schema: FieldSchema) -> None:
    """A table for each file, and one of its rows."""
    from docpipe.cli.output import print_table, visible
    from docpipe.export.fields import page_of, rows_of

    for result in results:
        place = result.file if result.page is None else f"{result.file}, page {result.page}"
        if result.document is None:
            print(visible(f"{place}: {result.status}: {result.reason or ''}"))
            continue
        single = [field for field in result.fields if field.row is None]
        lines = [
            (
                field.name,
                _shown(field.value),
                f"{field.score:.2f}",
                str(page_of(field) or ""),
                "; ".join(field.notes),
            )
            for field in single
        ]
        print_table(place, ("field", "value", "score", "page", "notes"), lines)
        rows = rows_of(result.fields)
        used = {field.name for row in rows for field in row}
        names = [name for name in schema.row_names if name in used]
        cells = [
            [
                *(_shown(next((f.value for f in row if f.name == name), None)) for name in names),
                "; ".join(note for field in row for note in field.notes),
            ]
            for row in rows
        ]
        if rows:
            print_table("", (*(name.partition(".")[2] for name in names), "notes"), cells)


def _shown(value: object) -> str:
    """A value as people write it: amounts with two decimals, finer numbers with all they have."""
    if isinstance(value, float):
        return f"{value:.2f}" if round(value, 2) == value else f"{value:g}"
    return "" if value is None else str(value)
