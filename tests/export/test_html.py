"""The HTML page: complete, inert, and every block knows its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bs4 import BeautifulSoup

from docpipe.export import to_html
from docpipe.geometry import BBox
from docpipe.records import Document, Figure, Link, Region, TextBlock, Word

from .conftest import BOX, SOURCE

Text = Callable[..., TextBlock]
Build = Callable[..., Document]
PLACE = BBox(90, 60, 120, 70)


def linked(build: Build, block: TextBlock, target: str) -> BeautifulSoup:
    words = (Word("our", BBox(60, 60, 80, 70)), Word("site", PLACE))
    page = build(block, links=(Link(Region(1, PLACE), target),), words=words)
    return BeautifulSoup(to_html(page), "html.parser")


@pytest.mark.parametrize(
    ("target", "href"),
    [
        ('https://example.org/?a=1&b="2"', 'https://example.org/?a=1&b="2"'),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("#page=3", "#page-3"),
    ],
)
def test_links_stand_on_their_words(target: str, href: str, text: Text, document: Build) -> None:
    (anchor,) = linked(document, text("See our site now"), target).find_all("a")
    assert (anchor["href"], anchor.get_text()) == (href, "site")


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScript:alert(1)",
        " javascript:x",
        "data:text/html,x",
        "file:///etc/passwd",
        "other.pdf",
        "vbscript:x",
        "//host/x",
        "http://a\nb",
    ],
)
def test_unsafe_links_are_plain_text(target: str, text: Text, document: Build) -> None:
    soup = linked(document, text("See our site now"), target)
    assert not soup.find_all("a")
    assert soup.p.get_text() == "See our site now"


def test_nothing_runs_and_text_is_whole(text: Text, document: Build) -> None:
    evil = "</title></style><script>alert(1)</script>\" onload='x'"
    blocks = [text(evil, role) for role in ("title", "paragraph", "list_item", "code")]
    page = document(*blocks, Figure('p1/"><script>', SOURCE, evil, evil))
    soup = BeautifulSoup(
        to_html(page, images={'p1/"><script>': 'x" onerror="y.png'}), "html.parser"
    )
    assert not soup.find_all("script")
    assert not [tag for tag in soup.find_all(True) if {"onload", "onerror"} & set(tag.attrs)]
    assert soup.body.get_text().count(evil) == len(blocks) + 2


def test_blocks_carry_id_and_box(text: Text, document: Build) -> None:
    soup = BeautifulSoup(to_html(document(text("Aims", "heading", 2))), "html.parser")
    assert soup.h2["id"] == "p1/text1"
    assert soup.h2["data-bbox"] == f"{BOX.x0:g} {BOX.y0:g} {BOX.x1:g} {BOX.y1:g}"
    assert soup.section["id"] == "page-1"
    assert soup.meta["charset"] == "utf-8"


def test_lists_nest(text: Text, document: Build) -> None:
    items = [("• a", 1), ("1) b", 2), ("3) c", 2), ("• d", 1)]
    html = to_html(document(*(text(item, "list_item", level) for item, level in items)))
    soup = BeautifulSoup(html, "html.parser")
    assert [li["value"] for li in soup.select("ul > li > ol > li")] == ["1", "3"]
    assert len(soup.section.find_all("ul")) == 1
