"""The value of a field in the text of its entities, by the type of the field."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from docpipe.parsers.entities.schema import FieldSpec, FieldType
from docpipe.parsers.entities.values import identifiers, mrz
from docpipe.parsers.entities.values.amounts import (
    FoundAmount,
    Point,
    currency_in,
    decimal_point,
    find_amounts,
    value_of,
)
from docpipe.parsers.entities.values.dates import DateOrders, choose, find_dates, orders_in
from docpipe.parsers.entities.values.names import company_name, without_label
from docpipe.records import Value


class Context(NamedTuple):
    """What all of a document says of how its dates and amounts are written."""

    orders: DateOrders = DateOrders()
    point: Point | None = None
    currency: str | None = None


class ReadValue(NamedTuple):
    value: Value
    notes: tuple[str, ...] = ()


def context_of(texts: Iterable[str], locale: str | None = None) -> Context:
    """What the texts of a document say, and a locale ("de_DE") that decides where it is given.

    Raises ConfigError for a locale that is not known.
    """
    texts = list(texts)
    currency = currency_in(texts)
    point = decimal_point(texts) if locale is None else _point_of(locale)
    return Context(orders_in(texts, locale=locale, currency=currency), point, currency)


def read_value(spec: FieldSpec, lines: list[str], context: Context) -> ReadValue:
    """The value in the lines of a field; None with a note where they give no certain one."""
    if spec.type == "text" and spec.cardinality == "one":
        lines = [without_label(" ".join(lines))]
    return _READERS[spec.type](lines, context)


def _text(lines: list[str], context: Context) -> ReadValue:
    return ReadValue(" ".join(" ".join(lines).split()) or None)


def _company(lines: list[str], context: Context) -> ReadValue:
    names = [name for name in map(company_name, lines) if any(map(str.isalpha, name))]
    return ReadValue(" ".join(" ".join(names).split()) or None)


def _date(lines: list[str], context: Context) -> ReadValue:
    found = find_dates(" ".join(lines))
    if not found:
        return ReadValue(None, ("no_date",))
    readings = [choose(date, context.orders) for date in found]
    days = {day for day, _ in readings}
    if len(days) > 1:
        several = ", ".join(str(day) for day in sorted(day for day in days if day))
        return ReadValue(None, (f"several_dates: {several}",))
    day, note = readings[0]
    return ReadValue(day.isoformat() if day else None, (note,) if note else ())


def _money(lines: list[str], context: Context) -> ReadValue:
    amount = _likeliest([a for line in lines for a in find_amounts(line) if a.unit != "%"])
    if amount is None:
        return ReadValue(None, ("no_amount",))
    value = value_of(amount, context.point)
    notes = (f"currency: {amount.unit}",) if amount.unit else ()
    if value is None:
        choices = " or ".join(str(choice) for choice in amount.values)
        return ReadValue(None, (*notes, f"ambiguous_amount: {choices}"))
    return ReadValue(float(value), notes)


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
    "company": _company,
    "date": _date,
    "money": _money,
    "number": _number,
    "iban": _identifier(identifiers.iban),
    "bic": _identifier(identifiers.bic),
    "tax_id": _identifier(identifiers.tax_id),
    "mrz": _mrz,
}
