"""The tools: what they give, and what they refuse."""

from __future__ import annotations

import pytest

from docpipe.agents.tools import Tools, snippet
from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.records import PageRequest, Region
from docpipe.testing import FakeLibrary
from tests.agents.documents import document, table, text

MILL = document(
    [text(1, 1, "The mill", "title"), text(1, 2, "It stands in Arden. It employed 37 people.")],
    [
        text(2, 1, "Prices", "heading"),
        table(2, 2, [["Kind", "Price"], ["Flour", "4"], ["Bran", "2"]], "Table 1: Prices"),
    ],
)
TOOLS = Tools(FakeLibrary([MILL]))


def test_search_takes_several_queries_and_says_where_and_what() -> None:
    people, prices = TOOLS.search(["employed people", "Prices"])
    assert (people.query, prices.query) == ("employed people", "Prices")
    first = people.pages[0]
    assert first.key == (MILL.id, 1)
    assert first.label == "11"
    assert "employed 37 people" in first.snippet
    assert prices.pages[0].page == 2


def test_depth_bounds_the_pages_of_a_query() -> None:
    (found,) = Tools(FakeLibrary([MILL]), depth=1).search(["Prices It"])
    assert len(found.pages) == 1


def test_read_gives_pages_in_order_with_their_image_on_demand() -> None:
    contents = TOOLS.read(PageRequest(MILL.id, (2, 1, 2), "?"))
    assert [content.page.number for content in contents] == [2, 1]
    assert contents[0].image is not None
    assert contents[0].image(144).size == (1200, 1600)


def test_look_crops_a_region_and_names_its_words() -> None:
    region = Region(1, BBox(50, 80, 550, 110))
    assert TOOLS.look(MILL.id, region, dpi=72).size == (500, 30)
    assert TOOLS.words_in(MILL.id, region).startswith("It stands in Arden.")


@pytest.mark.parametrize(
    "call",
    [
        lambda: TOOLS.read(PageRequest(MILL.id, (3,), "?")),
        lambda: TOOLS.look(MILL.id, Region(9, BBox(0, 0, 5, 5))),
        lambda: TOOLS.look(MILL.id, Region(1, BBox(900, 0, 950, 5))),
    ],
)
def test_pages_and_regions_that_are_not_there_are_refused(call: object) -> None:
    with pytest.raises(ConfigError) as caught:
        call()  # type: ignore[operator]
    assert caught.value.code == "pages"


def test_the_outline_has_headings_figures_and_tables_with_their_pages() -> None:
    found = [(part.kind, part.text, part.page) for part in TOOLS.outline(MILL.id)]
    assert found == [
        ("heading", "The mill", 1),
        ("heading", "Prices", 2),
        ("table", "Table 1: Prices", 2),
    ]


def test_calculate_takes_cells_of_the_document() -> None:
    assert TOOLS.calculate('sum(column("p2/table2", "Price"))', [MILL.id]).value == 6


def test_a_snippet_is_what_says_most_of_the_query() -> None:
    words = "Much ado. The mill employed 37 people in 1900. " + "More was said. " * 40
    assert snippet(words, "people employed").startswith("The mill employed 37 people in 1900.")
    assert len(snippet(words, "people employed")) <= 240
    assert snippet("", "people") == ""
