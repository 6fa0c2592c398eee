"""Amounts of money and other numbers, however they are written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from babel.numbers import format_currency
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.parsers.entities.values.amounts import (
    currency_in,
    decimal_point,
    find_amounts,
    price_of,
    value_of,
)

AMOUNTS = st.decimals(0, 9_999_999, places=2, allow_nan=False, allow_infinity=False)


@settings(deadline=None)
@given(AMOUNTS, st.sampled_from(["en_GB", "de_DE", "fr_FR", "it_IT", "de_CH", "pl_PL", "sv_SE"]))
def test_amounts_are_read_as_their_country_writes_them(amount: Decimal, locale: str) -> None:
    [found] = find_amounts(format_currency(amount, "EUR", locale=locale))
    assert found.values == (amount,)
    assert found.unit == "EUR"


@settings(deadline=None)
@given(AMOUNTS, st.sampled_from(["-{}", "({})", "{}-", "{} CR", "RM -{}"]))
def test_what_is_taken_off_is_negative(amount: Decimal, form: str) -> None:
    [found] = find_amounts(form.format(amount))
    assert found.values == (-amount,)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("RM28.05", "28.05", "MYR"),
        ("$1,234.50", "1234.50", "$"),
        ("1'234.50 CHF", "1234.50", "CHF"),
        ("1 234,56 kr", "1234.56", "kr"),
        ("Total: USD 1,234,567.89", "1234567.89", "USD"),
        ("53. 14", "53.14", ""),
        ("9 .00", "9.00", ""),
        (".50", "0.50", ""),
        ("Rp. 12.500,-", "12500", "IDR"),
        ("250.000 ₫", "250000", "VND"),
        ("CHANGE : Rp-26600", "-26600", "IDR"),
        ("-552.50", "-552.50", ""),
    ],
)
def test_amounts_as_documents_print_them(text: str, value: str, unit: str) -> None:
    [found] = find_amounts(text)
    assert value_of(found, None) == Decimal(value)
    assert found.unit == unit


def test_thousands_or_decimals_is_decided_by_the_document_or_not_at_all() -> None:
    [found] = find_amounts("1.234 €")
    assert value_of(found, None) is None
    assert value_of(found, ",") == 1234
    assert value_of(found, ".") == Decimal("1.234")
    assert decimal_point(["Summe 12,50", "3,00"]) == ","
    assert decimal_point(["12,50", "3.00"]) is None
    assert decimal_point(["TOTAL 12"]) is None


def test_amounts_in_thousands_alone_and_three_decimals() -> None:
    texts = ["NASI 25.000", "TEH 8.500", "1.00 x", "TOTAL 33.500"]
    assert decimal_point(texts) == ","
    assert [value_of(find_amounts(text)[0], ",") for text in texts[::3]] == [25000, 33500]
    assert decimal_point(["KWD 25.000", "KWD 8.500", "KWD 33.500"]) is None
    assert decimal_point(["8.500", "12.99", "33.500"]) == "."
    [doubtful] = find_amounts("8.500")
    assert price_of(doubtful, ".") is None  # no price has three decimals
    assert price_of(find_amounts("KWD 8.500")[0], ".") == Decimal("8.5")


@pytest.mark.parametrize("text", ["x4", "4x", "4 x", "@4"])
def test_a_count_may_stand_beside_a_sign(text: str) -> None:
    assert [found.values for found in find_amounts(text)] == [(4,)]


@pytest.mark.parametrize(
    "text", ["25/12/2018", "18:32", "K074", "A-17", "192.168.10.12", "", "none"]
)
def test_dates_times_and_codes_are_no_amounts(text: str) -> None:
    assert find_amounts(text) == []


def test_the_currency_of_a_document() -> None:
    assert currency_in(["AMOUNT (RM)", "53.14"]) == "MYR"
    assert currency_in(["€ 5", "12,00 EUR"]) == "EUR"
    assert currency_in(["$ 5.00"]) is None
    assert currency_in(["€ 5", "$ 6", "£ 7"]) is None


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_survived(text: str) -> None:
    for found in find_amounts(text):
        assert len(found.values) in (1, 2)
