"""The value of a field in the text of its entities, by the type of the field."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import NamedTuple

from docpipe.parsers.entities.schema import FieldSpec, FieldType
from docpipe.parsers.entities.values import identifiers, mrz
from docpipe.parsers.entities.values.amounts import (
    FoundAmount,
    Point,
    currency_in,
    decimal_point,
    find_amounts,
    price_of,
    value_of,
)
from docpipe.parsers.entities.values.dates import (
    DateOrders,
    FoundDate,
    choose,
    find_dates,
    orders_in,
)
from docpipe.parsers.entities.values.names import (
    code,
    company_name,
    is_contact,
    legal_names,
    without_label,
)
from docpipe.records import Value


class Context(NamedTuple):
    """What all of a document says of how its dates and amounts are written; `amounts` are the
    amounts in it, in cents, and `days` those of its machine readable zone, as yymmdd."""

    orders: DateOrders = DateOrders()
    point: Point | None = None
    currency: str | None = None
    amounts: frozenset[int] = frozenset()
    days: frozenset[str] = frozenset()


class ReadValue(NamedTuple):
    value: Value
    notes: tuple[str, ...] = ()
    unit: str | None = None


def context_of(texts: Iterable[str], locale: str | None = None) -> Context:
    """What the texts of a document say, and a locale ("de_DE") that decides where it is given.

    Raises ConfigError for a locale that is not known.
    """
    texts = list(texts)
    currency = currency_in(texts)
    orders = orders_in(texts, locale=locale, currency=currency)
    point = decimal_point(texts) if locale is None else _point_of(locale)
    values = (value_of(amount, point) for text in texts for amount in find_amounts(text))
    amounts = frozenset(cents(value) for value in values if value is not None)
    return Context(orders, point, currency, amounts)


def cents(amount: float | Decimal) -> int:
    """An amount as a whole number of hundredths."""
    return round(amount * 100)


def read_value(spec: FieldSpec, lines: list[str], context: Context) -> ReadValue:
    """The value in the lines of a field; None with a note where they give no certain one."""
    if spec.type == "text" and spec.cardinality == "one":
        lines = [without_label(" ".join(lines))]
    return _READERS[spec.type](lines, context)


def _text(lines: list[str], context: Context) -> ReadValue:
    return ReadValue(" ".join(" ".join(lines).split()) or None)


def _address(lines: list[str], context: Context) -> ReadValue:
    return _text([line for line in lines if not is_contact(line)] or lines, context)


def _code(lines: list[str], context: Context) -> ReadValue:
    found = code(" ".join(lines)) or None
    return ReadValue(found, () if found else ("no_code",))


def _sex(lines: list[str], context: Context) -> ReadValue:
    letters = set(re.findall(r"\b[MFX]\b", " ".join(lines).upper()))
    return ReadValue(letters.pop() if len(letters) == 1 else without_label(" ".join(lines)) or None)


def _company(lines: list[str], context: Context) -> ReadValue:
    names = [name for name in map(company_name, lines) if any(map(str.isalpha, name))]
    return ReadValue(" ".join(" ".join(legal_names(names)).split()) or None)


def _date(lines: list[str], context: Context) -> ReadValue:
    day, note = _day(lines, context)
    return ReadValue(day.isoformat() if day else None, (note,) if note else ())


def _birth_date(lines: list[str], context: Context) -> ReadValue:
    """A birth is never to come: of a year of two digits, the century is the last one."""
    day, note = _day(lines, context)
    if day is not None and day > dt.date.today():
        day = day.replace(year=day.year - 100) if (day.month, day.day) != (2, 29) else None
    return ReadValue(day.isoformat() if day else None, (note,) if note else ())


def _day(lines: list[str], context: Context) -> tuple[dt.date | None, str | None]:
    found = find_dates(" ".join(lines))
    if not found:
        return None, "no_date"
    readings = [_choose(date, context) for date in found]
    days = {day for day, _ in readings}
    if len(days) > 1:
        several = ", ".join(str(day) for day in sorted(day for day in days if day))
        return None, f"several_dates: {several}"
    return readings[0]


def _choose(date: FoundDate, context: Context) -> tuple[dt.date | None, str | None]:
    """As dates.choose, but what the machine readable zone says goes first."""
    proven = {d for d in date.readings.values() if d.strftime("%y%m%d") in context.days}
    return (proven.pop(), None) if len(proven) == 1 else choose(date, context.orders)


def _money(lines: list[str], context: Context) -> ReadValue:
    amount = _likeliest([a for line in lines for a in find_amounts(line) if a.unit != "%"])
    if amount is None:
        return ReadValue(None, ("no_amount",))
    value = price_of(amount, context.point)
    unit = amount.unit or context.currency
    if value is None:
        choices = " or ".join(str(choice) for choice in amount.values)
        return ReadValue(None, (f"ambiguous_amount: {choices}",), unit)
    return ReadValue(float(value), (), unit)


def _number(lines: list[str], context: Context) -> ReadValue:
    found = [amount for line in lines for amount in find_amounts(line)]
    if not found:
        return ReadValue(None, ("no_number",))
    amount = next((each for each in found if each.unit == "%"), found[0])
    value = value_of(amount, context.point) if len(amount.values) > 1 else amount.values[0]
    if value is None:
        choices = " or ".join(str(choice) for choice in amount.values)
        return ReadValue(None, (f"ambiguous_number: {choices}",))
    whole = value == value.to_integral_value()
    return ReadValue(int(value) if whole else float(value))


def _identifier(
    find: Callable[[str], tuple[str | None, str | None]],
) -> Callable[[list[str], Context], ReadValue]:
    def read(lines: list[str], context: Context) -> ReadValue:
        value, note = find(" ".join(lines))
        return ReadValue(value, (note,) if note else ())

    return read


def _mrz(lines: list[str], context: Context) -> ReadValue:
    zone = mrz.read(lines)
    text = "\n".join(zone.lines) if zone else None
    return ReadValue(text, zone.problems if zone else ("no_mrz",))


def _likeliest(amounts: list[FoundAmount]) -> FoundAmount | None:
    """The amount among the numbers of a line: with decimals before a mere count, and the last."""
    for fits in (
        lambda amount: amount.decimals == 2 and amount.unit,
        lambda amount: amount.decimals == 2,
        lambda amount: amount.unit,
        lambda amount: True,
    ):
        some = [amount for amount in amounts if fits(amount)]
        if some:
            return some[-1]
    return None


def _point_of(locale: str) -> Point:
    from babel.numbers import get_decimal_symbol

    return "," if get_decimal_symbol(locale.replace("-", "_")) == "," else "."


_READERS: dict[FieldType, Callable[[list[str], Context], ReadValue]] = {
    "text": _text,
    "address": _address,
    "code": _code,
    "company": _company,
    "date": _date,
    "birth_date": _birth_date,
    "sex": _sex,
    "money": _money,
    "number": _number,
    "iban": _identifier(identifiers.iban),
    "bic": _identifier(identifiers.bic),
    "tax_id": _identifier(identifiers.tax_id),
    "mrz": _mrz,
}
