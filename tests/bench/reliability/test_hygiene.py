from __future__ import annotations

import pytest

from docpipe.bench.reliability import hygiene
from docpipe.geometry import BBox
from docpipe.records import Cell, Document, Page, Region, Source, Table, TextBlock

SOURCE = Source((Region(1, BBox(0, 0, 10, 10)),), "test")


def document(text: str) -> Document:
    blocks = (
        TextBlock("p1/text1", SOURCE, text, "heading", level=1),
        TextBlock("p1/text2", SOURCE, text, "paragraph"),
        TextBlock("p1/text3", SOURCE, text, "list_item"),
        Table("p1/table1", SOURCE, (Cell(0, 0, text), Cell(0, 1, "b", column_span=2))),
    )
    page = Page(1, "1", 100, 100, blocks=blocks)
    return Document(id="0" * 16, name="a.pdf", pages=(page,), metadata={"title": text})


@pytest.mark.parametrize(
    "text",
    [
        "plain text",
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "[a](javascript:alert(1)) ![b](file:///etc/passwd)",
        "a < b && c > d </td></table>",
    ],
)
def test_what_docpipe_writes_is_clean(text: str) -> None:
    assert hygiene.problems(document(text)) == []


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ("<p>one<script>two</script></p>", "element script"),
        ('<img src="data:image/png;base64,AA" onerror="x">', "attribute onerror"),
        ('<a href="javascript:x">', "link javascript:x"),
        ("<p>&lt;i&gt;</p>\x07", r"control character '\x07'"),
        ("\ud800", "no UTF-8"),
        ("<p>the tag is gone</p>", "literal <i> is not shown"),
    ],
)
def test_what_is_unclean_is_named(monkeypatch: pytest.MonkeyPatch, html: str, problem: str) -> None:
    monkeypatch.setattr(hygiene, "to_html", lambda document, furniture: html)
    assert any(problem in found for found in hygiene.problems(document("an <i> in the text")))


def test_escaped_control_characters_in_json_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    clean = hygiene.to_json(document("mark"))
    monkeypatch.setattr(hygiene, "to_json", lambda _: clean.replace("mark", r"\u0000"))
    found = hygiene.problems(document("mark"))
    assert [problem for problem in found if "control" in problem]
    assert [problem for problem in found if "another document" in problem]
