"""Fields as plain values, JSON Lines and CSV."""

from __future__ import annotations

import csv
import io
import json

from docpipe.export.fields import (
    Extracted,
    extracted,
    fields_csv,
    fields_jsonl,
    pairs_csv,
    rows_csv,
)
from docpipe.geometry import BBox
from docpipe.records import Document, Field, Page, Region, Source, Value


def field(
    name: str, value: Value, *, page: int = 1, row: int | None = None, **more: object
) -> Field:
    source = Source((Region(page, BBox(1, 2, 3, 4)),), "test")
    text = "" if value is None else str(value)
    return Field(name, value, text, (), source, 0.5, row=row, **more)  # type: ignore[arg-type]


FIELDS = (
    field("seller", "=HYPERLINK(1)"),
    field("total", 12.5, unit="EUR"),
    field("date", None, notes=("no_date",)),
    field("phone", "1"),
    field("phone", "2"),
    field("item.amount", 5.0, row=1),
    field("item.description", "Lamp", row=1),
    field("item.amount", 7.5, row=2, page=2, notes=("product: 8.00",)),
)
DOCUMENT = Document(
    id="0" * 16,
    name="a.pdf",
    pages=(Page(1, "1", 595, 842), Page(2, "2", 595, 842)),
    fields=FIELDS,
)


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_values_and_rows_beside_the_evidence() -> None:
    [result] = extracted(DOCUMENT, file="in/a.pdf")
    line = json.loads(fields_jsonl([result]))
    assert line["values"] == {
        "seller": "=HYPERLINK(1)",
        "total": 12.5,
        "date": None,
        "phone": ["1", "2"],
    }
    assert line["rows"] == [{"item.amount": 5.0, "item.description": "Lamp"}, {"item.amount": 7.5}]
    assert line["fields"][1]["source"]["regions"] == [[1, [1.0, 2.0, 3.0, 4.0]]]
    assert (line["file"], line["status"], line["page"]) == ("in/a.pdf", "ok", None)


def test_one_result_for_each_page() -> None:
    first, second = extracted(DOCUMENT, file="a.pdf", per_page=True)
    assert (first.page, second.page) == (1, 2)
    assert first.values["total"] == 12.5
    assert (second.values, second.rows) == ({}, ({"item.amount": 7.5},))


def test_a_line_of_csv_for_each_document_and_each_row() -> None:
    results = [
        *extracted(DOCUMENT, file="a.pdf"),
        Extracted(file="b.pdf", status="failed", reason="empty_file", values={}),
    ]
    [first, second] = lines(fields_csv(results, ("seller", "total", "date", "phone")))
    assert first["seller"] == "'=HYPERLINK(1)"  # a spreadsheet must not run it
    assert (first["total"], first["date"], first["phone"]) == ("12.5", "", "1; 2")
    assert (first["currency"], first["notes"]) == ("EUR", "date: no_date")
    assert (second["file"], second["status"], second["reason"]) == ("b.pdf", "failed", "empty_file")
    rows = lines(rows_csv(results, ("item.description", "item.amount")))
    assert [(row["row"], row["item.description"], row["item.amount"]) for row in rows] == [
        ("1", "Lamp", "5.0"),
        ("2", "", "7.5"),
    ]
    assert rows[1]["notes"] == "item.amount: product: 8.00"


def test_a_line_of_csv_for_each_question_of_a_form() -> None:
    found = lines(pairs_csv(extracted(DOCUMENT, file="a.pdf")))
    assert [(line["name"], line["value"]) for line in found[:3]] == [
        ("seller", "'=HYPERLINK(1)"),
        ("total", "12.5"),
        ("date", ""),
    ]
    assert (found[0]["page"], found[0]["score"]) == ("1", "0.500")
