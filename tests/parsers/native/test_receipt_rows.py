"""Amounts at the right edge of a receipt stay with their lines."""

from __future__ import annotations

from pathlib import Path

import pymupdf

import docpipe
from docpipe.content import page_text

ITEMS = [
    ("Sourdough bread 750 g", "4.20 A"),
    ("Whole milk 1 l", None),
    ("  2 x 1.35", "2.70 A"),
    ("Olive oil 500 ml", "8.95 A"),
    ("Eggs free range 10", "3.49 A"),
    ("Bottle deposit returned", "-0.75"),
    ("TOTAL EUR", "18.59"),
]


def test_amounts_stay_with_their_lines(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=226, height=400)
        for row, (name, amount) in enumerate(ITEMS):
            page.insert_text((14, 40 + row * 11), name, fontsize=8, fontname="cour")
            if amount:
                page.insert_text((176, 40 + row * 11), amount, fontsize=8, fontname="cour")
        pdf.save(tmp_path / "receipt.pdf")
    (found,) = docpipe.parse(tmp_path / "receipt.pdf", ocr="off").pages
    text = " ".join(page_text(found).replace("|", " ").split())
    for name, amount in ITEMS:
        if amount:
            assert f"{' '.join(name.split())} {amount}" in text
