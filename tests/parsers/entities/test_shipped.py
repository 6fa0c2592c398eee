"""The weights that come with docpipe, on the sample documents."""

from __future__ import annotations

from pathlib import Path

import pytest

import docpipe
from docpipe.datasets import samples
from docpipe.parsers.entities.extraction import shipped_weights
from docpipe.records import Document

SAMPLES = Path(next(iter(samples.__path__)))


def found(schema: str, name: str) -> Document:
    if schema not in shipped_weights():
        pytest.skip(f"no weights for {schema}")
    return docpipe.extract(SAMPLES / name, schema)


def values(document: Document) -> dict[str, object]:
    return {field.name: field.value for field in document.fields if field.row is None}


def test_a_receipt() -> None:
    document = found("receipt", "receipt.pdf")
    read = values(document)
    assert (read["company"], read["date"], read["total"]) == (
        "GREENLEAF MARKET",
        "2024-06-21",
        27.69,
    )
    assert all(0.0 <= field.score <= 1.0 and field.source.regions for field in document.fields)


def test_an_invoice() -> None:
    document = found("invoice", "invoice.pdf")
    read = values(document)
    assert (read["invoice_number"], read["total"]) == ("2024-0871", 2024.07)
    amounts = [field.value for field in document.fields if field.name == "item.amount"]
    assert amounts[:5] == [239.4, 540.0, 378.0, 421.0, 97.5]


def test_a_form_has_its_own_fields_first() -> None:
    read = values(found("form", "form.pdf"))
    assert (read["Family name"], read["Fruit trees"]) == ("Okafor", "on")
