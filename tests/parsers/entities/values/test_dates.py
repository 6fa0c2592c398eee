"""Dates: what is certain is read, what could be two days is not guessed."""

from __future__ import annotations

import datetime as dt

import pytest
from babel.dates import format_date
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.errors import ConfigError
from docpipe.parsers.entities.values.calendars import month_of, orders_of_currency
from docpipe.parsers.entities.values.dates import DateOrders, choose, find_dates, orders_in

DAYS = st.dates(dt.date(1900, 1, 1), dt.date(2099, 12, 31))
LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt", "da", "sv", "nb", "fi", "ro", "tr", "hu"]


def days(text: str, orders: DateOrders | None = None) -> list[dt.date | None]:
    return [choose(date, orders or DateOrders())[0] for date in find_dates(text)]


@settings(deadline=None)
@given(DAYS, st.sampled_from(LANGUAGES), st.sampled_from(["long", "medium"]))
def test_dates_with_named_months_are_read_in_many_languages(
    day: dt.date, language: str, form: str
) -> None:
    text = format_date(day, form, locale=language)
    if not any(char.isalpha() for char in text):
        return  # the medium form of some languages has numbers alone
    assert days(text) == [day]


@settings(deadline=None)
@given(DAYS, st.sampled_from(["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%Y%m%d", "%d-%b-%Y"]))
def test_forms_with_one_meaning_are_read_and_found_in_text(day: dt.date, form: str) -> None:
    if form == "%Y%m%d" and not day.year >= 1900:
        return
    assert days(f"Date: {day.strftime(form)} 18:32 #017") == [day]


@settings(deadline=None)
@given(DAYS, st.sampled_from("/-"))
def test_numbers_that_could_be_two_days_are_not_guessed(day: dt.date, separator: str) -> None:
    text = day.strftime(f"%d{separator}%m{separator}%Y")
    expected = day if day.day > 12 or day.day == day.month else None
    assert days(text) == [expected]


@settings(deadline=None)
@given(DAYS, st.sampled_from(["en_US", "en_GB", "de_DE", "ms-MY"]))
def test_a_locale_decides(day: dt.date, locale: str) -> None:
    first = "%m/%d" if locale == "en_US" else "%d/%m"
    orders = orders_in([], locale=locale)
    assert days(day.strftime(f"{first}/%Y"), orders) == [day]


def test_other_dates_of_the_document_decide() -> None:
    day_first = orders_in(["Date 25/12/2018", "no date here"])
    month_first = orders_in(["12/25/2018"])
    assert days("03/04/1985", day_first) == [dt.date(1985, 4, 3)]
    assert days("03/04/1985", month_first) == [dt.date(1985, 3, 4)]
    assert days("03-04-1985", day_first) == [None]  # another separator says nothing
    assert days("03/04/1985", orders_in(["25/12/2018", "12/25/2018"])) == [None]


def test_the_currency_decides_and_says_so() -> None:
    [date] = find_dates("03/04/2018")
    day, note = choose(date, orders_in([], currency="MYR"))
    assert (day, note) == (dt.date(2018, 4, 3), "date_order: as usual where MYR is paid")
    day, note = choose(date, orders_in([], currency="USD"))
    assert day is None
    assert note == "ambiguous_date: 2018-03-04 or 2018-04-03"
    assert orders_of_currency("EUR") >= {"dmy"}
    assert "mdy" not in orders_of_currency("EUR")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("31.12.99", "1999-12-31"),
        ("28 MAR 18 18:32:36", "2018-03-28"),
        ("04 MAR/MARS 1985", "1985-03-04"),
        ("28 12/DEC 1994", "1994-12-28"),
        ("16 MAA / MAR 1963", "1963-03-16"),
        ("March 3rd, 2021", "2021-03-03"),
        ("1er janvier 2020", "2020-01-01"),
        ("25 DE DICIEMBRE DEL 2019", "2019-12-25"),
        ("2018年3月4日", "2018-03-04"),
        ("INV NO/DATE:K074-001096(16/12/2016)", "2016-12-16"),
        ("99-12-31", "1999-12-31"),
    ],
)
def test_dates_as_documents_print_them(text: str, day: str) -> None:
    assert days(text) == [dt.date.fromisoformat(day)]


@pytest.mark.parametrize(
    "text", ["192.168.10.12", "tel 03-8945 2018", "31/02/2020", "13:42:10", "1,234.56", "2/2", "0"]
)
def test_other_numbers_are_no_dates(text: str) -> None:
    assert days(text) == []


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_survived(text: str) -> None:
    for date in find_dates(text):
        assert 0 <= date.start < date.end <= len(text)
        assert date.readings


def test_a_month_that_differs_between_languages_is_not_known() -> None:
    assert month_of("listopad") is None  # October in Croatian, November in Polish
    assert month_of("März") == month_of("MARZO") == 3


def test_an_unknown_locale_is_an_error() -> None:
    with pytest.raises(ConfigError, match="xx_YY"):
        orders_in([], locale="xx_YY")
