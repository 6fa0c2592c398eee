"""What a reader cannot see is set apart, and nothing else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docpipe.parsers.native.hidden import split_hidden
from docpipe.pdf import open_document

WHITE = (1, 1, 1)
BLACK = (0, 0, 0)
SECRET = "SECRET instructions for the reader"


def new_page() -> Any:
    page = pymupdf.open().new_page()
    page.insert_text((72, 72), "An ordinary heading of the page")
    page.insert_text((72, 100), "and an ordinary line below it.")
    return page


def read(page: Any, folder: Path) -> tuple[str, str, set[str]]:
    """Visible text, hidden text, and the reasons for the latter."""
    path = folder / "page.pdf"
    page.parent.save(path)
    with open_document(path) as document:
        view = document.page(1)
        visible, hidden = split_hidden(view, view.words())
    return (
        " ".join(word.text for word in visible),
        " ".join(piece.text for piece in hidden),
        {piece.reason for piece in hidden},
    )


def white_on_white(page: Any) -> None:
    page.insert_text((72, 200), SECRET, color=WHITE)


def nearly_white(page: Any) -> None:
    page.insert_text((72, 200), SECRET, color=(0.97, 0.97, 0.97))


def dark_on_dark(page: Any) -> None:
    page.draw_rect((60, 180, 400, 210), fill=(0, 0, 0.4), color=(0, 0, 0.4))
    page.insert_text((72, 200), SECRET, color=(0, 0, 0.4))


def white_crossed_by_a_rule(page: Any) -> None:
    page.insert_text((72, 200), SECRET, color=WHITE)
    page.draw_line((60, 197), (400, 197), width=0.5)


def tiny(page: Any) -> None:
    page.insert_text((72, 200), SECRET, fontsize=1)


def off_page(page: Any) -> None:
    page.insert_text((-500, 200), SECRET)


def below_the_crop(page: Any) -> None:
    page.insert_text((72, 700), SECRET)
    page.set_cropbox((0, 0, 595, 400))


def invisible(page: Any) -> None:
    page.insert_text((72, 200), SECRET, render_mode=3)


def invisible_over_other_text(page: Any) -> None:
    page.insert_text((72, 200), "A line that everybody sees, of about this length")
    page.insert_text((72, 200), SECRET, render_mode=3)


def transparent(page: Any) -> None:
    page.insert_text((72, 200), SECRET, fill_opacity=0, stroke_opacity=0)


def on_a_layer_switched_off(page: Any) -> None:
    page.insert_text((72, 200), SECRET, oc=page.parent.add_ocg("secret", on=False))


def covered_by_a_drawing(page: Any) -> None:
    page.insert_text((72, 200), SECRET)
    page.draw_rect((60, 180, 400, 210), fill=WHITE, color=WHITE)


def covered_by_an_image(page: Any) -> None:
    page.insert_text((72, 200), SECRET)
    plain = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 40, 10), False)
    plain.clear_with(200)
    page.insert_image((60, 180, 400, 210), pixmap=plain, keep_proportion=False)


@pytest.mark.parametrize(
    ("hide", "reason"),
    [
        (white_on_white, "background_color"),
        (nearly_white, "background_color"),
        (dark_on_dark, "background_color"),
        (white_crossed_by_a_rule, "background_color"),
        (tiny, "tiny"),
        (off_page, "off_page"),
        (below_the_crop, "off_page"),
        (invisible, "invisible"),
        (invisible_over_other_text, "invisible"),
        (transparent, "transparent"),
        (on_a_layer_switched_off, "hidden_layer"),
        (covered_by_a_drawing, "covered"),
        (covered_by_an_image, "covered"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_hidden_text_is_set_apart(hide: Any, reason: str, tmp_path: Path) -> None:
    page = new_page()
    hide(page)
    visible, hidden, reasons = read(page, tmp_path)
    assert "SECRET" not in visible
    assert hidden == SECRET
    assert reasons == {reason}
    assert "An ordinary heading of the page" in visible


def white_on_a_banner(page: Any) -> None:
    page.draw_rect((60, 170, 400, 215), fill=(0.1, 0.2, 0.5), color=None)
    page.insert_text((72, 200), "A title in white", color=WHITE)


def text_in_a_shaded_cell(page: Any) -> None:
    page.draw_rect((60, 170, 400, 215), fill=(0.9, 0.9, 0.9), color=BLACK)
    page.insert_text((72, 200), "A cell of a table")


def small_footnote(page: Any) -> None:
    page.insert_text((72, 780), "1 A footnote in small print.", fontsize=5)


def under_a_highlighter(page: Any) -> None:
    page.insert_text((72, 200), "A highlighted remark")
    page.draw_rect((60, 180, 400, 210), fill=(1, 1, 0), color=None, fill_opacity=0.4)


def text_layer_of_a_scan(page: Any) -> None:
    drawn = pymupdf.open().new_page()
    drawn.insert_text((72, 200), "Words of an old letter")
    page.insert_image(page.rect, pixmap=drawn.get_pixmap(dpi=100))
    page.insert_text((72, 200), "Words of an old letter", render_mode=3)


def on_a_layer_switched_on(page: Any) -> None:
    page.insert_text((72, 200), "A note on a layer", oc=page.parent.add_ocg("notes", on=True))


def pale_grey(page: Any) -> None:
    page.insert_text((72, 200), "A note in pale grey", color=(0.75, 0.75, 0.75))


@pytest.mark.parametrize(
    "show",
    [
        white_on_a_banner,
        text_in_a_shaded_cell,
        small_footnote,
        under_a_highlighter,
        text_layer_of_a_scan,
        pale_grey,
        on_a_layer_switched_on,
    ],
    ids=lambda value: value.__name__,
)
def test_text_that_is_seen_stays(show: Any, tmp_path: Path) -> None:
    page = pymupdf.open().new_page()
    if show is not text_layer_of_a_scan:
        page = new_page()
    words = len(page.get_text("words"))
    show(page)
    visible, hidden, _ = read(page, tmp_path)
    assert hidden == ""
    assert len(visible.split()) > words


def test_a_page_of_tiny_text_alone_is_not_hidden(tmp_path: Path) -> None:
    page = pymupdf.open().new_page()
    page.insert_text((72, 200), "A drawing scaled down with all its labels", fontsize=1.5)
    assert read(page, tmp_path)[1] == ""
