"""Ten made-up receipts, small enough to learn by heart in a minute on a CPU."""

from __future__ import annotations

import random

from docpipe.datasets.kie import KieDocument, KieEntity, KiePage
from docpipe.geometry import BBox
from docpipe.parsers.entities.schema import FieldSpec

TOY_FIELDS = (
    FieldSpec("company"),
    FieldSpec("address"),
    FieldSpec("date", "one"),
    FieldSpec("total", "one"),
)
_SHOPS = ("Mill Bakery", "Harbour Books", "Oak Hardware", "Lemon Grocers", "Tin Toys")
_STREETS = ("Mill Lane", "Quay Street", "Station Road", "North Parade")
_GOODS = ("Bread", "Lamp", "Pencils", "Tea", "Nails", "Jam", "Rope", "Soap")
_WIDTH, _HEIGHT, _LINE = 300.0, 400.0, 14.0


def toy_documents(count: int = 10, seed: int = 0) -> list[KieDocument]:
    """Receipts with the fields of TOY_FIELDS. The total is told from other amounts by the word at
    its left alone; cash is often the same amount."""
    return [_receipt(f"toy{at}", random.Random(seed * 1000 + at)) for at in range(count)]


def _receipt(key: str, chance: random.Random) -> KieDocument:
    prices = [chance.randint(100, 3000) for _ in range(chance.randint(2, 5))]
    total = sum(prices)
    cash = total if chance.random() < 0.5 else (total // 1000 + 1) * 1000
    street = f"{chance.randint(1, 99)} {chance.choice(_STREETS)}"
    date = f"{chance.randint(1, 28):02}/{chance.randint(1, 12):02}/20{chance.randint(10, 29)}"
    rows: list[list[tuple[str, str]]] = [
        [(chance.choice(_SHOPS), "company")],
        [(street, "address")],
        [(f"{chance.randint(10000, 99999)} Newport", "address")],
        [("DATE", "other"), (date, "date")],
        *([(chance.choice(_GOODS), "other"), (_money(price), "other")] for price in prices),
        [("TOTAL", "other"), (_money(total), "total")],
        [("CASH", "other"), (_money(cash), "other")],
        [("CHANGE", "other"), (_money(cash - total), "other")],
    ]
    entities = [
        KieEntity(text, _box(row, column, text), label, _also(text, label, _money(total)))
        for row, cells in enumerate(rows)
        for column, (text, label) in enumerate(cells)
    ]
    page = KiePage(_WIDTH, _HEIGHT, tuple(entities))
    return KieDocument(key, (page,), {"date": date, "total": _money(total)})


def _money(cents: int) -> str:
    return f"{cents / 100:.2f}"


def _also(text: str, label: str, total: str) -> tuple[str, ...]:
    return ("total",) if text == total and label != "total" else ()


def _box(row: int, column: int, text: str) -> BBox:
    x, y = 20.0 + 180.0 * column, 20.0 + _LINE * row
    return BBox.of(x, y, x + 6.0 * len(text), y + _LINE - 3)
