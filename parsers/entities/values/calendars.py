"""What CLDR knows of dates: names of months, and the order of day and month."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import TYPE_CHECKING, Literal, get_args

from docpipe.errors import ConfigError

if TYPE_CHECKING:
    from babel import Locale

Order = Literal["dmy", "mdy", "ymd"]

_LANGUAGES = (
    *("en", "de", "fr", "es", "it", "nl", "pt", "pl", "cs", "sk", "sl", "da", "sv", "nb", "fi"),
    *("et", "lv", "lt", "hu", "ro", "bg", "el", "ru", "uk", "tr", "id", "ms", "ca", "hr"),
)
_SHORTEST = 3  # letters of a month's name


@functools.cache
def month_names() -> dict[str, int]:
    """Months by name, full or short, without accents and case.

    A name that is another month in another language is left out.
    """
    from babel import Locale

    months: dict[str, set[int]] = {}
    for language in _LANGUAGES:
        known = Locale(language).months
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in known[context][width].items():
                    folded = fold(str(name))
                    if len(folded) >= _SHORTEST:
                        months.setdefault(folded, set()).add(number)
    months |= {"sept": {9}, "mrt": {3}, "okt": {10}}
    return {name: min(numbers) for name, numbers in months.items() if len(numbers) == 1}


def month_of(name: str) -> int | None:
    """The month that a word names, if it does."""
    return month_names().get(fold(name))


def fold(text: str) -> str:
    """Letters alone, without accents and case."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in plain if char.isalpha())


@functools.cache
def order_of_locale(locale: str) -> Order:
    """The order of dates in a locale such as "de" or "en_US". Raises ConfigError."""
    from babel import Locale, UnknownLocaleError

    try:
        return _order(Locale.parse(locale, sep="-" if "-" in locale else "_"))
    except (UnknownLocaleError, ValueError, TypeError) as error:
        raise ConfigError(
            f"unknown locale {locale!r}", hint='write a language and a country, such as "en_GB"'
        ) from error


@functools.cache
def orders_of_currency(code: str) -> frozenset[Order]:
    """The orders of dates in all places where people pay with this currency."""
    from babel import Locale, UnknownLocaleError
    from babel.core import get_global
    from babel.languages import get_official_languages

    orders = set()
    for territory, currencies in get_global("territory_currencies").items():
        if not any(each[0] == code and each[2] is None for each in currencies):
            continue
        for language in get_official_languages(territory, de_facto=True):
            try:
                orders.add(_order(Locale.parse(f"{language}_{territory}")))
            except (UnknownLocaleError, ValueError):
                continue
    return frozenset(orders)


def _order(locale: Locale) -> Order:
    pattern = locale.date_formats["short"].pattern
    letters = re.sub(r"[^yMd]", "", re.sub(r"'[^']*'", "", pattern))
    found = re.sub(r"(.)\1+", r"\1", letters).lower()
    return next((order for order in get_args(Order) if order == found), "dmy")
