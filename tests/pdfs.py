"""Small PDFs made in code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def write_pdf(path: Path, pages: Sequence[str], *, password: str = "") -> Path:
    """A PDF with a line of text on each page, the same bytes for the same arguments."""
    import pymupdf

    path.parent.mkdir(parents=True, exist_ok=True)
    with pymupdf.open() as pdf:
        for text in pages:
            pdf.new_page(width=300, height=200).insert_text((20, 40), text)
        if password:
            pdf.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=password)
        else:
            pdf.save(path, no_new_id=True)
    return path
