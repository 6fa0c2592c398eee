"""The machine readable zone of passports, identity cards and visas (ICAO Doc 9303)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_WEIGHTS = (7, 3, 1)
_COLUMNS = (30, 36, 44)


class Span(NamedTuple):
    """Characters `start` to `end` of line `line`, checked by the digit that follows, if any."""

    line: int
    start: int
    end: int
    checked: bool = True


class Form(NamedTuple):
    """Where a form of the zone holds what; `composite` are the spans of its last check digit."""

    rows: int
    columns: int
    fields: dict[str, Span]
    composite: tuple[Span, ...] = ()


_TD1 = Form(
    3,
    30,
    {
        "country": Span(0, 2, 5, False),
        "document_number": Span(0, 5, 14),
        "birth_date": Span(1, 0, 6),
        "sex": Span(1, 7, 8, False),
        "expiry_date": Span(1, 8, 14),
        "nationality": Span(1, 15, 18, False),
        "name": Span(2, 0, 30, False),
    },
    (Span(0, 5, 30), Span(1, 0, 7), Span(1, 8, 15), Span(1, 18, 29)),
)


def _two_rows(columns: int, composite: tuple[Span, ...]) -> Form:
    fields = {
        "country": Span(0, 2, 5, False),
        "name": Span(0, 5, columns, False),
        "document_number": Span(1, 0, 9),
        "nationality": Span(1, 10, 13, False),
        "birth_date": Span(1, 13, 19),
        "sex": Span(1, 20, 21, False),
        "expiry_date": Span(1, 21, 27),
    }
    return Form(2, columns, fields, composite)


_PASSPORT = _two_rows(44, (Span(1, 0, 10), Span(1, 13, 20), Span(1, 21, 43)))
_TD2 = _two_rows(36, (Span(1, 0, 10), Span(1, 13, 20), Span(1, 21, 35)))
_VISAS = {44: _two_rows(44, ()), 36: _two_rows(36, ())}


class Zone(NamedTuple):
    """`fields`: dates as yymmdd, fillers as blanks. `problems` are notes of what does not fit."""

    lines: tuple[str, ...]
    fields: dict[str, str]
    problems: tuple[str, ...]


def check_digit(text: str) -> str:
    """The check digit of characters A-Z, 0-9 and <."""
    values = (0 if char == "<" else int(char, 36) for char in text)
    total = sum(value * _WEIGHTS[at % 3] for at, value in enumerate(values))
    return str(total % 10)


def read(lines: Sequence[str]) -> Zone | None:
    """The zone in lines from top to bottom; None where they hold none."""
    rows = [row for row in map(_compact, lines) if len(row) >= 10]
    rows = [part for row in rows for part in _parted(row)]
    form = _form(rows)
    if form is None:
        return Zone(tuple(rows), {}, ("mrz_incomplete",)) if rows else None
    fields = {name: _text(rows, span) for name, span in form.fields.items()}
    surname, _, given = rows[form.fields["name"].line][_slice(form.fields["name"])].partition("<<")
    fields |= {"surname": _plain(surname), "given_names": _plain(given)}
    del fields["name"]
    return Zone(tuple(rows), fields, tuple(_problems(rows, form)))


def _problems(rows: Sequence[str], form: Form) -> list[str]:
    found = []
    for name, span in form.fields.items():
        digit = rows[span.line][span.end : span.end + 1]
        if span.checked and check_digit(rows[span.line][_slice(span)]) != digit.replace("<", "0"):
            found.append(f"check_digits: {name} of the machine readable zone")
    if form.composite:
        digit = rows[-1 if form.rows == 2 else 1][form.columns - 1]
        text = "".join(rows[span.line][_slice(span)] for span in form.composite)
        if check_digit(text) != digit:
            found.append("check_digits: the machine readable zone as a whole")
    return found


def _form(rows: Sequence[str]) -> Form | None:
    sizes = {len(row) for row in rows}
    if len(rows) == 3 and sizes == {30}:
        return _TD1
    if len(rows) == 2 and sizes in ({44}, {36}):
        columns = sizes.pop()
        visa = rows[0].startswith("V")
        return _VISAS[columns] if visa else _PASSPORT if columns == 44 else _TD2
    return None


def _compact(line: str) -> str:
    """A line in the characters of the zone, alone where other words stand beside it; text that is
    no part of one becomes shorter."""
    whole = [word for word in line.split() if len(word) in _COLUMNS]
    line = whole[0] if len(whole) == 1 else line
    return re.sub(r"[^A-Z0-9<]", "", line.upper().replace("«", "<<").replace("‹", "<"))


def _parted(row: str) -> list[str]:
    """The rows in a line that holds several."""
    for size, count in ((30, 3), (44, 2), (36, 2)):
        if len(row) == size * count:
            return [row[at : at + size] for at in range(0, len(row), size)]
    return [row]


def _slice(span: Span) -> slice:
    return slice(span.start, span.end)


def _text(rows: Sequence[str], span: Span) -> str:
    return _plain(rows[span.line][_slice(span)])


def _plain(text: str) -> str:
    return " ".join(text.replace("<", " ").split())
