"""Machine-readable zones of travel documents, as ICAO Doc 9303 defines them."""

# ruff: noqa: SIM905 (letters)

from __future__ import annotations

import datetime
import unicodedata
from typing import Literal, NamedTuple

MrzKind = Literal["TD1", "TD2", "TD3"]

_LETTERS = dict(
    zip(
        "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґαβγδεζηθικλμνξοπρστυφχψωςßøðþłđıæœə",
        (
            "a,b,v,g,d,e,zh,z,i,i,k,l,m,n,o,p,r,s,t,u,f,kh,ts,ch,sh,shch,ie,y,_,e,iu,ia,i,i,ie,g,"
            "a,v,g,d,e,z,i,th,i,k,l,m,n,x,o,p,r,s,t,y,f,ch,ps,o,s,ss,oe,d,th,l,d,i,ae,oe,e"
        ).split(","),
        strict=True,
    )
)


class Holder(NamedTuple):
    """What the zone says. `issuer` and `nationality` are codes of three letters."""

    code: str  # of the kind of document: P, I, ID, AR, …
    issuer: str
    nationality: str
    number: str
    surname: str
    given: str
    born: datetime.date
    female: bool
    expiry: datetime.date
    personal: str = ""


def transliterate(text: str) -> str:
    """`text` in capitals of the basic Latin alphabet, digits and blanks."""
    lower = text.lower().translate(str.maketrans("άέήίόύώϊϋΐΰ", "αεηιουωιυιυ"))
    latin = "".join(_LETTERS.get(char, char) for char in lower).replace("_", "")
    plain = unicodedata.normalize("NFKD", latin).encode("ascii", "ignore").decode()
    return "".join(char if char.isalnum() else " " for char in plain.upper())


def check_digit(text: str) -> str:
    """The check digit of a part of the zone."""
    values = (0 if char == "<" else int(char, 36) for char in text)
    return str(sum(value * (7, 3, 1)[at % 3] for at, value in enumerate(values)) % 10)


def lines(kind: MrzKind, holder: Holder) -> list[str]:
    """The lines of the zone: three of 30 characters for TD1, two of 36 or 44 for TD2 and TD3."""
    number = _fill(holder.number, 9)
    number += check_digit(number)
    born, expiry = _day(holder.born), _day(holder.expiry)
    sex = "F" if holder.female else "M"
    head = _fill(holder.code, 2) + holder.issuer
    if kind == "TD1":
        optional = _fill(holder.personal, 15)
        middle = f"{born}{sex}{expiry}{holder.nationality}" + "<" * 11
        checked = number + optional + born + expiry + "<" * 11
        return [head + number + optional, middle + check_digit(checked), _names(holder, 30)]
    width, room = (36, 7) if kind == "TD2" else (44, 14)
    optional = _fill(holder.personal, room)
    if kind == "TD3":
        optional += check_digit(optional)
    checked = number + born + expiry + optional
    second = f"{number}{holder.nationality}{born}{sex}{expiry}{optional}{check_digit(checked)}"
    return [head + _names(holder, width - 5), second]


def _day(day: datetime.date) -> str:
    text = day.strftime("%y%m%d")
    return text + check_digit(text)


def _fill(text: str, width: int) -> str:
    kept = "".join(char for char in transliterate(text) if char != " ")
    return kept[:width].ljust(width, "<")


def _names(holder: Holder, width: int) -> str:
    surname, given = (
        "<".join(transliterate(name).split()) for name in (holder.surname, holder.given)
    )
    return f"{surname}<<{given}"[:width].ljust(width, "<")
