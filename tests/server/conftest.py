"""A server over a few small documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from tests.pdfs import write_pdf
from tests.server.running import Running, serving


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Small documents by name."""
    folder = tmp_path_factory.mktemp("files")
    write_pdf(folder / "mill.pdf", ["The old mill was built in 1871.", "Its owner is Ada."])
    write_pdf(folder / "tax.pdf", ["The tax return is due in May."])
    write_pdf(folder / "locked.pdf", ["Nobody reads this."], password="secret")
    write_pdf(folder / "long.pdf", [f"Page {number} of many." for number in range(1, 13)])
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing follows")
    (folder / "notes.pdf").write_bytes(b"just text")
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=300, height=200)
        page.insert_text((20, 40), "<script>document.title = 'taken'</script> <b>bold</b>")
        page.insert_text((20, 80), "You cannot see this.", color=(1, 1, 1))
        pdf.save(folder / "markup.pdf", no_new_id=True)
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def server(files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that has read two of the documents."""
    with serving(tmp_path_factory.mktemp("served") / "library") as running:
        for name in ("mill.pdf", "tax.pdf", "markup.pdf"):
            running.upload(files[name])
        running.settled()
        yield running
