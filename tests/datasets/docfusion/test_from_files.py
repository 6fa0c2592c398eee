"""Labels read off PDFs, printed lines, stored samples, and public sets in their formats."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from docpipe.bench.line_readers import RapidLines
from docpipe.datasets.docfusion.labelling import Labelling, label_folder, label_of, parts_of
from docpipe.datasets.docfusion.printed import line_pieces, page_pieces, printed_pieces
from docpipe.datasets.docfusion.public import DocLatex, DocLayNet, PubTabNet, UniMer
from docpipe.datasets.docfusion.samples import LABELS, LayoutBox
from docpipe.datasets.docfusion.stored import StoredSamples, split_of_group
from docpipe.errors import ConfigError, SchemaError
from docpipe.geometry import BBox
from docpipe.pdf import open_document
from docpipe.pipeline import Pipeline
from docpipe.records import Cell, Figure, Region, Source, Word
from docpipe.training.docfusion.metrics import character_errors


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A page with a heading, a paragraph, a ruled table, sideways and invisible text."""
    path = tmp_path / "pdfs" / "report.pdf"
    path.parent.mkdir()
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=400, height=400)
        page.insert_text((40, 50), "Yields of the orchard", fontsize=18, fontname="hebo")
        for row in range(4):
            line = "The trees of the northern slope bore later than those by the river,"
            page.insert_text((40, 90 + 13 * row), line, fontsize=9)
        page.insert_text((390, 300), "sideways", fontsize=9, rotate=90)
        page.insert_text((40, 350), "invisible", fontsize=9, render_mode=3)
        for row in range(4):
            page.draw_line((40, 180 + 20 * row), (300, 180 + 20 * row))
        for column in range(4):
            x = 40 + column * 260 / 3
            page.draw_line((x, 180), (x, 240))
        for row, texts in enumerate(
            (("Year", "Apples", "Pears"), ("2023", "1.5", "0.7"), ("2024", "1.8", "0.61"))
        ):
            for column, text in enumerate(texts):
                page.insert_text((46 + column * 260 / 3, 194 + 20 * row), text, fontsize=9)
        pdf.save(path, no_new_id=True)
    return path


def test_a_folder_of_pdfs_becomes_samples(report: Path, tmp_path: Path) -> None:
    (report.parent / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    out = tmp_path / "out"
    done = label_folder(report.parent, out, Pipeline(), Labelling(dpi=(144, 144)))
    assert done.documents == 2
    assert set(done.failed) == {"broken.pdf"}
    assert done.samples["layout"] == done.samples["table"] == 1

    [page] = (StoredSamples(out, "layout")[0],)
    assert page.image.size == (800, 800)
    assert {"Text", "Table"} <= {item.label for item in page.boxes} <= set(LABELS)
    [table] = [item.box for item in page.boxes if item.label == "Table"]
    assert abs(table.x0 - 80) < 16
    assert abs(table.y1 - 480) < 16

    crop = StoredSamples(out, "table")[0]
    assert [cell.text for cell in crop.cells][:4] == ["Year", "Apples", "Pears", "2023"]
    assert r"2024 & 1.8 & 0.61 \\" in crop.text
    lines = StoredSamples(out, "text")
    said = [lines[number].text for number in range(len(lines))]
    assert "0.61" in said
    assert "The trees of the northern slope bore later" in said
    assert not {"sideways", "invisible"} & set(said)
    assert all(len(text) <= 46 for text in said)


def test_labelling_again_gives_the_same_bytes(report: Path, tmp_path: Path) -> None:
    def files(out: Path) -> dict[str, bytes]:
        label_folder(report.parent, out, Pipeline())
        found = sorted(path for path in out.rglob("*") if path.is_file())
        return {path.relative_to(out).as_posix(): path.read_bytes() for path in found}

    assert files(tmp_path / "first") == files(tmp_path / "second")
    with pytest.raises(ConfigError, match="no PDF"):
        label_folder(tmp_path / "first", tmp_path / "out", Pipeline())


def test_a_caption_is_no_part_of_its_figure() -> None:
    regions = tuple(Region(1, BBox(0, y, 1, y + 1)) for y in range(2))
    bare = Figure("p1/figure1", Source(regions, "test"))
    assert label_of(bare) == "Picture"
    assert parts_of(bare) == (regions, ())
    assert parts_of(Figure("p1/figure1", Source(regions, "test"), "Figure 1")) == (
        regions[:1],
        regions[1:],
    )


def word(text: str, x: float, y: float, width: float = 20, height: float = 10) -> Word:
    return Word(text, BBox(x, y, x + width, y + height))


def test_lines_are_cut_at_columns_and_between_words() -> None:
    words = [word("one", 0, 0), word("two", 23, 1), word("three", 46, 0), word("other", 150, 0)]
    words += [word("below", 0, 14), word("unbreakably-long", 30, 14, 90)]
    assert [said for said, _ in line_pieces(words, 9)] == ["one two", "three", "other", "below"]
    assert [said for said, _ in line_pieces(words, 46)] == [
        "one two three",
        "other",
        "below unbreakably-long",
    ]
    _, box = next(line_pieces(words, 9))
    assert box == BBox(0, 0, 43, 11)


def test_typographic_characters_are_folded_and_overlapping_boxes_halved() -> None:
    words = [word("“ﬁne”", 0, 0, height=20), word("it’s–so", 0, 10, height=20)]
    (first, above), (second, below) = line_pieces(words, 46)
    assert (first, second) == ('"fine"', "it's-so")
    assert above.y1 == below.y0 == 15


def test_printed_lines_are_crops_of_the_page(report: Path) -> None:
    with open_document(report) as document:
        pieces = page_pieces(document.page(1), 46, 72, "report/p1")
    heading = pieces[0]
    assert heading.text == "Yields of the orchard"
    assert abs(heading.image.width - pymupdf.get_text_length(heading.text, "hebo", 18)) < 6
    assert heading.image.convert("L").getextrema()[0] < 60
    assert heading.group == "report"


def test_printed_pieces_are_drawn_with_a_seed(report: Path) -> None:
    first = printed_pieces(report.parent, 5, seed=3)
    again = printed_pieces(report.parent, 5, seed=3)
    assert len(first) == 5
    assert [sample.name for sample in first] == [sample.name for sample in again]
    both = [printed_pieces(report.parent, 5, split=split) for split in ("train", "held_out")]
    assert sorted(map(len, both)) == [0, 5]


def test_stored_samples_tell_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has no"):
        StoredSamples(tmp_path, "text")
    (tmp_path / "samples.jsonl").write_text('{"task": "music"}\n')
    with pytest.raises(SchemaError, match="music"):
        StoredSamples(tmp_path, "text")
    shares = sum(split_of_group(f"document {n}") == "held_out" for n in range(500)) / 500
    assert 0.05 < shares < 0.15


# ── Public sets ─────────────────────────────────────────────────────────────────────────────────


def png(path: Path, size: tuple[int, int] = (40, 20)) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, "white").save(path)


def test_doclaynet(tmp_path: Path) -> None:
    png(tmp_path / "PNG" / "abc.png", (1025, 1025))
    boxes = [
        {"image_id": 5, "category_id": 8, "bbox": [10.0, 200.0, 30.0, 12.5]},
        {"image_id": 5, "category_id": 3, "bbox": [10.0, 20.0, 30.0, 10.0]},
    ]
    coco = {
        "images": [{"id": 5, "file_name": "abc.png", "doc_name": "paper.pdf"}],
        "categories": [{"id": 8, "name": "Section-header"}, {"id": 3, "name": "Formula"}],
        "annotations": boxes,
    }
    (tmp_path / "COCO").mkdir()
    (tmp_path / "COCO" / "val.json").write_text(json.dumps(coco))
    source = DocLayNet(tmp_path, "val")
    assert len(source) == 1
    assert source[0].group == "paper.pdf"
    assert source[0].boxes == (
        LayoutBox("Math", BBox(10, 20, 40, 30)),
        LayoutBox("Section", BBox(10, 200, 40, 212.5)),
    )
    with pytest.raises(ConfigError, match=r"train\.json"):
        DocLayNet(tmp_path, "train")


def test_pubtabnet(tmp_path: Path) -> None:
    tokens = [
        "<thead>",
        "<tr>",
        "<td",
        ' colspan="2"',
        ">",
        "</td>",
        "<td>",
        "</td>",
        "</tr>",
        "</thead>",
    ]
    tokens += [
        "<tbody>",
        "<tr>",
        "<td",
        ' rowspan="2"',
        ">",
        "</td>",
        "<td>",
        "</td>",
        "<td>",
        "</td>",
        "</tr>",
    ]
    tokens += ["<tr>", "<td>", "</td>", "<td>", "</td>", "</tr>", "</tbody>"]
    texts = ["<b>Group</b>", "n", "a", "1", "2", "3", "x&amp;y"]
    cells = [
        {"tokens": ["<b>", *"Group", "</b>"] if t.startswith("<b>") else list(t)} for t in texts
    ]
    row = {
        "filename": "PMC1_2.png",
        "split": "val",
        "html": {"structure": {"tokens": tokens}, "cells": cells},
    }
    other = row | {"filename": "PMC9_9.png", "split": "train"}
    lines = "\n".join(map(json.dumps, (row, other)))
    (tmp_path / "PubTabNet_2.0.0.jsonl").write_text(lines)
    png(tmp_path / "val" / "PMC1_2.png")
    source = PubTabNet(tmp_path, "val")
    assert len(source) == 1
    assert source[0].cells == (
        Cell(0, 0, "Group", 1, 2, is_header=True),
        Cell(0, 2, "n", is_header=True),
        Cell(1, 0, "a", 2, 1),
        Cell(1, 1, "1"),
        Cell(1, 2, "2"),
        Cell(2, 1, "3"),
        Cell(2, 2, "x&y"),
    )
    assert (
        r"\multicolumn{2}{c}{Group} & n \\ \midrule \multirow{2}{*}{a} & 1 & 2 \\" in source[0].text
    )


def test_unimer(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("\\frac { a } { b }\nx ^ { 2 }\n")
    for number in range(2):
        png(tmp_path / "images" / f"{number:07}.png")
    source = UniMer(tmp_path / "train.txt", tmp_path / "images")
    assert [source[number].text for number in range(len(source))] == [r"\frac{a}{b}", "x^{2}"]
    (tmp_path / "images" / "0000001.png").unlink()
    with pytest.raises(ConfigError, match=r"0000001\.png"):
        source[1]


def test_doclatex(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow.parquet import write_table

    buffer = io.BytesIO()
    Image.new("L", (30, 10)).save(buffer, "PNG")
    image = {"bytes": buffer.getvalue(), "path": None}
    rows = [{"image": image, "task_type": "equation", "answers": [f"x_{n}"]} for n in range(5)]
    table = pyarrow.Table.from_pylist(rows)
    write_table(table, tmp_path / "equation_1-00000-of-00001.parquet", row_group_size=2)
    source = DocLatex(tmp_path, "equation_1")
    assert [source[number].text for number in (4, 0, 3)] == ["x_4", "x_0", "x_3"]
    assert (len(source), source[1].task, source[1].image.size) == (5, "formula", (30, 10))
    with pytest.raises(ConfigError, match="table-"):
        DocLatex(tmp_path, "table")


@pytest.mark.data
def test_printed_lines_of_real_documents_are_what_an_engine_reads(data: Path) -> None:
    """Wrong boxes or texts would show as errors of an engine that makes few."""
    pieces = printed_pieces(data / "parsebench", 40, split="held_out")
    reader = RapidLines()
    read = [reader.predict(sample).text for sample in pieces]
    assert len(pieces) == 40
    assert len({sample.group for sample in pieces}) > 20
    assert character_errors([sample.text for sample in pieces], read) < 0.04
