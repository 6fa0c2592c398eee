"""Blocks cut into lines and pieces."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageOps

from docpipe.parsers.docfusion.lines import Piece, ink_of, pieces, text_rows
from tests.parsers.docfusion.drawings import text_image

LINES = ["The mill ground wheat,", "it employed jj people.", "Éléonore gîte"]


def ink_share(image: Image.Image, found: list[Piece]) -> float:
    """Of the ink, how much lies in pieces."""
    inside = np.zeros((image.height, image.width), dtype=bool)
    for piece in found:
        box = piece.bbox
        inside[int(box.y0) : int(box.y1), int(box.x0) : int(box.x1)] = True
    ink = ink_of(image)
    return float((ink & inside).sum() / ink.sum())


@pytest.mark.parametrize("size", [10, 16, 24, 40])
@pytest.mark.parametrize("inverted", [False, True])
def test_every_line_is_one_piece(size: int, inverted: bool) -> None:
    image = text_image(LINES, size)
    if inverted:
        image = ImageOps.invert(image)
    found = pieces(image, widest=30)
    assert [piece.line for piece in found] == [0, 1, 2]
    assert ink_share(image, found) > 0.999
    assert all(upper.bbox.y1 <= lower.bbox.y1 for upper, lower in pairwise(found))


def test_lines_that_touch_are_parted() -> None:
    image = text_image(["quickly jumping gypsy", "THE FLYING JOB", "quickly jumping"] * 2, 24)
    wide = text_rows(ink_of(image))
    tight = image.resize((image.width, image.height))
    drawn = ImageDraw.Draw(tight)
    drawn.line((60, 12, 60, 80), "black", 2)  # a bar through two lines
    assert len(wide) == 6
    assert len(text_rows(ink_of(tight))) == 6


def test_a_long_line_is_cut_between_words() -> None:
    words = "many words stand in this one long line and none is cut in two"
    image = text_image([words])
    found = pieces(image, widest=9)
    assert len(found) > 2
    assert {piece.line for piece in found} == {0}
    assert ink_share(image, found) > 0.999
    assert all(piece.image.width <= 11 * piece.image.height for piece in found)
    gaps = [after.bbox.x0 - before.bbox.x1 for before, after in pairwise(found)]
    assert min(gaps) > -6  # margins overlap a little, letters do not


def test_a_word_too_long_is_cut_somewhere() -> None:
    found = pieces(text_image(["m" * 60 + " end"]), widest=6)
    assert len(found) > 3
    assert [piece.is_glued for piece in found[:3]] == [False, True, True]


def test_cuts_between_words_are_told_from_cuts_in_words() -> None:
    found = pieces(text_image(["many short words in one long line of text"]), widest=6)
    assert len(found) > 3
    assert not any(piece.is_glued for piece in found)


def test_rules_and_neighbours_at_the_edges_are_no_lines() -> None:
    image = text_image(LINES, 24)
    framed = image.copy()
    ImageDraw.Draw(framed).rectangle((0, 0, 2, image.height), fill="red")
    assert [piece.line for piece in pieces(framed, 30)] == [0, 1, 2]
    above = image.crop((0, 30, image.width, image.height))  # the feet of the first line show
    assert [piece.line for piece in pieces(above, 30)] == [0, 1]


def test_dots_and_accents_are_no_lines() -> None:
    image = text_image(["i", "ä"], 40)
    assert [piece.line for piece in pieces(image, 30)] == [0, 1]


def test_an_empty_block_has_none() -> None:
    assert pieces(Image.new("RGB", (50, 20), "white"), 12) == []
    assert pieces(Image.new("RGB", (1, 1), "black"), 12) == []
