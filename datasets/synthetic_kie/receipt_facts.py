"""What a till receipt says, before it is set."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import NamedTuple

from docpipe.datasets.synthetic_kie.invoice_facts import Money
from docpipe.datasets.synthetic_kie.locales import LOCALES, Locale
from docpipe.datasets.synthetic_kie.receipt_words import (
    GOODS,
    MALAY_AREAS,
    MALAY_CITIES,
    MALAY_NAMES,
    MALAY_ROADS,
    MALAY_STATES,
    SHOPS,
)
from docpipe.datasets.synthetic_kie.vocabulary import Chooser, address, brand, names

_MALAYSIA = Locale(
    "en", "Malaysia", "en_GB", "MYR", ("RM", "RM", "MYR"), ".", ",",
    ("{dd}/{mm}/{yyyy}", "{dd}/{mm}/{yyyy}", "{dd}-{mm}-{yyyy}", "{dd}/{mm}/{yy}",
     "{dd} {mon} {yyyy}", "{dd}-{mon}-{yyyy}", "{d}/{m}/{yyyy}", "{yyyy}-{mm}-{dd}",
     "{dd}.{mm}.{yyyy}", "{dd}-{mon}-{yy}"),
    ("6%", "6%", "0%"), ("SDN BHD",), "#####", ("",), ("############",), "0#-########",
)  # fmt: skip
_WEIGHTS = {"en": 2.0, "id": 12.0, "de": 2.0, "fr": 1.5, "es": 1.0, "it": 1.0}
_SCALES = {"IDR": 1100, "HUF": 300, "RUB": 30, "CZK": 10, "INR": 25, "TRY": 8, "SEK": 8, "NOK": 8}


_INVENTED: tuple[str, ...] = (
    "{b} {w}",
    "{w} {0}",
    "{0} {w}",
    "{n} {0}",
    "{b} {n}",
    "{0} - {n}",
    "{n}-{0}",
)
_INVENTED += ("{b}{n} {w}", "{0} {n}PCS", "{0} ({w})", "{b}-{n}/{n}", "{w} {n}X{n}ML")


_WISHES: tuple[str, ...] = (
    "Ice",
    "No Ice",
    "Less Ice",
    "Medium",
    "Hot",
    "L",
    "M",
    "Less Sugar",
    "50%",
    "70%",
)
_WISHES += ("Extra Shot", "No Chili", "Large", "Regular", "Well Done", "N", "Take Away", "Spicy")


class Line(NamedTuple):
    """A thing sold; amounts in cents. `extra` is a remark, or what comes with it for nothing."""

    name: str
    code: str
    quantity: int
    price: int
    extra: str

    @property
    def amount(self) -> int:
        return self.quantity * self.price


class ReceiptFacts(NamedTuple):
    locale: Locale
    lang: str  # of the goods: ms in Malaysia, where the rest is English
    company: tuple[str, ...]
    address: tuple[str, ...]
    date: datetime.date
    lines: tuple[Line, ...]
    subtotal: int
    discount: int
    service: int
    tax: int
    rounding: int
    total: int
    cash: int  # 0 for payment by card
    money: Money

    @property
    def pieces(self) -> int:
        return sum(line.quantity for line in self.lines)


def receipt_facts(chance: Chooser) -> ReceiptFacts:
    locale = _MALAYSIA
    if chance.chance(0.7):
        weights = [_WEIGHTS.get(one.lang, 0.7) for one in LOCALES]
        locale = chance.choices(LOCALES, weights)[0]
    malay = locale is _MALAYSIA
    lang = chance.one(["ms", "en"]) if malay else locale.lang
    coins = locale.currency not in ("IDR", "HUF")
    goods = _goods(chance, locale, lang, coins)
    subtotal = sum(line.amount for line in goods)
    discount = _share(subtotal, chance.one([0, 0, 0, 0, 0, 5, 10, 20]), coins)
    service = _share(subtotal - discount, chance.one([0, 0, 0, 0, 0, 5, 10]), coins)
    rate = float(chance.one(locale.vat).strip("% ").replace(",", "."))
    tax = _share(subtotal - discount + service, rate if chance.chance(0.7) else 0, coins)
    total = subtotal - discount + service + tax
    rounding = 0
    if chance.chance(0.25):
        step = 5 if coins else 10000
        rounding = round(total / step) * step - total
    total += rounding
    upper = str.upper if malay or chance.chance(0.5) else str
    return ReceiptFacts(
        locale=locale,
        lang=lang,
        company=tuple(upper(part) for part in _company(chance, locale, malay)),
        address=tuple(upper(line) for line in _address(chance, locale, malay)),
        date=chance.day(2008, 2027),
        lines=tuple(goods),
        subtotal=subtotal,
        discount=discount,
        service=service,
        tax=tax,
        rounding=rounding,
        total=total,
        cash=_paid(chance, total, coins) if chance.chance(0.65) else 0,
        money=_money(chance, locale, coins),
    )


def _share(amount: int, percent: float, coins: bool) -> int:
    part = round(amount * percent / 100)
    return part if coins else part // 100 * 100


def _paid(chance: Chooser, total: int, coins: bool) -> int:
    """What was given in cash: the amount itself, or the next of some notes."""
    if chance.chance(0.3):
        return total
    note = chance.one([500, 1000, 2000, 5000] if coins else [500000, 1000000, 5000000])
    return -(-total // note) * note


def _money(chance: Chooser, locale: Locale, coins: bool) -> Money:
    symbol = chance.one(locale.symbols)
    forms = [(symbol, ""), (f"{symbol} ", ""), ("", f" {symbol}")]
    if len(symbol) > 2 or symbol.islower():
        forms = [("", f" {symbol}")]
    form = chance.one([("", "")] * 5 + forms)
    if locale.currency == "IDR" and chance.chance(0.5):
        locale = locale._replace(thousands=chance.one([",", ",", "."]), decimal=".")
    return Money(locale, *form, chance.chance(0.9), coins)


def _goods(chance: Chooser, locale: Locale, lang: str, coins: bool) -> list[Line]:
    names_ = GOODS.get(lang, GOODS["en"])
    scale = _SCALES.get(locale.currency, 1)
    count = chance.choices([1, 2, 3, 4, 5, 6, 8, 11, 16], [8, 9, 8, 7, 6, 5, 4, 3, 2])[0]
    cases: list[Callable[[str], str]] = [str, str.upper, str.upper]
    case = chance.one(cases)
    code = chance.pattern(chance.one(["#############", "######", "#####", "??###"]))
    has_code, goods = chance.chance(0.25), []
    for _ in range(count):
        name = chance.held(names_)
        if chance.chance(0.25):  # no list of goods is long enough
            word = chance.one(names(locale.names, chance.split).words).capitalize()
            number = chance.randint(2, 999)
            name = chance.one(_INVENTED).format(name, b=brand(chance), w=word, n=number)
        if chance.chance(0.25):
            size = chance.one(["L", "(S)", "Reg", "250g", "500ml", "(H)", "x2", "12s"])
            name = f"{chance.one(['', brand(chance) + ' '])}{name} {size}"
        price = int(chance.uniform(50, 2500) * chance.one([1, 1, 1, 4])) * scale
        price = price // 5 * 5 if coins else price // 10000 * 10000 or 50000
        extra = case(chance.held(names_)) if chance.chance(0.06) else ""
        extra = case(chance.one(_WISHES)) if chance.chance(0.06) else extra
        shuffled = chance.pattern("#" * len(code)) if has_code else ""
        quantity = chance.choices([1, 2, 3, 4, 10], [12, 4, 2, 1, 0.5])[0]
        goods.append(Line(case(name), shuffled, quantity, price, extra))
    return goods


def _company(chance: Chooser, locale: Locale, malay: bool) -> tuple[str, ...]:
    known = names(locale.names, chance.split)
    patterns = SHOPS["ms" if malay else locale.lang if locale.lang in SHOPS else "en"]
    local = " ".join(chance.held(MALAY_NAMES) for _ in range(chance.one([1, 1, 2])))
    name = chance.one(patterns).format(
        s=chance.one(known.surnames),
        b=brand(chance),
        w=chance.one(known.words).capitalize(),
        c=chance.one(known.cities),
        n=local if malay or chance.chance(0.5) else brand(chance),
    )
    if malay and chance.chance(0.35):
        number = chance.pattern(chance.one(["(######-?)", "(#####-?)", "(######?)", "######-?"]))
        return (f"{name} {number}",) if chance.chance(0.4) else (name, number)
    return (name,)


def _address(chance: Chooser, locale: Locale, malay: bool) -> list[str]:
    if not malay:
        lines = list(address(chance, locale).lines)
        return [", ".join(lines)] if chance.chance(0.15) else lines
    fill = {"d": chance.randint(1, 30), "e": chance.randint(1, 30)}
    road = chance.one(MALAY_ROADS).format(n=chance.held(MALAY_NAMES), **fill)
    area = chance.one(MALAY_AREAS).format(n=chance.held(MALAY_NAMES), **fill)
    number = chance.one(["NO.{} ", "NO {}, ", "{}, ", "LOT {}, ", "NO. {}-G, ", "{}, "])
    city = f"{chance.pattern('#####')} {chance.one(MALAY_CITIES)}"
    state = chance.one(MALAY_STATES)
    parts = [number.format(chance.randint(1, 120)) + road, area, city, state]
    if chance.chance(0.25):
        parts.pop(1)
    comma = chance.one([", ", ",", ", "])
    match chance.randrange(4):
        case 0:
            lines = [parts[0], *parts[1:-2], f"{parts[-2]}{comma}{parts[-1]}"]
        case 1:
            lines = [comma.join(parts[:-2]), comma.join(parts[-2:])]
        case 2:
            lines = parts
        case _:
            lines = [comma.join(parts[:2]), *parts[2:]]
    end = chance.one([",", ",", ""])
    stop = chance.one([".", "", ""])
    return [line + end for line in lines[:-1]] + [lines[-1] + stop]
