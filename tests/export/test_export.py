"""JSON, text, chunks and figure files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PIL import Image

from docpipe.codec import decode, decode_document
from docpipe.export import to_chunks_jsonl, to_json, to_text, write_figures
from docpipe.geometry import BBox
from docpipe.records import Chunk, Document, Figure, Region, Source, Span, Table, TextBlock

Text = Callable[..., TextBlock]
Build = Callable[..., Document]


def test_json_is_lossless(text: Text, document: Build) -> None:
    whole = document(text("a\x01\u2028b", "heading", 2))
    assert decode_document(to_json(whole)) == whole
    assert "\x01" not in to_json(whole)


def test_text_has_no_furniture_and_no_controls(
    text: Text, document: Build, table: Callable[..., Table]
) -> None:
    page = document(text("HEAD", "page_header"), text("One\x00 two"), table(["A", "B"], ["1", "2"]))
    assert to_text(page) == "One two\n\nA | B\n1 | 2\n"


def test_chunks_are_one_a_line() -> None:
    chunks = [Chunk(f"c{n}", "d", (Span("p1/text1", 0, 3),), "a\nb") for n in range(2)]
    lines = to_chunks_jsonl(chunks).splitlines()
    assert [decode(line, Chunk) for line in lines] == chunks


def test_figures_are_cut_out_with_safe_names(document: Build, tmp_path: Path) -> None:
    box = BBox(100, 100, 200, 150)
    ids = ["p1/figure1", "../../etc/x", "p1-figure1", "p1/outside"]
    boxes = [box, box, box, BBox(900, 900, 950, 950)]
    figures = [
        Figure(id, Source((Region(1, place),), "test"))
        for id, place in zip(ids, boxes, strict=True)
    ]
    page = Image.new("RGB", (1200, 1600), "white")
    page.paste("red", (200, 200, 400, 300))
    names = write_figures(document(*figures), lambda number, dpi: page, tmp_path / "out")
    assert names == {
        "p1/figure1": "p1-figure1.png",
        "../../etc/x": "etc-x.png",
        "p1-figure1": "p1-figure1-2.png",
    }
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(names.values())
    image = Image.open(tmp_path / "out" / "p1-figure1.png")
    assert (image.size, image.getpixel((0, 0)), image.getpixel((199, 99))) == (
        (200, 100),
        (255, 0, 0),
        (255, 0, 0),
    )
