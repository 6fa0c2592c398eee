"""What an invoice says, before it is set."""

from __future__ import annotations

import datetime
from typing import NamedTuple

from docpipe.datasets.synthetic_kie.locales import LOCALES, Locale
from docpipe.datasets.synthetic_kie.trades import PRODUCTS, QUALIFIERS
from docpipe.datasets.synthetic_kie.vocabulary import (
    Address,
    Chooser,
    address,
    brand,
    company,
    email,
    iban,
    names,
    person,
)

# Languages by how often they are met; the others count 1.
_WEIGHTS = {"en": 3.0, "de": 2.5, "fr": 2.0, "es": 1.5, "it": 1.5, "nl": 1.5, "pt": 1.2, "pl": 1.2}
_SMALL_COINS = {"HUF": 250, "IDR": 9000, "RUB": 60, "CZK": 20, "INR": 50, "TRY": 15, "MXN": 12}
_SMALL_COINS |= {"SEK": 9, "NOK": 9, "DKK": 6, "PLN": 4}
_NO_CENTS = {"HUF", "IDR"}


class Party(NamedTuple):
    name: str
    address: Address
    contact: str
    tax_id: str
    phone: str
    email: str
    iban: str
    bic: str
    bank: str


class Item(NamedTuple):
    """A row of the invoice; amounts in cents, `vat` and `discount` as printed."""

    description: str
    detail: str
    code: str
    quantity: str
    unit: str
    price: int
    amount: int
    vat: str
    discount: str


class Money(NamedTuple):
    """How amounts are written: with the currency before, after, or nowhere."""

    locale: Locale
    before: str = ""
    after: str = ""
    thousands: bool = True
    cents: bool = True

    def __call__(self, cents: int) -> str:
        text = self.locale.money(cents, self.thousands)
        if not self.cents:
            text = text.rsplit(self.locale.decimal, 1)[0]
        return f"{self.before}{text}{self.after}"


class Facts(NamedTuple):
    locale: Locale
    seller: Party
    buyer: Party
    number: str
    order: str
    date: datetime.date
    due: datetime.date
    date_pattern: str
    items: tuple[Item, ...]
    rates: tuple[tuple[str, int, int], ...]  # rate as printed, net and tax in cents
    subtotal: int
    tax: int
    shipping: int
    total: int
    cents: bool

    def day(self, day: datetime.date) -> str:
        return self.locale.date(day, self.date_pattern)


def invoice_facts(chance: Chooser) -> Facts:
    weights = [_WEIGHTS.get(locale.lang, 1.0) for locale in LOCALES]
    locale = chance.choices(LOCALES, weights)[0]
    day = chance.day(1990, 2027)
    rates = [chance.one(locale.vat)]
    if len(locale.vat) > 1 and chance.chance(0.2):
        rates = list(dict.fromkeys([*rates, chance.one(locale.vat)]))
    cents = locale.currency not in _NO_CENTS or chance.chance(0.3)
    items = _items(chance, locale, rates, cents)
    sums: dict[str, int] = {}
    for item in items:
        sums[item.vat] = sums.get(item.vat, 0) + item.amount
    per_rate = tuple((rate, net, _tax(net, rate, cents)) for rate, net in sums.items())
    shipping = chance.one([0, 0, 0, 0, 500, 995, 1250]) if cents else 0
    subtotal, tax = sum(sums.values()), sum(rate[2] for rate in per_rate)
    return Facts(
        locale=locale,
        seller=_party(chance, locale, is_company=True),
        buyer=_party(chance, locale, is_company=chance.chance(0.75)),
        number=_number(chance, day.year),
        order=_number(chance, day.year),
        date=day,
        due=day + datetime.timedelta(days=chance.one([7, 10, 14, 14, 21, 30, 30, 45, 60])),
        date_pattern=chance.one(locale.dates),
        items=tuple(items),
        rates=per_rate,
        subtotal=subtotal,
        tax=tax,
        shipping=shipping,
        total=subtotal + tax + shipping,
        cents=cents,
    )


def _party(chance: Chooser, locale: Locale, *, is_company: bool) -> Party:
    someone = person(chance, locale)
    name = company(chance, locale) if is_company else someone.full
    account = iban(chance, locale.iban) if locale.iban else chance.pattern("## ## ######")
    bank = chance.one(["{} Bank", "Bank {}", "{} Savings Bank", "{} Credit Union", "Banca {}"])
    return Party(
        name=name,
        address=address(chance, locale),
        contact=someone.full,
        tax_id=chance.pattern(chance.one(locale.tax_ids)),
        phone=chance.pattern(locale.phone),
        email=email(chance, name),
        iban=account if locale.iban else "",
        bic=chance.pattern("????")
        + (locale.iban or "US")
        + chance.pattern(chance.one(["##", "2?", "??XXX", "##XXX"])),
        bank=bank.format(brand(chance).capitalize()),
    )


_NUMBERS = (
    *("#####", "######", "####", "########", "INV-#####", "INV-####", "{y}-####", "{y}/####"),
    *(
        "{y}####",
        "R{y}-###",
        "RE-{y}-####",
        "?#####",
        "??-####",
        "F{y}-###",
        "{y}{m}###",
        "###/{y}",
    ),
    *("FA/{y}/###", "{y}.####", "#######-##", "A-####", "FV-##/{m}/{y}", "No ####", "S####-####"),
)


def _number(chance: Chooser, year: int) -> str:
    pattern = chance.one(_NUMBERS)
    month = f"{chance.randint(1, 12):02d}"
    number = chance.pattern(pattern.replace("{y}", "~").replace("{m}", "^"))
    return number.replace("~", str(year if chance.chance(0.7) else year % 100)).replace("^", month)


_UNITS = {
    "en": ["pcs", "hrs", "kg", "m", "ea", "box", "day", "l"],
    "de": ["Stk.", "Std.", "kg", "m", "Pck.", "l"],
}


def _items(chance: Chooser, locale: Locale, rates: list[str], cents: bool) -> list[Item]:
    count = chance.choices([1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 32], [6, 6, 6, 6, 5, 4, 4, 3, 2, 2, 1])
    units = _UNITS.get(locale.lang, ["x", "kg", "m", "h", "l"])
    scale = _SMALL_COINS.get(locale.currency, 1)
    has_discount = chance.chance(0.12)
    code = chance.one(["#####", "??-###", "######-#", "?###", "###.###", "????##"])
    items = []
    for _ in range(count[0]):
        price = chance.one([5, 49, 99, 100, 125, 250, 990, 1450, 5000, 8500, 20000])
        price = int(price * chance.uniform(1, 9)) * scale
        price = price if cents else price // 100 * 100
        whole = chance.chance(0.85)
        number = chance.one([1, 1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 12, 20, 24, 50, 100])
        amount = price * number
        quantity = str(number)
        if not whole:
            half = chance.one([0.5, 0.25, 0.75])
            amount = int(price * (number + half))
            quantity = f"{number + half:.2f}".replace(".", locale.decimal)
        discount = chance.one(["", "5%", "10%"]) if has_discount else ""
        if discount:
            amount = amount * (100 - int(discount[:-1])) // 100
        amount = amount if cents else amount // 100 * 100
        item = Item(
            description=product(chance, locale),
            detail=_detail(chance, locale) if chance.chance(0.25) else "",
            code=chance.pattern(code),
            quantity=quantity,
            unit=chance.one(units),
            price=price,
            amount=amount,
            vat=chance.one(rates),
            discount=discount,
        )
        items.append(item)
    return items


def product(chance: Chooser, locale: Locale) -> str:
    """What is sold, in the language of the country where words are known."""
    noun = chance.held(PRODUCTS.get(locale.lang, PRODUCTS["en"]))
    known = names(locale.names, chance.split)
    pattern = chance.one(QUALIFIERS)
    number = chance.one(["{} mm", "{} kg", "{}", "{} ml", "x{}", "Nr. {}", "{}W", "{}0"])
    return pattern.format(
        p=noun, w=chance.one(known.words), b=brand(chance), n=number.format(chance.randint(2, 900))
    )


def _detail(chance: Chooser, locale: Locale) -> str:
    known = names(locale.names, chance.split)
    return " ".join(chance.one(known.words) for _ in range(chance.randint(2, 9))).capitalize()


def _tax(net: int, rate: str, cents: bool) -> int:
    share = float(rate.strip("% ").replace(",", "."))
    tax = round(net * share / 100)
    return tax if cents else tax // 100 * 100
