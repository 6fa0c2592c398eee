"""Checks of values against each other: what does not fit is noted, and nothing is changed."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from docpipe.parsers.entities.schema import ROW_PREFIX, Check, FieldSchema
from docpipe.parsers.entities.values import mrz
from docpipe.parsers.entities.values.reading import Context, cents
from docpipe.records import Field

_CENT = 0.011
_ROUNDING = 0.051  # cash totals are rounded to 5 cents where there are no smaller coins
_ROUNDED_SHARE = 0.001  # of a total in a currency without decimals
_DATES = ("birth_date", "expiry_date")
_NAMES = ("surname", "given_names", "document_number")

Notes = dict[int, list[str]]  # by the place of the field in the list


def checked(fields: Sequence[Field], schema: FieldSchema, context: Context) -> list[Field]:
    """The fields with notes of the checks that they fail, in the same order."""
    notes: Notes = {}
    for check in schema.checks:
        for at, note in _failures(check, fields, context):
            notes.setdefault(at, []).append(note)
    for at, note in _zone_differences(fields, schema):
        notes.setdefault(at, []).append(note)
    return [
        msgspec.structs.replace(field, notes=(*field.notes, *dict.fromkeys(notes.get(at, ()))))
        for at, field in enumerate(fields)
    ]


def _failures(check: Check, fields: Sequence[Field], context: Context) -> Iterator[tuple[int, str]]:
    if check.kind == "ascending":
        yield from _out_of_order(check, fields)
    elif check.kind == "sum":
        yield from _wrong_sum(check, fields, context)
    else:
        for row in sorted({field.row for field in fields if field.row is not None}):
            yield from _wrong_product(check, fields, row)


def _out_of_order(check: Check, fields: Sequence[Field]) -> Iterator[tuple[int, str]]:
    known = [
        (at, name, field.value)
        for name in check.fields
        for at, field in enumerate(fields)
        if field.name == name and isinstance(field.value, str)
    ]
    for (_, before, first), (at, _, second) in itertools.pairwise(known):
        if second < first:
            yield at, f"order: before {before}"


def _wrong_sum(
    check: Check, fields: Sequence[Field], context: Context
) -> Iterator[tuple[int, str]]:
    """A sum that no amount on the pages makes right either, such as that of shipping."""
    target = next(
        (
            (at, float(field.value))
            for name in check.equals
            for at, field in enumerate(fields)
            if field.name == name and isinstance(field.value, int | float)
        ),
        None,
    )
    parts = {name: _total(fields, name.removeprefix("-")) for name in check.fields}
    first = parts.pop(check.fields[0])
    optional = [-abs(part) if name[0] == "-" else part for name, part in parts.items() if part]
    if target is None or first is None or not _is_whole(fields, check.fields[0]):
        return
    at, wanted = target
    sums = [
        first + sum(some)
        for size in range(len(optional) + 1)
        for some in itertools.combinations(optional, size)
    ]
    gaps = [abs(total - wanted) for total in sums]
    whole = all(number == int(number) for number in (wanted, first, *optional))
    allowed = max(_ROUNDING, _ROUNDED_SHARE * abs(wanted)) if whole else _ROUNDING
    if min(gaps) > allowed and not any(cents(gap) in context.amounts for gap in gaps):
        said = " ".join([f"{first:.2f}", *(f"{part:+.2f}" for part in optional)])
        yield at, f"sum: {' '.join(check.fields)} is {said}"


def _total(fields: Iterable[Field], name: str) -> float | None:
    values = [f.value for f in fields if f.name == name and isinstance(f.value, int | float)]
    return sum(map(float, values)) if values else None


def _is_whole(fields: Sequence[Field], name: str) -> bool:
    """Whether every row has a value in a column that is added up."""
    if not name.startswith(ROW_PREFIX):
        return True
    rows = {field.row for field in fields if field.row is not None}
    valued = {field.row for field in fields if field.name == name and field.value is not None}
    return rows == valued


def _wrong_product(check: Check, fields: Sequence[Field], row: int) -> Iterator[tuple[int, str]]:
    here = {field.name: (at, field.value) for at, field in enumerate(fields) if field.row == row}
    numbers = [here[name][1] for name in check.fields if name in here]
    target = next((here[name] for name in check.equals if name in here), None)
    if target is None or len(numbers) < len(check.fields):
        return
    at, wanted = target
    factors = [float(number) for number in numbers if isinstance(number, int | float)]
    if not isinstance(wanted, int | float) or len(factors) < len(numbers):
        return
    product = math.prod(factors)
    if abs(product - wanted) > _CENT * max(1.0, abs(factors[0]) / 2):
        yield at, f"product: {' × '.join(check.fields)} is {product:.2f}"


def _zone_differences(fields: Sequence[Field], schema: FieldSchema) -> Iterator[tuple[int, str]]:
    """Where printed fields differ from the machine readable zone."""
    zone = next((_zone(f) for f in fields if schema.spec(f.name).type == "mrz"), None)
    if not zone:
        return
    for at, field in enumerate(fields):
        if field.name in zone and not _agrees(field, zone[field.name]):
            yield at, f"differs_from_mrz: {zone[field.name]}"


def _zone(field: Field) -> Mapping[str, str]:
    zone = mrz.read(field.value.splitlines()) if isinstance(field.value, str) else None
    return zone.fields if zone else {}


def _agrees(field: Field, zone: str) -> bool:
    if field.value is None or not zone:
        return True
    value = str(field.value)
    if field.name in _DATES:
        return dt.date.fromisoformat(value).strftime("%y%m%d") == zone
    if field.name in _NAMES:
        if not _letters(value) or _has_other_letters(value):
            return True
        return _letters(value).startswith(_letters(zone)) or _letters(zone) in _letters(value)
    if field.name == "sex":
        return value[:1].upper() == zone[:1]
    return len(value) != len(zone) or value.upper() == zone


def _letters(text: str) -> str:
    """Latin letters without accents and digits, upper case."""
    plain = unicodedata.normalize("NFKD", text).upper()
    return "".join(char for char in plain if char.isascii() and char.isalnum())


def _has_other_letters(text: str) -> bool:
    """Whether the zone could only hold another writing of the text."""
    return any(
        char.isalpha() and not char.isascii() for char in unicodedata.normalize("NFKD", text)
    )
