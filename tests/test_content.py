"""Ranges of a block's text lead to the right boxes."""

from __future__ import annotations

import msgspec

from docpipe.content import block_text, find_block, find_page, locate, page_text
from docpipe.geometry import BBox
from docpipe.records import Cell, Document, Figure, Page, Region, Source, Table, TextBlock, Word
from docpipe.testing import FakePage, sample_document

LINES = ["The Mill ground 1,250", "tonnes of wheat. The mill", "employed 37 people."]


def test_a_quote_is_found_on_its_own_words() -> None:
    document = sample_document([LINES])
    block = document.pages[0].blocks[0]
    text = block_text(block)
    start = text.index("37")
    (region,) = locate(document, block, start, start + 2)
    expected = next(word for word in document.pages[0].words if word.text == "37")
    assert region == Region(1, expected.bbox)


def test_repeated_words_are_told_apart_by_position() -> None:
    document = sample_document([LINES])
    block = document.pages[0].blocks[0]
    second = block_text(block).index("The mill")
    (region,) = locate(document, block, second, second + len("The mill"))
    assert region.bbox.y0 > FakePage(LINES).words()[0].bbox.y1


def test_a_range_over_two_lines_has_a_box_each() -> None:
    document = sample_document([LINES])
    block = document.pages[0].blocks[0]
    start = block_text(block).index("1,250")
    regions = locate(document, block, start, start + len("1,250 tonnes"))
    assert len(regions) == 2


def test_a_document_of_some_pages_only() -> None:
    whole = sample_document([["first page"], ["second page"], LINES])
    document = msgspec.structs.replace(whole, pages=whole.pages[1:])
    assert [find_page(document, number) for number in (1, 3)] == [None, whole.pages[2]]
    block = whole.pages[2].blocks[0]
    (region,) = locate(document, block, 0, len("The Mill"))
    assert region.page == 3
    assert region.bbox.width < 100


def test_hyphenated_words_are_matched_across_the_line_break() -> None:
    document = sample_document([["a won-", "derful mill"]])
    page = document.pages[0]
    block = TextBlock("p1/text1", page.blocks[0].source, "a wonderful mill", "paragraph")
    regions = locate(document, block, 2, 11)
    assert [region.bbox.y0 for region in regions] == [72.0, 86.0]


def table() -> tuple[Document, Table]:
    cells = tuple(
        Cell(
            r,
            c,
            f"r{r}c{c}",
            region=Region(1, BBox(c * 50.0, r * 20.0, c * 50 + 40.0, r * 20 + 15)),
        )
        for r in range(3)
        for c in range(2)
    )
    source = Source((Region(1, BBox(0, 0, 90, 60)),), "test")
    found = Table("p1/table1", source, cells, caption="Table 1")
    page = Page(1, "1", 595, 842, blocks=(found,))
    return Document(id="d", name="d", pages=(page,)), found


def test_each_cell_is_located_by_its_range() -> None:
    document, found = table()
    text = block_text(found)
    assert text == "Table 1\nr0c0 | r0c1\nr1c0 | r1c1\nr2c0 | r2c1"
    for cell in found.cells:
        start = text.index(cell.text)
        assert locate(document, found, start, start + len(cell.text)) == (cell.region,)
    assert locate(document, found, 0, 7) == found.source.regions


def drawn(*lines: tuple[str, float]) -> tuple[Word, ...]:
    """Words of lines, each at its height, in the order given."""
    return tuple(
        Word(word, BBox(10.0 + 40 * at, y, 45.0 + 40 * at, y + 10))
        for line, y in lines
        for at, word in enumerate(line.split())
    )


PICTURE, BELOW = Region(1, BBox(0, 0, 400, 60)), Region(1, BBox(0, 80, 400, 100))


def test_a_caption_is_found_below_its_picture_and_not_among_its_labels() -> None:
    figure = Figure(
        "p1/figure1", Source((PICTURE, BELOW), "x"), "A mill of the river", "wheel of a"
    )
    words = drawn(("wheel of a", 20.0), ("A mill of the river", 85.0))
    document = Document(
        id="d", name="d", pages=(Page(1, "1", 595, 842, words=words, blocks=(figure,)),)
    )
    (found,) = locate(document, figure, 0, len("A mill of the river"))
    assert found == Region(1, BBox(10, 85, 205, 95))
    text = block_text(figure)
    (label,) = locate(document, figure, text.index("wheel"), len(text))
    assert label == Region(1, BBox(10, 20, 125, 30))


def test_a_tables_caption_has_its_box_beside_those_of_the_cells() -> None:
    document, found = table()
    source = Source((*found.source.regions, BELOW), "x")
    found = msgspec.structs.replace(found, source=source)
    page = Page(1, "1", 595, 842, words=drawn(("Table 1", 85.0)), blocks=(found,))
    document = msgspec.structs.replace(document, pages=(page,))
    caption = Region(1, BBox(10, 85, 85, 95))
    assert locate(document, found, 0, 7) == (caption,)
    assert locate(document, found, 0, 12) == (caption, found.cells[0].region)


def test_a_range_of_which_the_page_says_little_is_shown_as_the_whole_block() -> None:
    block = TextBlock(
        "p1/text1", Source((PICTURE,), "x"), "a mill ground 1,250 tonnes", "paragraph"
    )
    words = drawn(("a", 20.0), ("something else entirely", 40.0))
    document = Document(
        id="d", name="d", pages=(Page(1, "1", 595, 842, words=words, blocks=(block,)),)
    )
    assert locate(document, block, 0, 26) == (PICTURE,)


def test_without_words_the_whole_block_is_shown() -> None:
    document, _ = table()
    block = TextBlock("p1/text1", Source((Region(1, BBox(0, 0, 9, 9)),), "x"), "hello", "paragraph")
    assert locate(document, block, 0, 5) == block.source.regions


def test_page_text_leaves_furniture_out_unless_asked() -> None:
    source = Source((Region(1, BBox(0, 0, 9, 9)),), "x")
    header = TextBlock("p1/text1", source, "Running head", "page_header")
    body = TextBlock("p1/text2", source, "Body", "paragraph")
    page = Page(1, "1", 595, 842, blocks=(header, body))
    assert page_text(page) == "Body"
    assert page_text(page, furniture=True) == "Running head\n\nBody"
    assert find_block(Document(id="d", name="d", pages=(page,)), "p1/text2") == body
