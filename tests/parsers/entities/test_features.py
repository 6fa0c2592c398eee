"""Layout and shape of entities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.geometry import BBox
from docpipe.parsers.entities.features import (
    CONTEXT_SIZE,
    FEATURE_SIZE,
    EntityPage,
    amount_in,
    context,
    layout,
    page_features,
    reading_ranks,
    text_shape,
)
from tests.parsers.entities.pages import random_page

DATE, TIME, MONEY, WHOLE, CURRENCY, PERCENT, COLON = range(3, 10)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("25/12/2018", {DATE}),
        ("25/12/2018 8:13:39 PM", {DATE, TIME}),
        ("12 March 2020", {DATE}),
        ("Mar 12, 2020", {DATE}),
        ("9.00", {MONEY}),
        ("RM 1,234.50", {MONEY, CURRENCY}),
        ("$5.00", {MONEY, CURRENCY}),
        ("(12.50)", {MONEY}),
        ("81100", {WHOLE}),
        ("TOTAL:", {COLON}),
        ("GST 6%", {PERCENT}),
        ("NO.53 55,57 & 59, JALAN SAGU 18", set()),
        ("12-345-6", set()),
        ("RMIT University", set()),
    ],
)
def test_shape_tells_amounts_dates_and_keys(text: str, flags: set[int]) -> None:
    shape = text_shape(text)
    assert {at for at in range(DATE, COLON + 1) if shape[at]} == flags


def test_layout_is_relative_to_the_page() -> None:
    page = EntityPage(200.0, 400.0, ("a", "b"), (BBox(20, 40, 60, 80), BBox(100, 200, 200, 400)))
    expected = [[0.1, 0.1, 0.3, 0.2, 0.2, 0.1, 0.0], [0.5, 0.5, 1.0, 1.0, 0.5, 0.5, 0.5]]
    assert layout(page) == pytest.approx(np.array(expected))


def test_reading_order_is_by_rows_though_they_are_not_quite_level() -> None:
    rows = np.array(
        [[0.6, 0.100, 0.9, 0.12], [0.1, 0.104, 0.4, 0.124], [0.1, 0.2, 0.4, 0.22], [0, 0, 1, 0.02]]
    )
    assert reading_ranks(rows).tolist() == [2, 1, 3, 0]
    assert reading_ranks(rows[[0, 0, 3]]).tolist() == [1, 1, 0]


@settings(max_examples=30)
@given(st.integers(1, 12), st.integers(0, 100))
def test_features_follow_a_permutation_of_the_entities(n: int, seed: int) -> None:
    page = random_page(n, seed)
    order = np.random.default_rng(seed).permutation(n)
    moved = EntityPage(
        page.width,
        page.height,
        tuple(page.texts[at] for at in order),
        tuple(page.boxes[at] for at in order),
    )
    assert (page_features(moved) == page_features(page)[order]).all()


@settings(max_examples=200)
@given(st.text())
def test_no_text_breaks_the_shape(text: str) -> None:
    assert all(0.0 <= number <= 1.0 for number in text_shape(text))


@pytest.mark.parametrize("size", [(0.0, 0.0), (500.0, 0.0), (0.0, 700.0)])
def test_degenerate_pages_and_boxes_have_finite_features(size: tuple[float, float]) -> None:
    page = EntityPage(*size, ("", "9.00"), (BBox(5, 5, 5, 5), BBox(0, 0, 0, 0)))
    assert page_features(page).shape == (2, FEATURE_SIZE)
    assert np.isfinite(page_features(page)).all()
    assert page_features(EntityPage(*size, (), ())).shape == (0, FEATURE_SIZE)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("RM 9.00", 9.0),
        ("1,234.50", 1234.5),
        ("1.234,50 EUR", 1234.5),
        ("Rp 45.000", 45000.0),
        ("2 x 3.00 6.00", 6.0),
        ("25/12/2018", None),
        ("03-1234567", None),
        ("7", None),
        ("TOTAL", None),
    ],
)
def test_the_amount_in_a_text(text: str, amount: float | None) -> None:
    assert amount_in(text) == pytest.approx(amount if amount is not None else np.nan, nan_ok=True)


def test_context_compares_an_entity_with_its_page() -> None:
    texts = ("Shop", "01/02/2020", "4.00", "1.00", "4.00", "02/02/2020", "Shop")
    boxes = tuple(BBox(10, 20 * at, 90, 20 * at + 10) for at in range(len(texts)))
    rows = context(EntityPage(100.0, 200.0, texts, boxes))
    top, bottom, share, largest, order, repeats, *_, first_date, same = rows.T
    assert top[0] == bottom[-1] == 0.0
    assert (np.diff(top) > 0).all()
    assert (np.diff(bottom) < 0).all()
    assert share.tolist() == [0, 0, 1, 0.5, 1, 0, 0]
    assert largest.tolist() == [0, 0, 1, 0, 1, 0, 0]
    assert order[3] < order[2]
    assert repeats[2] > repeats[3] > repeats[0] == 0
    assert first_date.tolist() == [0, 1, 0, 0, 0, 0, 0]
    assert same.astype(bool).tolist() == [True, False, True, False, True, False, True]
    assert context(EntityPage(100.0, 100.0, (), ())).shape == (0, CONTEXT_SIZE)


def test_context_knows_which_amounts_add_up() -> None:
    texts = ("2.00", "3.00", "1.50", "6.50", "10.00", "3.50", "TOTAL")
    boxes = tuple(BBox(60, 20 * at, 90, 20 * at + 10) for at in range(len(texts)))
    total, addend, below = context(EntityPage(100.0, 200.0, texts, boxes)).T[6:9].astype(bool)
    assert total.tolist() == [False, False, False, True, True, True, False]
    assert addend.tolist() == [True, True, True, True, False, True, False]
    assert below.tolist() == [False, False, False, True, False, False, False]
    apart = (*boxes[:3], BBox(0, 60, 40, 70), *boxes[4:])
    assert not context(EntityPage(100.0, 200.0, texts, apart))[3, 8]
