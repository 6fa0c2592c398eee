"""Drawings mark the right places and leave the rest of the page alone."""

from __future__ import annotations

import pytest
from PIL import Image, ImageChops

from docpipe.draw import COLORS, DEFAULT_LAYERS, LAYERS, draw_page, highlight
from docpipe.errors import ConfigError
from docpipe.geometry import BBox, to_pixels
from docpipe.records import (
    Annotation,
    Block,
    Cell,
    Field,
    Figure,
    FormField,
    Formula,
    HiddenText,
    Page,
    Region,
    Role,
    Source,
    Table,
    TextBlock,
    Word,
)

DPI = 144
SIZE = (400, 600)  # of the page, in pixels


def place(x: float, y: float, width: float = 80, height: float = 20) -> BBox:
    return BBox(x, y, x + width, y + height)


def source(box: BBox) -> Source:
    return Source((Region(1, box),), "test")


def text(box: BBox, role: Role = "paragraph") -> TextBlock:
    return TextBlock(f"p1/{role}", source(box), "words", role)


PLACES = {
    "words": place(20, 20, 30, 10),
    "blocks": place(20, 50),
    "tables": place(20, 90, 80, 40),
    "figures": place(20, 150),
    "furniture": place(20, 270),
    "hidden": place(20, 200),
    "forms": place(110, 200),
    "annotations": place(110, 270),
}
CELLS = (
    Cell(0, 0, "a", column_span=2, is_header=True, region=Region(1, place(20, 90, 80, 20))),
    Cell(1, 0, "b", region=Region(1, place(20, 110, 40, 20))),
    Cell(1, 1, "c"),
)
BLOCKS: tuple[Block, ...] = (
    text(PLACES["blocks"]),
    Table("p1/table1", source(PLACES["tables"]), CELLS),
    Figure("p1/figure1", source(PLACES["figures"])),
    text(PLACES["furniture"], "page_footer"),
    Formula("p1/formula1", source(place(120, 50)), "x"),
)
PAGE = Page(
    1,
    "1",
    200,
    300,
    words=(Word("one", PLACES["words"]), Word("two", place(54, 20, 30, 10))),
    blocks=BLOCKS,
    hidden=(HiddenText(Region(1, PLACES["hidden"]), "secret", "tiny"),),
    annotations=(Annotation(Region(1, PLACES["annotations"]), "stamp", "paid"),),
)
FIELDS = (FormField("name", "text", "Ada", region=Region(1, PLACES["forms"])),)


def blank() -> Image.Image:
    return Image.new("RGB", SIZE, "white")


def changed(drawn: Image.Image) -> tuple[int, int, int, int] | None:
    """The box of the pixels of the page that differ from the blank page."""
    return ImageChops.difference(drawn.crop((0, 0, *SIZE)), blank()).getbbox()


@pytest.mark.parametrize("layer", PLACES)
def test_each_layer_marks_its_own_places(layer: str) -> None:
    drawn = draw_page(blank(), PAGE, dpi=DPI, layers=[layer], form_fields=FIELDS)
    for name, box in PLACES.items():
        x0, y0, x1, y1 = to_pixels(box, DPI)
        inside = drawn.crop((x0 - 1, y0 + 6, x1 + 1, y1 - 6)).getcolors(maxcolors=10_000)
        assert (len(inside) > 1) == (name == layer), f"{layer} at the place of {name}"


def test_boxes_show_whether_they_are_on() -> None:
    for state in ("on", "off"):
        field = FormField("box", "checkbox", "Yes", state, Region(1, place(40, 100)))
        page = Page(1, "1", 200, 300)
        drawn = draw_page(blank(), page, dpi=DPI, layers=["forms"], form_fields=[field])
        frame = drawn.getpixel((80, 220))
        assert "#{:02x}{:02x}{:02x}".format(*frame) == COLORS[f"box_{state}"]


def test_blocks_are_framed_in_the_colour_of_their_role() -> None:
    for role in ("title", "heading", "caption", "footnote", "code"):
        page = Page(1, "1", 200, 300, blocks=(text(place(40, 100), role),))
        drawn = draw_page(blank(), page, dpi=DPI, layers=["blocks"])
        frame = drawn.getpixel((80, 220))
        assert "#{:02x}{:02x}{:02x}".format(*frame) == COLORS[role]


def test_cells_show_spans_and_headers() -> None:
    plain = [Cell(c.row, c.column, c.text, region=c.region) for c in CELLS]
    without = Page(1, "1", 200, 300, blocks=(Table("t", source(PLACES["tables"]), tuple(plain)),))
    with_span = draw_page(blank(), PAGE, dpi=DPI, layers=["tables"])
    assert changed(with_span) != changed(draw_page(blank(), without, dpi=DPI, layers=["tables"]))
    header, body = with_span.getpixel((100, 205)), with_span.getpixel((60, 245))
    assert header != body


def test_order_joins_the_blocks_but_not_the_furniture() -> None:
    box = changed(draw_page(blank(), PAGE, dpi=DPI, layers=["order"]))
    assert box is not None
    assert box[1] <= to_pixels(PLACES["blocks"], DPI)[1] + 10
    assert box[3] < to_pixels(PLACES["furniture"], DPI)[1]


def test_a_legend_names_what_is_shown_and_the_page_keeps_its_size() -> None:
    drawn = draw_page(blank(), PAGE, dpi=DPI)
    assert drawn.width == SIZE[0]
    assert drawn.height > SIZE[1]
    empty = draw_page(blank(), Page(1, "1", 200, 300), dpi=DPI, layers=LAYERS)
    assert empty.size == SIZE
    assert changed(empty) is None


def test_the_given_image_is_not_touched() -> None:
    image = blank()
    draw_page(image, PAGE, dpi=DPI, layers=LAYERS)
    highlight(image, [Region(1, PLACES["blocks"])], dpi=DPI)
    assert image.tobytes() == blank().tobytes()


def test_an_unknown_layer_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="'lins'") as error:
        draw_page(blank(), PAGE, dpi=DPI, layers=["blocks", "lins"])
    assert all(layer in error.value.hint for layer in LAYERS)
    assert set(DEFAULT_LAYERS) < set(LAYERS)


def test_highlighted_text_stays_black() -> None:
    page = blank()
    page.paste("black", (60, 110, 100, 120))
    box = PLACES["blocks"]
    marked = highlight(page, [Region(1, box)], dpi=DPI)
    assert marked.getpixel((80, 115)) == (0, 0, 0)
    red, green, blue = marked.getpixel((150, 115))
    assert red > 200
    assert green > 200
    assert blue < 150
    difference = ImageChops.difference(marked, page).getbbox()
    assert difference is not None
    x0, y0, x1, y1 = to_pixels(box.expand(2), DPI)
    assert x0 <= difference[0] <= difference[2] <= x1 + 1
    assert y0 <= difference[1] <= difference[3] <= y1 + 1


def drawn_fields(*fields: Field, page: int = 1) -> Image.Image:
    words = (Word("TOTAL", BBox(60, 88, 100, 98)), Word("9.00", BBox(60, 100, 120, 112)))
    shown = Page(page, str(page), 200, 300, words=words)
    return draw_page(blank(), shown, dpi=DPI, layers=["fields"], fields=fields)


def test_fields_are_named_beside_their_boxes_and_do_not_cover_text() -> None:
    where = source(BBox(60, 100, 120, 112))
    sure = Field("total", 9.0, "9.00", (), where, 0.5)
    unsure = Field("total", None, "", (), where, 0.5, ("no_amount",))
    left, top, right, _ = changed(drawn_fields(sure))
    assert (left, top) >= (2 * 58, 2 * 98)  # the word above is not covered
    assert right > 2 * 124  # the name stands at the right
    assert drawn_fields(sure).tobytes() != drawn_fields(unsure).tobytes()
    assert drawn_fields(sure, page=2).tobytes() == blank().tobytes()
