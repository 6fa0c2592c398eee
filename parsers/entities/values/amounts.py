"""Numbers and amounts of money in text, and what decides where one could be read in two ways.

1.234 is a thousand and more, or a little more than one. What decides is the decimal sign of other
amounts of the document, or a currency without decimals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import Literal, NamedTuple

Point = Literal[".", ","]

_SYMBOLS = {
    **{"€": "EUR", "£": "GBP", "₫": "VND", "đ": "VND", "₹": "INR", "₩": "KRW", "₽": "RUB"},
    **{"₺": "TRY", "₱": "PHP", "฿": "THB", "₪": "ILS", "₴": "UAH", "円": "JPY", "元": "CNY"},
    **{"US$": "USD", "S$": "SGD", "HK$": "HKD", "NT$": "TWD", "A$": "AUD", "AU$": "AUD"},
    **{"C$": "CAD", "CA$": "CAD", "NZ$": "NZD", "R$": "BRL", "$": "$", "¥": "¥"},
    **{"RM": "MYR", "Rp": "IDR", "Rs": "Rs", "kr": "kr", "zł": "PLN", "Kč": "CZK", "Ft": "HUF"},
    **{"lei": "RON", "Fr": "CHF", "SFr": "CHF"},
}
_CODES = (
    *("EUR", "USD", "GBP", "CHF", "JPY", "CNY", "RMB", "MYR", "SGD", "IDR", "VND", "THB", "PHP"),
    *("INR", "KRW", "TWD", "HKD", "AUD", "NZD", "CAD", "BRL", "MXN", "ARS", "CLP", "ZAR", "SEK"),
    *("NOK", "DKK", "PLN", "CZK", "HUF", "RON", "BGN", "RUB", "UAH", "ILS", "AED", "SAR"),
    *("KWD", "BHD", "OMR", "TND", "JOD", "LYD"),
)
CURRENCIES = {symbol.casefold(): code for symbol, code in _SYMBOLS.items()}
CURRENCIES |= {code.casefold(): code for code in _CODES} | {"rmb": "CNY"}
_THREE_DECIMALS = frozenset({"KWD", "BHD", "OMR", "TND", "JOD", "LYD"})
_ENOUGH = 2  # amounts that show a sign of thousands
_WITHOUT_DECIMALS = frozenset({"IDR", "VND", "KRW", "JPY", "CLP", "HUF"})

_UNIT = "|".join(
    rf"(?<![^\W\d_]){re.escape(name)}(?![^\W\d_])" if name.isalpha() else re.escape(name)
    for name in sorted(CURRENCIES, key=len, reverse=True)
)
# Short names, such as Fr, are words elsewhere: they count beside amounts alone.
_NAMED_ALONE = re.compile(
    "|".join(
        rf"(?<![^\W_]){re.escape(name)}(?![^\W\d_])" if name.isalpha() else re.escape(name)
        for name in sorted([*_SYMBOLS, *_CODES], key=len, reverse=True)
        if len(CURRENCIES[name.casefold()]) == 3 and name not in ("Fr", "SFr", "Ft", "lei", "đ")
    )
)
_NUMBER = r"\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)*|[.,]\d{2}"
_AMOUNT = re.compile(
    rf"(?P<open>\()?(?P<minus>(?<!\w)[-−–])?\s?(?P<before>{_UNIT})?\.?\s?(?P<inner>[-−–])?\s?"
    rf"(?<![\d.,/:])(?P<number>{_NUMBER})(?![\d/:]|[.,]\d)"
    rf"\s?(?P<after>{_UNIT}|%)?(?P<trail>[-−–](?!\s?\d|\w)|\s?CR\b)?(?P<close>\))?",
    re.IGNORECASE,
)
_SPLIT_DECIMALS = re.compile(r"(?<=\d)(?:\s([.,])|([.,])\s)(?=\d\d\s*\)?$)")


class FoundAmount(NamedTuple):
    """`values` are the numbers that it may be, one unless its separator could be a decimal sign or
    one of thousands: then first as decimals, second as thousands. `point` is its decimal sign
    where it shows one; `unit` an ISO code, a symbol of several currencies ("$"), "%", or "".
    """

    values: tuple[Decimal, ...]
    point: Point | None
    unit: str
    decimals: int


def find_amounts(text: str) -> list[FoundAmount]:
    """The numbers of a text from left to right, without those of dates, times and codes."""
    whole = _SPLIT_DECIMALS.sub(lambda match: match[1] or match[2], text)
    found = ((match, _amount(match)) for match in _AMOUNT.finditer(whole))
    return [
        amount
        for match, amount in found
        if amount.values and (amount.decimals == 2 or not _is_glued(match))
    ]


def decimal_point(texts: Iterable[str]) -> Point | None:
    """The decimal sign of the amounts in these texts; None if they show none, or both as often.

    A sign that parts groups of three digits in several amounts is one of thousands, if no other
    amount has two decimals but counts such as 1.00: prices have no three decimals, save in the
    currencies that do.
    """
    amounts = [amount for text in texts for amount in find_amounts(text) if amount.point]
    groups = Counter(amount.point for amount in amounts if amount.decimals == 3)
    fine = any(amount.unit in _THREE_DECIMALS for amount in amounts)
    in_thousands = len(groups) == 1 and not fine and sum(groups.values()) >= _ENOUGH
    signs = Counter(
        amount.point
        for amount in amounts
        if amount.decimals == 2 and not (in_thousands and _is_count(amount.values[0]))
    )
    ranked = signs.most_common(2)
    if ranked:
        clear = len(ranked) == 1 or ranked[0][1] >= 2 * ranked[1][1]
        return ranked[0][0] if clear else None
    if not in_thousands:
        return None
    return "," if "." in groups else "."


def _is_count(number: Decimal) -> bool:
    return 0 < number < 100 and number == number.to_integral_value()


def currency_in(texts: Iterable[str]) -> str | None:
    """The currency that these texts name, beside amounts or by itself as in the heading of a
    column; None where they name several, or a symbol of several."""
    units = {CURRENCIES[name.casefold()] for text in texts for name in _NAMED_ALONE.findall(text)}
    return next(iter(units)) if len(units) == 1 else None


def value_of(amount: FoundAmount, point: Point | None) -> Decimal | None:
    """The number that an amount is in a document with this decimal sign; None if unsure."""
    if len(amount.values) == 1:
        return amount.values[0]
    if amount.unit in _WITHOUT_DECIMALS:
        return amount.values[1]
    if point is None or amount.point is None:
        return None
    return amount.values[0] if amount.point == point else amount.values[1]


def price_of(amount: FoundAmount, point: Point | None) -> Decimal | None:
    """As `value_of`, for an amount of money: three decimals are no price, save in the currencies
    that have them."""
    value = value_of(amount, point)
    if len(amount.values) > 1 and value == amount.values[0] and amount.unit not in _THREE_DECIMALS:
        return None
    return value


def _is_glued(match: re.Match[str]) -> bool:
    """Whether the number is a part of a word, such as K074."""
    start, end, text = match.start("number"), match.end("number"), match.string
    before = match["before"] is None and start > 0 and text[start - 1].isalnum()
    if before and text[start - 1] in "xX" and not text[: start - 1][-1:].isalnum():
        before = False  # as in "x4"
    if not match["before"] and start > 1 and text[start - 1] in "-–" and text[start - 2].isalnum():
        before = True  # as in 552.2-503
    after = match["after"] is None and end < len(text) and text[end].isalpha()
    return before or (after and text[end] not in "xX")


def _amount(match: re.Match[str]) -> FoundAmount:
    values, point, decimals = _read(match["number"])
    parenthesised = match["open"] and match["close"] and match[0].strip() == match.string.strip()
    if match["minus"] or match["inner"] or match["trail"] or parenthesised:
        values = tuple(-value for value in values)
    name = (match["before"] or match["after"] or "").casefold()
    unit = CURRENCIES.get(name, name)
    return FoundAmount(values, point, unit, decimals)


def _read(number: str) -> tuple[tuple[Decimal, ...], Point | None, int]:
    """The numbers that digits with separators may be, their decimal sign, and decimals."""
    digits = re.sub(r"['’ \u00a0\u202f]", "", number)
    signs = [char for char in digits if char in ".,"]
    if not signs:
        return (Decimal(digits),), None, 0
    last: Point = "." if signs[-1] == "." else ","
    before, _, after = digits.rpartition(last)
    as_decimals = Decimal(f"{re.sub('[.,]', '', before) or '0'}.{after}")
    as_thousands = Decimal(re.sub("[.,]", "", digits))
    if len(signs) > 1 and len(set(signs)) == 1:
        grouped = re.fullmatch(r"\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}", digits)  # by two in India
        return ((as_thousands,) if grouped else ()), None, 0
    thousands = len(after) == 3 and 1 <= len(before) <= 3 and not before.startswith("0")
    if len(signs) == 1 and thousands:
        return (as_decimals, as_thousands), last, 3
    return (as_decimals,), last, len(after)
