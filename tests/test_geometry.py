from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.geometry import BBox, from_pixels, to_pixels, union_all

numbers = st.floats(-1e5, 1e5)
boxes = st.builds(BBox.of, numbers, numbers, numbers, numbers)


@given(boxes, boxes)
def test_union_contains_both_and_intersection_is_within_both(a: BBox, b: BBox) -> None:
    assert a.union(b) == union_all([a, b]) == b.union(a)
    assert a.union(b).contains(a)
    assert a.union(b).contains(b)
    assert 0 <= a.intersection(b) <= min(a.area, b.area) * (1 + 1e-9)
    assert a.intersection(b) == b.intersection(a)


@given(boxes, st.sampled_from([72, 100, 144, 150, 300]))
def test_pixels_and_back_cover_the_box(box: BBox, dpi: int) -> None:
    back = from_pixels(*to_pixels(box, dpi), dpi)
    assert back.contains(box, tolerance=0.02)
    assert back.width <= box.width + 2 * 72 / dpi + 0.02


@given(boxes)
def test_clip_stays_on_the_page(box: BBox) -> None:
    assert BBox(0, 0, 595, 842).contains(box.clip(595, 842))


def test_known_conversion() -> None:
    assert from_pixels(150, 300, 450, 600, dpi=150) == BBox(72, 144, 216, 288)


@pytest.mark.parametrize("numbers", [(1, 0, 0, 1), (0, 1, 1, 0), (0, 0, math.nan, 1)])
def test_impossible_boxes_are_refused(numbers: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match="not a box"):
        BBox(*numbers)


def test_union_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        union_all([])
