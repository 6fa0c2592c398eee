"""Fields of documents as plain values, JSON Lines and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from docpipe import codec
from docpipe.export.tables import spreadsheet_text
from docpipe.export.text import clean
from docpipe.records import Document, Field, Record, Value


class Extracted(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What was found in one input, or on one of its pages where each is a document of its own.

    `values` are the values by name, several in a list, and `rows` those of each row; `fields` the
    same with text, score, place and notes. Nothing but the file, status and reason where the file
    could not be read.
    """

    file: str
    document: str | None = None
    page: int | None = None
    status: str = "ok"
    reason: str | None = None
    message: str | None = None
    values: dict[str, Any]
    rows: tuple[dict[str, Any], ...] = ()
    fields: tuple[Field, ...] = ()


def extracted(document: Document, *, file: str, per_page: bool = False) -> list[Extracted]:
    """What was found in a document: one result, or with `per_page` one for each page."""
    pages = [page.number for page in document.pages] if per_page else [None]
    return [
        Extracted(
            file=file,
            document=document.id,
            page=page,
            values=values_of(field for field in fields if field.row is None),
            rows=tuple(values_of(row) for row in rows_of(fields)),
            fields=tuple(fields),
        )
        for page in pages
        for fields in [[f for f in document.fields if page is None or page_of(f) == page]]
    ]


def values_of(fields: Iterable[Field]) -> dict[str, Any]:
    """Values by name; a name that several fields have has the list of their values."""
    found: dict[str, list[Value]] = {}
    for field in fields:
        found.setdefault(field.name, []).append(field.value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def rows_of(fields: Iterable[Field]) -> list[list[Field]]:
    """The fields of each row, in the order of rows."""
    rows: dict[int, list[Field]] = {}
    for field in fields:
        if field.row is not None:
            rows.setdefault(field.row, []).append(field)
    return [rows[number] for number in sorted(rows)]


def page_of(field: Field) -> int | None:
    """The page on which a field begins; None for a form's value that is shown nowhere."""
    return field.source.regions[0].page if field.source.regions else None


def fields_jsonl(results: Iterable[Extracted]) -> str:
    """A result a line."""
    return "".join(codec.encode(result).decode("utf-8") + "\n" for result in results)


def fields_csv(results: Sequence[Extracted], names: Sequence[str]) -> str:
    """A line for each result, with a column for each of `names`."""
    head = ["file", "page", "status", "reason", *names, "currency", "notes"]
    lines = (
        [
            *(result.file, result.page, result.status, result.reason),
            *(result.values.get(name) for name in names),
            ", ".join(dict.fromkeys(field.unit for field in result.fields if field.unit)),
            _notes(field for field in result.fields if field.row is None),
        ]
        for result in results
    )
    return _csv([head, *lines])


def rows_csv(results: Sequence[Extracted], names: Sequence[str]) -> str:
    """A line for each row of each result, with a column for each of `names`."""
    head = ["file", "page", "row", *names, "notes"]
    lines = (
        [
            *(result.file, result.page, row[0].row),
            *(values_of(row).get(name) for name in names),
            _notes(row),
        ]
        for result in results
        for row in rows_of(result.fields)
    )
    return _csv([head, *lines])


def pairs_csv(results: Sequence[Extracted]) -> str:
    """A line for each field: for forms, whose fields have the names of their questions."""
    head = ["file", "page", "name", "value", "raw", "score", "notes"]
    lines = (
        [
            *(result.file, page_of(field), field.name, field.value, field.raw),
            *(f"{field.score:.3f}", "; ".join(field.notes)),
        ]
        for result in results
        for field in result.fields
    )
    return _csv([head, *lines])


def _notes(fields: Iterable[Field]) -> str:
    return "; ".join(f"{field.name}: {note}" for field in fields for note in field.notes)


def _csv(lines: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for line in lines:
        writer.writerow([_cell(value) for value in line])
    return out.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(_cell(each) for each in value)
    return spreadsheet_text(clean(str(value)))
