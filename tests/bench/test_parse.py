from __future__ import annotations

import os
from pathlib import Path

import pytest

import docpipe.bench
from docpipe.bench.markup import html_tables
from docpipe.bench.parse import MAX_TABLE_PARTS, Converted, load_sets, run
from docpipe.bench.task import Options
from docpipe.errors import ConfigError

TABLE = "<table><tr><td>a</td><td>b</td></tr></table>"


def write_set(folder: Path, references: dict[str, str]) -> Path:
    (folder / "pdfs").mkdir(parents=True)
    (folder / "ground-truth").mkdir()
    for name, text in references.items():
        (folder / "ground-truth" / f"{name}.md").write_text(text)
    return folder


def answer(texts: dict[str, str]) -> Converted:
    return lambda path: Converted(texts[path.stem], 2)  # type: ignore[return-value]


def test_each_document_is_scored_by_what_its_reference_has(tmp_path: Path) -> None:
    write_set(tmp_path, {"plain": "some text", "titled": "# A\ntext", "table": f"text\n{TABLE}"})
    found = {"plain": f"some text\n{TABLE}", "titled": "# A\ntext", "table": f"text\n{TABLE}"}
    measured = run(tmp_path, Options(), convert=answer(found))
    scores = {row.name: row.scores for row in measured.rows}
    assert set(scores["plain"]) == {"overall", "nid", "nid_text"}
    assert set(scores["titled"]) == {"overall", "nid", "nid_text", "mhs"}
    assert scores["table"]["teds"] == 1.0
    assert measured.figures["false_tables"] == 1
    assert measured.figures["pages"] == 6


def test_sets_of_tables_alone_are_scored_by_teds_without_the_largest(tmp_path: Path) -> None:
    large = "<table>" + "<tr><td>a</td></tr>" * MAX_TABLE_PARTS + "</table>"
    write_set(tmp_path / "tables", {"small": TABLE, "large": large})
    write_set(tmp_path / "texts", {"one": "text"})
    found = {"small": f"# Title\n{TABLE}", "one": "text"}
    measured = run(tmp_path, Options(), convert=answer(found))
    assert {row.name: row.scores for row in measured.rows} == {
        "tables.small": {"tables.teds": 1.0},
        "one": {"overall": 1.0, "nid": 1.0, "nid_text": 1.0},
    }
    assert "1 documents left out" in measured.notes[0]


def test_a_file_that_fails_scores_zero_and_is_counted(tmp_path: Path) -> None:
    write_set(tmp_path, {"broken": "text"})
    (tmp_path / "pdfs" / "broken.pdf").write_bytes(b"")
    measured = run(tmp_path, Options())
    assert measured.rows[0].scores["overall"] == 0.0
    assert measured.rows[0].info["error"] == "empty_file"
    assert measured.figures["failed"] == 1


def test_docpipe_converts_a_real_page(tmp_path: Path) -> None:
    import pymupdf

    write_set(tmp_path, {"page": "A line of text on a page."})
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "A line of text on a page.")
        pdf.save(tmp_path / "pdfs" / "page.pdf")
    measured = run(tmp_path, Options())
    assert measured.rows[0].scores["nid"] == 1.0
    assert measured.rows[0].info["pages"] == 1


def test_a_folder_without_references_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no ground-truth/\*\.md"):
        run(tmp_path, Options())


@pytest.mark.data
def test_the_reference_sets_are_read_as_documented(data: Path) -> None:
    """100 documents of text, and the 52 of 67 table sets that peers are measured on."""
    empty = run(data / "parsebench", Options(), convert=lambda path: Converted("", 1))
    counts = [
        sum(figure in row.scores for row in empty.rows)
        for figure in (
            "overall",
            "mhs",
            "teds",
            "icdar2013.teds",
        )
    ]
    assert counts == [100, 56, 22, 52]


@pytest.mark.data
def test_the_documents_are_those_of_the_committed_list() -> None:
    text = (Path(docpipe.bench.__file__).parent / "parse_sets.txt").read_text()
    small, plain = (part.splitlines()[1:] for part in text.strip().split("\n\n"))
    texts, tables = load_sets(Path(os.environ["DOCPIPE_DATA"]) / "parsebench")
    assert [item.name for item in tables.references] == small
    assert [r.name for r in texts.references if not html_tables(r.markdown)] == plain
