"""Literal text comes out of a renderer as it stood in the document, and reads well unrendered."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from docpipe.export.escape import escape_block, escape_cell, escape_heading
from docpipe.export.text import clean, lines, one_line

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
MARKUP = st.text(alphabet="*_~`[]()<>!|#+-=.:;&\\$^/\"' \n\t1aAx9é\u2003", max_size=40)
ANY = st.text(alphabet=st.characters(blacklist_categories=()), max_size=30)


def rendered(markdown: str, tag: str) -> str:
    soup = BeautifulSoup(RENDERER.render(markdown), "html.parser")
    found = soup.find_all(True)
    assert [element.name for element in found] == [tag], markdown
    return found[0].get_text()


@settings(max_examples=500)
@given(MARKUP | ANY)
@example("[foo]: javascript:alert(1)")
@example("a | b\n--- | ---\n1 | 2")
@example("<script>alert(1)</script>")
@example("***a** b*")
def test_paragraphs_render_to_their_text(source: str) -> None:
    expected = "\n".join(lines(source))
    if expected:
        assert rendered(escape_block(source), "p") == expected


@settings(max_examples=300)
@given(MARKUP | ANY)
@example("C #")
def test_headings_render_to_their_text(source: str) -> None:
    if one_line(source):
        assert rendered(f"## {escape_heading(source)}", "h2") == one_line(source)


@settings(max_examples=300)
@given(MARKUP | ANY)
def test_pipe_cells_render_to_their_text(source: str) -> None:
    html = RENDERER.render(f"| {escape_cell(source)} | b |\n| --- | --- |\n| 1 | 2 |")
    cells = BeautifulSoup(html, "html.parser").find_all(["th", "td"])
    assert [cell.get_text() for cell in cells] == [one_line(source), "b", "1", "2"]


@pytest.mark.parametrize(
    "prose",
    [
        "AT&T pays $5 (or 5 % of $100), see [12] and page 3-4.",
        "Use snake_case and a * b < c; it's 1.5 > 1 - even #1!",
        "Smith et al. (2019) [3, 4] found 5*10 cells/ml; C:\\data ~ 2 GB",
        "Name: ________  Date: ____",
        "Significant at 5%*",
    ],
)
def test_ordinary_prose_is_left_alone(prose: str) -> None:
    assert escape_block(prose) == prose


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "unit", ["-", "|-", "*", "[\n", "&a", "_ ", "`a", "$a", "<", "\\", "#", "1. "]
)
def test_long_hostile_text_takes_linear_time(unit: str) -> None:
    source = unit * 100_000 + "x"
    assert len(escape_block(source)) + len(escape_heading(source)) + len(escape_cell(source)) > 0


@given(ANY)
def test_clean_text_is_utf8_without_controls(source: str) -> None:
    text = clean(source)
    text.encode("utf-8")
    assert not {char for char in text if ord(char) < 32} - {"\t", "\n"}
