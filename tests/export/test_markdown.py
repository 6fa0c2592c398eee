"""Markdown: structure survives, footnotes and furniture are where they belong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

from docpipe.export import to_markdown
from docpipe.records import Cell, Document, Figure, Formula, Table, TextBlock

from .conftest import SOURCE

Text = Callable[..., TextBlock]
Build = Callable[..., Document]


def render(markdown: str) -> BeautifulSoup:
    renderer = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return BeautifulSoup(renderer.render(markdown), "html.parser")


def test_headings_stand_below_the_title(text: Text, document: Build) -> None:
    blocks = [text("Report", "title"), text("Aims", "heading", 1), text("Past", "heading", 2)]
    assert to_markdown(document(*blocks)) == "# Report\n\n## Aims\n\n### Past\n"
    assert to_markdown(document(*blocks[1:])) == "# Aims\n\n## Past\n"


def test_lists_nest_and_keep_their_numbers(text: Text, document: Build) -> None:
    items = [("• fruit", 1), ("– apple", 2), ("– pear", 2), ("1. one", 1), ("2. two", 1)]
    items += [("a) letter", 2), ("7. seven", 1)]
    soup = render(to_markdown(document(*(text(item, "list_item", level) for item, level in items))))
    bullets, numbers, later = soup.find_all(["ul", "ol"], recursive=False)
    assert [li.get_text() for li in bullets.select("li > ul > li")] == ["apple", "pear"]
    assert [li.contents[0].strip() for li in numbers.find_all("li", recursive=False)] == [
        "one",
        "two",
    ]
    assert numbers.select_one("li > ul > li").get_text() == "a) letter"
    assert (later["start"], later.li.get_text()) == ("7", "seven")


def test_an_item_of_two_lines_stays_one_item(text: Text, document: Build) -> None:
    soup = render(to_markdown(document(text("10. first\n# line", "list_item"))))
    assert soup.li.get_text() == "first\n# line"


def test_footnotes_follow_the_page_and_furniture_is_optional(text: Text, document: Build) -> None:
    blocks = [
        text("Running head", "page_header"),
        text("Before"),
        text("1 A note", "footnote"),
        text("After"),
        text("Page i", "page_footer"),
    ]
    assert to_markdown(document(*blocks)) == "Before\n\nAfter\n\n1 A note\n"
    assert to_markdown(document(*blocks), furniture=True) == (
        "Running head\n\nBefore\n\nAfter\n\n1 A note\n\nPage i\n"
    )


def test_code_with_backticks_is_fenced_apart(text: Text, document: Build) -> None:
    code = "if a < b:\n    print('```')"
    soup = render(to_markdown(document(text(code, "code"))))
    assert soup.code.get_text() == code + "\n"


def test_plain_tables_are_pipe_tables(document: Build, table: Callable[..., Table]) -> None:
    markdown = to_markdown(document(table(["A|B", "C"], ["1", "<i>"], caption="Table 1. X")))
    assert markdown.startswith("Table 1. X\n\n| A\\|B | C |\n| --- | --- |\n")
    assert [cell.get_text() for cell in render(markdown).find_all(["th", "td"])] == [
        "A|B",
        "C",
        "1",
        "<i>",
    ]


@pytest.mark.parametrize("cell", [Cell(1, 0, "x", column_span=2), Cell(1, 0, "two\n\nlines")])
def test_spans_and_lines_make_an_html_table(cell: Cell, document: Build) -> None:
    head = (Cell(0, 0, "A", is_header=True), Cell(0, 1, "B", is_header=True))
    rows = (*head, cell, Cell(2, 0, "*1*"), Cell(2, 1, "2"))
    soup = render(to_markdown(document(Table("p1/table1", SOURCE, rows))))
    assert len(soup.select("table")) == 1
    assert [th.get_text() for th in soup.select("thead th")] == ["A", "B"]
    assert [td.get_text() for td in soup.select("tr")[-1].select("td")] == ["*1*", "2"]


def test_formulas_and_figures(document: Build) -> None:
    formula = Formula("p1/formula1", SOURCE, r"a<b + \frac{1}{2}", "(3)")
    figure = Figure("p1/figure1", SOURCE, "Figure 1: A [small] map", "a map")
    markdown = to_markdown(document(formula, figure), images={"p1/figure1": "my figures/1.png"})
    assert r"$$a< b + \frac{1}{2} \tag{3}$$" in markdown
    image = render(markdown).img
    assert (image["src"], image["alt"]) == ("my%20figures/1.png", "a map")
    assert "![" not in to_markdown(document(figure))
    assert "Figure 1: A [small] map" in to_markdown(document(figure))


def test_a_caption_is_written_once(text: Text, document: Build) -> None:
    figure = Figure("p1/figure1", SOURCE, "Figure 1: A map")
    markdown = to_markdown(document(figure, text("Figure 1: A map", "caption")))
    assert markdown.count("A map") == 1


def test_hostile_text_stays_text_wherever_it_stands(text: Text, document: Build) -> None:
    evil = "<script>alert(1)</script> [x](javascript:alert(2)) <img src=x onerror=alert(3)>"
    roles = ["title", "heading", "paragraph", "list_item", "caption", "footnote", "code"]
    cells = (Cell(0, 0, evil, is_header=True), Cell(0, 1, evil), Cell(1, 0, evil, column_span=2))
    others = [
        Table("p1/table1", SOURCE, cells, evil),
        Table("p1/table2", SOURCE, cells[:2]),
        Figure("p1/figure1", SOURCE, evil, evil),
    ]
    markdown = to_markdown(document(*(text(f"{role} {evil}", role) for role in roles), *others))
    soup = render(markdown)
    assert not soup.find_all(["script", "img", "a"])
    assert soup.get_text().count(evil) == len(roles) + 3 + 1 + 2 + 2
    formula = render(to_markdown(document(Formula("p1/formula1", SOURCE, evil))))
    assert not formula.find_all(["script", "img", "a"])
