"""Quotations looked up in the words of the boxes they are shown with."""

from __future__ import annotations

import msgspec
import pytest

from docpipe.agents.verifier import cite
from docpipe.bench.quotes import stands
from docpipe.geometry import BBox
from docpipe.records import Evidence, Region, Word
from tests.agents.documents import document, text

DOCUMENT = document(
    [text(1, 1, "The mill employed 37 people in all."), text(1, 5, "Flour is white.")],
)
PAGE = DOCUMENT.pages[0]


def quote(said: str) -> Evidence:
    start = PAGE.blocks[0].text.index(said)  # type: ignore[union-attr]
    return cite(DOCUMENT, PAGE, PAGE.blocks[0], start, start + len(said), 1.0)


def test_a_quote_stands_where_its_words_do() -> None:
    assert stands(quote("employed 37 people"), DOCUMENT)
    assert stands(quote("37"), DOCUMENT)


@pytest.mark.parametrize(
    "change",
    [
        {"quote": "employed 38 people"},
        {"quote": ""},
        {"regions": ()},
        {"regions": (Region(1, BBox(50, 200, 550, 230)),)},
        {"regions": (Region(9, BBox(50, 40, 550, 70)),)},
    ],
)
def test_a_quote_that_its_boxes_do_not_say_does_not_stand(change: dict[str, object]) -> None:
    assert not stands(msgspec.structs.replace(quote("employed 37 people"), **change), DOCUMENT)


def test_a_word_parted_at_a_line_and_cells_in_any_order_stand() -> None:
    parts = ("The", "inter-", "national", "mill")
    words = tuple(Word(part, BBox(10.0 * n, 10, 10.0 * n + 8, 20)) for n, part in enumerate(parts))
    page = msgspec.structs.replace(PAGE, words=words)
    changed = msgspec.structs.replace(DOCUMENT, pages=(page,))
    here = (Region(1, BBox(0, 0, 100, 30)),)
    for said in ("The international mill", "mill The"):
        assert stands(msgspec.structs.replace(quote("37"), quote=said, regions=here), changed)
    assert not stands(msgspec.structs.replace(quote("37"), quote="a mill", regions=here), changed)
