"""extract as a person uses it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.cli.conftest import write_pdf

Docpipe = Callable[..., Any]

TEXTS = {
    "North Mills": "seller",
    "Date: 25/12/2018": "invoice_date",
    "Desk lamp": "item.description",
    "TOTAL RM 9.00": "total",
    "TOTAL RM 4.50": "total",
}
FORM = {"Name:": "question", "Anna Keller": "answer"}


@pytest.fixture
def fake(tmp_path: Path) -> list[str]:
    """Options for a classifier that knows some texts."""
    path = tmp_path / "settings.toml"
    texts = "\n".join(
        f"{json.dumps(text)} = {json.dumps(label)}" for text, label in (TEXTS | FORM).items()
    )
    path.write_text(
        f'[entities]\nname = "fake"\nschema = "invoice"\n[entities.texts]\n{texts}\n', "utf-8"
    )
    return ["--config", str(path), "--jobs", "1"]


@pytest.fixture
def invoices(tmp_path: Path) -> Path:
    root = tmp_path / "in"
    write_pdf(root / "a.pdf", [["North Mills", "Date: 25/12/2018", "Desk lamp", "TOTAL RM 9.00"]])
    write_pdf(root / "b.pdf", [["TOTAL RM 9.00"], ["TOTAL RM 4.50"]])
    (root / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    return root


def test_a_table_with_score_page_and_notes(
    docpipe: Docpipe, invoices: Path, fake: list[str]
) -> None:
    run = docpipe("extract", invoices / "a.pdf", *fake)
    assert run.code == 0
    for shown in ("a.pdf", "seller", "North Mills", "2018-12-25", "9.00", "Desk lamp", "1.00"):
        assert shown in run.out


def test_every_input_has_a_line_of_json(docpipe: Docpipe, invoices: Path, fake: list[str]) -> None:
    run = docpipe("extract", invoices, *fake, "--json")
    assert run.code == 1
    lines = [json.loads(line) for line in run.out.splitlines()]
    assert [line["file"] for line in lines] == ["a.pdf", "b.pdf", "broken.pdf"]
    assert lines[0]["values"]["total"] == 9.0
    assert lines[0]["rows"] == [{"item.description": "Desk lamp"}]
    assert lines[0]["fields"][0]["source"]["regions"][0][0] == 1
    assert (lines[2]["status"], lines[2]["fields"]) == ("failed", [])
    assert "broken.pdf: failed" in run.err


def test_each_page_by_itself(docpipe: Docpipe, invoices: Path, fake: list[str]) -> None:
    run = docpipe("extract", invoices / "b.pdf", *fake, "--json", "--per-page")
    lines = [json.loads(line) for line in run.out.splitlines()]
    assert [(line["page"], line["values"]) for line in lines] == [
        (1, {"total": 9.0}),
        (2, {"total": 4.5}),
    ]


def test_a_folder_of_results(
    docpipe: Docpipe, invoices: Path, fake: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run = docpipe("extract", invoices, *fake, "-o", out, "--pictures", tmp_path / "pictures")
    assert run.code == 1
    assert {path.name for path in out.iterdir()} == {
        "fields.csv",
        "fields.jsonl",
        "report.jsonl",
        "rows.csv",
    }
    with (out / "fields.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["total"] for line in lines] == ["9.0", "9.0; 4.5", ""]
    assert lines[0]["currency"] == "MYR"
    with (out / "rows.csv").open(newline="") as file:
        assert [line["item.description"] for line in csv.DictReader(file)] == ["Desk lamp"]
    pictures = sorted((tmp_path / "pictures").iterdir())
    assert [path.name.rpartition("-")[2] for path in pictures] == ["p1.png", "p1.png", "p2.png"]
    with Image.open(pictures[0]) as picture:
        assert picture.width > 500


def test_csv_on_stdout_and_the_pairs_of_a_form(
    docpipe: Docpipe, fake: list[str], tmp_path: Path
) -> None:
    path = write_pdf(tmp_path / "form.pdf", [["Name:", "Anna Keller"]])
    run = docpipe("extract", path, *fake, "--csv", "--schema", "form")
    assert run.code == 0
    [line] = csv.DictReader(run.out.splitlines())
    assert (line["name"], line["value"]) == ("Name", "Anna Keller")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no fields are named"),
        (["--schema", "recipe"], "unknown field schema"),
        (["--schema", "none.toml"], "no such field schema"),
        (["--schema", "2024-01-01"], "unknown field schema '2024-01-01'"),
        (["--schema", "invoice", "--json", "--csv"], "two formats on one output"),
        (["--schema", "invoice", "--set", "entities.scope=chapter"], "scope"),
        (["--schema", "invoice", "--pages", "x"], "no list of pages"),
    ],
)
def test_wrong_calls(docpipe: Docpipe, invoices: Path, options: list[str], message: str) -> None:
    run = docpipe("extract", invoices / "a.pdf", *options)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


def test_show_draws_the_fields(
    docpipe: Docpipe, invoices: Path, fake: list[str], tmp_path: Path
) -> None:
    plain, drawn = tmp_path / "plain.png", tmp_path / "fields.png"
    assert docpipe("show", invoices / "a.pdf", *fake[:2], "-o", drawn).code == 0
    assert docpipe("show", invoices / "a.pdf", "-o", plain, "--layers", "fields").code == 0
    assert drawn.read_bytes() != plain.read_bytes()
