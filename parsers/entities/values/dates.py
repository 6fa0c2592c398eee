"""Dates in text, and what decides where one could be read in two ways.

03/04/1985 is two dates. It is read one way where a locale is given, where a date of the same
document with the same separator can be read only one way, where it is the only way in which people
write dates who pay in the document's currency, or where points separate it, since nobody writes the
month first with points. Otherwise it stays ambiguous.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from docpipe.parsers.entities.values.calendars import (
    Order,
    month_of,
    order_of_locale,
    orders_of_currency,
)

_LAST_YEAR_OF_2000S = 68  # of two digits, as POSIX reads them

_NUMERIC = re.compile(
    r"(?<![\d.,/-])(\d{1,4})(?:\s?([-/.])\s?|\s)(\d{1,2})(?:\s?([-/.])\s?|\s)(\d{4}|\d{1,2})(?!\d|[-/.]\d)"
)
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])([0-3]\d)(?!\d)")
_CJK = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]?")
_WORD = r"([^\W\d_]{3,12})"
_GAP = r"[\s.,/\-'’]{0,3}"
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|º|ª)?{_GAP}(?:de\s+|of\s+|d[’']|\d{{1,2}}\s?/\s?)?{_WORD}"
    rf"(?:\s?/\s?([^\W\d_]+)\.?)?{_GAP}(?:del?\s+)?(\d{{4}}|\d{{2}})(?!\d)",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"\b{_WORD}{_GAP}(\d{{1,2}})(?:st|nd|rd|th)?(?:\s*,\s*|\s+)(\d{{4}})(?!\d)", re.IGNORECASE
)
_YEAR_FIRST = re.compile(rf"(?<!\d)(\d{{4}}){_GAP}{_WORD}{_GAP}(\d{{1,2}})(?!\d)", re.IGNORECASE)


class FoundDate(NamedTuple):
    """A date at `start` to `end` of a text. `readings` by order of day, month and year, one where
    the month is named; `separator` of the numbers, "" where the month is named."""

    start: int
    end: int
    separator: str
    readings: Mapping[Order, dt.date]


class DateOrders(NamedTuple):
    """What a document says of the order of its dates: `locale` outright, other dates by their
    separator, and the currency by the orders it leaves."""

    locale: Order | None = None
    by_separator: Mapping[str, Order] = {}
    currency: str | None = None


def find_dates(text: str) -> list[FoundDate]:
    """The dates of a text from left to right; of those that overlap, the longest."""
    found = [*_named(text), *_numeric(text), *_plain(text)]
    kept: list[FoundDate] = []
    for date in sorted(found, key=lambda date: (date.start - date.end, date.start)):
        if all(date.end <= other.start or other.end <= date.start for other in kept):
            kept.append(date)
    return sorted(kept, key=lambda date: date.start)


def orders_in(
    texts: Iterable[str], *, locale: str | None = None, currency: str | None = None
) -> DateOrders:
    """What the texts of a document, a locale and a currency say. Raises ConfigError for a locale
    that is not known."""
    sure: dict[str, set[Order]] = {}
    for text in texts:
        for date in find_dates(text):
            likely = _likely(date)
            if date.separator and len(likely) == 1:
                sure.setdefault(date.separator, set()).update(likely)
    agreed = {separator: min(orders) for separator, orders in sure.items() if len(orders) == 1}
    return DateOrders(order_of_locale(locale) if locale else None, agreed, currency)


def choose(date: FoundDate, orders: DateOrders) -> tuple[dt.date | None, str | None]:
    """The day that a date means, None if it is ambiguous, and a note on what decided."""
    for order in (orders.locale, orders.by_separator.get(date.separator)):
        if order and order in date.readings:
            return date.readings[order], None
    likely = _likely(date)
    days = sorted(set(likely.values()))
    if len(days) == 1:
        return days[0], None
    usual = orders_of_currency(orders.currency) if orders.currency else frozenset()
    left = {day for order, day in likely.items() if order in usual}
    if len(left) == 1:
        return left.pop(), f"date_order: as usual where {orders.currency} is paid"
    return None, f"ambiguous_date: {' or '.join(map(str, days))}"


def _likely(date: FoundDate) -> Mapping[Order, dt.date]:
    """The readings without that of a year of two digits at the start, unless it is the only one."""
    usual: Mapping[Order, dt.date] = {o: day for o, day in date.readings.items() if o != "ymd"}
    return usual or date.readings


def _named(text: str) -> Iterator[FoundDate]:
    for match in _DAY_FIRST.finditer(text):  # with the month in one language or two
        day, name, other, year = match.groups()
        month = month_of(name) or month_of(other or "")
        yield from _found(match, "dmy", year, month, day)
    for match in _MONTH_FIRST.finditer(text):
        name, day, year = match.groups()
        yield from _found(match, "mdy", year, month_of(name), day)
    for match in _YEAR_FIRST.finditer(text):
        year, name, day = match.groups()
        yield from _found(match, "ymd", year, month_of(name), day)


def _found(
    match: re.Match[str], order: Order, year: str, month: int | None, day: str
) -> Iterator[FoundDate]:
    date = _date(year, month, day) if month else None
    if date:
        yield FoundDate(match.start(), match.end(), "", {order: date})


def _numeric(text: str) -> Iterator[FoundDate]:
    for match in _NUMERIC.finditer(text):
        first, separator, second, again, third = match.groups()
        if separator != again:
            continue
        readings: dict[Order, dt.date] = {}
        for order in _orders(first, separator, third):
            parts = dict(zip(order, (first, second, third), strict=True))
            day = _date(parts["y"], int(parts["m"]), parts["d"])
            if day:
                readings[order] = day
        if readings:
            yield FoundDate(match.start(), match.end(), separator or " ", readings)


def _orders(first: str, separator: str | None, third: str) -> tuple[Order, ...]:
    """The orders that numbers of these lengths may have."""
    if len(first) > 2:
        return ("ymd",) if len(first) == 4 and len(third) <= 2 else ()
    if len(third) == 4:
        return ("dmy",) if separator == "." else ("dmy", "mdy")
    if len(third) == 1 or separator is None:
        return ()
    return ("dmy", "ymd") if separator == "." else ("dmy", "mdy", "ymd")


def _plain(text: str) -> Iterator[FoundDate]:
    for pattern in (_COMPACT, _CJK):
        for match in pattern.finditer(text):
            year, month, number = match.groups()
            day = _date(year, int(month), number)
            if day:
                yield FoundDate(match.start(), match.end(), "", {"ymd": day})


def _date(year: str, month: int, day: str) -> dt.date | None:
    number = int(year)
    if len(year) <= 2:
        number += 2000 if number <= _LAST_YEAR_OF_2000S else 1900
    try:
        found = dt.date(number, month, int(day))
    except ValueError:
        return None
    return found if 1800 <= found.year <= 2200 else None
