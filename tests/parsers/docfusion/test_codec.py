"""Boxes as tokens, targets, and outputs read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.geometry import BBox
from docpipe.parsers.docfusion.codec import Codec, Element, Found
from docpipe.parsers.docfusion.config import DocFusionConfig
from docpipe.parsers.docfusion.vocabulary import ByteVocabulary
from tests.parsers.docfusion.models import BINS, LABELS, PIECES, SIZE, small_config

VOCABULARY = ByteVocabulary(PIECES, LABELS)
CODEC = Codec(small_config(), VOCABULARY)
FULL = Codec(DocFusionConfig(), VOCABULARY)


def spell(*parts: str | int) -> list[int]:
    """Ids of texts and bins."""
    ids: list[int] = []
    for part in parts:
        ids += [SIZE + part] if isinstance(part, int) else VOCABULARY.encode(part)
    return ids


@pytest.mark.parametrize(
    ("x", "expected"), [(0.0, 0), (0.6119, 0), (0.613, 1), (611.9, 999), (612.0, 999)]
)
def test_bins_are_floored_and_clamped(x: float, expected: int) -> None:
    assert FULL.quantise(BBox(x, 0, 700.0, 5.0), 612.0, 792.0)[0] == expected


def test_a_bin_stands_for_its_centre() -> None:
    assert FULL.dequantise((0, 10, 999, 500), 1000.0, 2000.0) == BBox(0.5, 21.0, 999.5, 1001.0)


@given(st.tuples(*[st.floats(0, 1)] * 4), st.floats(50, 3000), st.floats(50, 3000), st.booleans())
def test_a_round_trip_is_half_a_bin_off_at_most(
    corners: tuple[float, ...], width: float, height: float, fine: bool
) -> None:
    codec = FULL if fine else CODEC
    x0, x1 = sorted(corner * width for corner in corners[:2])
    y0, y1 = sorted(corner * height for corner in corners[2:])
    back = codec.dequantise(codec.quantise(BBox(x0, y0, x1, y1), width, height), width, height)
    for value, kept, side in (
        (x0, back.x0, width),
        (x1, back.x1, width),
        (y0, back.y0, height),
        (y1, back.y1, height),
    ):
        assert abs(value - kept) <= side / codec.bins / 2 + 0.011  # boxes are rounded to 0.01


def test_a_layout_target_groups_boxes_by_label_from_the_top() -> None:
    elements = [
        Element("Table", BBox(0, 30, 20, 40)),
        Element("Text", BBox(20, 10, 40, 20)),
        Element("Text", BBox(0, 10, 20, 20)),
        Element("Text", BBox(0, 0, 40, 5)),
    ]
    ids = CODEC.layout_target(elements, 40.0, 40.0)
    text, table = VOCABULARY.label("Text"), VOCABULARY.label("Table")
    boxes = spell(0, 0, 39, 5, 0, 10, 20, 20, 20, 10, 39, 20)
    assert ids == [0, *text, *boxes, *table, *spell(0, 30, 20, 39), 2]


def test_what_was_written_is_read() -> None:
    elements = [Element("Text", BBox(1, 2, 30, 4)), Element("Math", BBox(5, 6, 7, 8))]
    found = CODEC.read_layout(CODEC.layout_target(elements, 40.0, 40.0)[1:-1])
    assert [(each.label, each.bins) for each in found] == [
        ("Text", (1, 2, 30, 4)),
        ("Math", (5, 6, 7, 8)),
    ]
    assert found[0].positions == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([], []),
        (spell("Text"), []),
        (spell(1, 2, 3, 4), []),  # no label
        (spell("Text", 1, 2, 3), []),
        (spell("Text", 1, 2, 3, 4, 5, 6), [("Text", (1, 2, 3, 4))]),
        (spell("Cap", 1, 2, 3, "Text", 5, 6, 7, 8), [("Text", (5, 6, 7, 8))]),
        (spell(" Téxt ", 1, 2, 3, 4, 1, 2, 3, 4), [("Txt", (1, 2, 3, 4))] * 2),
        (spell("A", "B", 9, 8, 7, 6), [("AB", (9, 8, 7, 6))]),
    ],
)
def test_broken_outputs_are_read_as_far_as_they_go(
    ids: list[int], expected: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert [(found.label, found.bins) for found in CODEC.read_layout(ids)] == expected


@given(st.lists(st.integers(0, SIZE + BINS - 1), max_size=40))
def test_no_output_breaks_reading(ids: list[int]) -> None:
    for found in CODEC.read_layout(ids):
        assert isinstance(found, Found)
        assert all(0 <= value < BINS for value in found.bins)
        assert [ids[at] - SIZE for at in found.positions[-4:]] == list(found.bins)
    CODEC.read_text(ids)


@given(st.text(max_size=30))
def test_text_survives(text: str) -> None:
    assert CODEC.read_text(CODEC.text_target(text)) == text


def test_corners_in_the_wrong_order_are_still_a_box() -> None:
    assert FULL.dequantise((900, 900, 100, 100), 1000.0, 1000.0) == BBox(100.5, 100.5, 900.5, 900.5)
