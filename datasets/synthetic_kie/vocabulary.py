"""Made-up people, places and companies of a country, apart for training and testing."""

# ruff: noqa: SIM905 (lists of words)

from __future__ import annotations

import datetime
import random
import string
import zlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Literal, NamedTuple, TypeVar

from docpipe.datasets.synthetic_kie.locales import Locale
from docpipe.datasets.synthetic_kie.trades import TRADES

T = TypeVar("T")
Split = Literal["train", "test"]

STATES: tuple[str, ...] = (
    "AL",
    "CA",
    "CO",
    "FL",
    "GA",
    "IL",
    "IN",
    "KS",
    "MA",
    "MD",
    "MI",
    "MN",
    "NC",
    "NJ",
    "NY",
)
STATES += ("OH", "OR", "PA", "TN", "TX", "VA", "WA", "WI")
PROVINCES = ("MI", "RM", "TO", "NA", "BO", "FI", "GE", "VE", "PD", "BG", "BS", "VR")
_POOL = 400
_TEST_SHARE = 5  # one of so many words is for testing alone
_VOWELS = "aeiou"
_ONSETS = "b br c cl d f fl g gr h k l m n p pl qu r s st t tr v w x z sh th j".split()
_ENDINGS = "n x r s l tec soft dyne com via io tech lab net med plan line form".split() + [""] * 5


class Chooser(random.Random):
    """A source of chances for one document of a split."""

    def __init__(self, seed: str, split: Split) -> None:
        super().__init__(seed)
        self.split = split

    def chance(self, share: float) -> bool:
        return self.random() < share

    def one(self, options: Sequence[T]) -> T:
        return options[int(self.random() * len(options))]

    def held(self, options: Sequence[str]) -> str:
        """One of the options that belong to the split; of all if none does."""
        return self.one(_of_split(tuple(options), self.split))

    def family(self, families: Sequence[T], tests: int) -> T:
        """A template family: the last `tests` of them are for testing alone."""
        return self.one(families[-tests:] if self.split == "test" else families[:-tests])

    def pattern(self, pattern: str) -> str:
        """`pattern` with digits for # and capitals for ?."""
        fill = {"#": string.digits, "?": "ABCDEFGHJKLMNPRSTUVWXYZ"}
        return "".join(self.one(fill[char]) if char in fill else char for char in pattern)

    def day(self, first: int = 1988, last: int = 2027) -> datetime.date:
        start = datetime.date(first, 1, 1)
        days = (datetime.date(last, 12, 31) - start).days
        return start + datetime.timedelta(days=self.randrange(days))


@cache
def _of_split(options: tuple[str, ...], split: Split) -> tuple[str, ...]:
    return tuple(option for option in options if belongs(option, split)) or options


def belongs(word: str, split: Split) -> bool:
    """Whether a word is one of the vocabulary of the split."""
    tested = zlib.crc32(word.casefold().encode()) % _TEST_SHARE == 0
    return tested == (split == "test")


class Names(NamedTuple):
    """What people and places of a country are called, one split of it."""

    surnames: tuple[str, ...]
    women: tuple[str, ...]
    men: tuple[str, ...]
    streets: tuple[str, ...]
    cities: tuple[str, ...]
    jobs: tuple[str, ...]
    words: tuple[str, ...]
    states: tuple[str, ...]


@cache
def names(code: str, split: Split) -> Names:
    """The pools of a locale as Faker calls it."""
    from faker import Faker

    fake = Faker(code)
    fake.seed_instance(code)

    def pool(make: Callable[[], str], count: int = _POOL) -> tuple[str, ...]:
        found = dict.fromkeys(make() for _ in range(count))
        return _of_split(tuple(found), split)

    texts = fake
    if code.startswith("en_"):  # other English locales have no words but Latin
        texts = Faker("en_US")
        texts.seed_instance(code)
    city: Callable[[], str] = fake.city
    if code == "it_IT":  # its cities are in another order in each process
        city = partial(_italian_city, fake.postcode_city_province)
    states = PROVINCES if code == "it_IT" else STATES
    return Names(
        surnames=pool(fake.last_name),
        women=pool(fake.first_name_female),
        men=pool(fake.first_name_male),
        streets=pool(fake.street_name, 250),
        cities=pool(city, 250),
        jobs=pool(fake.job, 120),
        words=pool(texts.word, 500),
        states=states,
    )


def _italian_city(make: Callable[[], str]) -> str:
    """The city in a text such as `00187 Roma (RM)`."""
    return make().split(" ", 1)[1].rsplit(" (", 1)[0]


class Person(NamedTuple):
    given: str
    surname: str
    female: bool

    @property
    def full(self) -> str:
        return f"{self.given} {self.surname}"


def person(chance: Chooser, locale: Locale) -> Person:
    known = names(locale.names, chance.split)
    female = chance.chance(0.5)
    given = chance.one(known.women if female else known.men)
    if chance.chance(0.25):
        given += f" {chance.one(known.women if female else known.men)}"
    surname = chance.one(known.surnames)
    if chance.chance(0.07):
        surname += f"-{chance.one(known.surnames)}"
    return Person(given, surname, female)


class Address(NamedTuple):
    """The lines of an address, without a name; `city` alone, too."""

    lines: tuple[str, ...]
    city: str


_ROOMS = ("Suite {}", "Apt. {}", "Unit {}", "Floor {}", "P.O. Box {}", "Building {}", "Room {}")


def address(chance: Chooser, locale: Locale) -> Address:
    known = names(locale.names, chance.split)
    parts = {
        "street": chance.one(known.streets).removeprefix("ul. ").replace("улица", "").strip(" ,"),
        "number": f"{chance.randint(1, 250)}{chance.one(['', '', '', '', 'a', 'B', '-3'])}",
        "code": chance.pattern(locale.code),
        "city": chance.one(known.cities),
        "state": chance.one(known.states),
    }
    lines = [line.format(**parts) for line in locale.address]
    if locale.lang == "en" and chance.chance(0.2):
        extra = chance.one(_ROOMS).format(chance.randint(1, 900))
        lines[0:1] = [f"{lines[0]}, {extra}"] if chance.chance(0.5) else [lines[0], extra]
    if chance.chance(0.15):
        lines.append(locale.country.upper() if chance.chance(0.5) else locale.country)
    return Address(tuple(lines), parts["city"])


def brand(chance: Chooser) -> str:
    """An invented word, of one split."""
    while True:
        middle = (
            chance.one(_ONSETS) + chance.one(_VOWELS) for _ in range(chance.one([1, 2, 2, 2, 3]))
        )
        word = "".join(middle) + chance.one(_ENDINGS)
        if len(word) > 3 and belongs(word, chance.split):
            return chance.one([word.capitalize(), word.capitalize(), word.upper()])


def company(chance: Chooser, locale: Locale) -> str:
    """An invented company of a country, with its legal form or without."""
    known = names(locale.names, chance.split)
    trade = chance.one(TRADES.get(locale.lang, TRADES["en"]))
    legal = chance.one(locale.legal)
    surname, city = chance.one(known.surnames), chance.one(known.cities)
    letters = "".join(chance.one(string.ascii_uppercase) for _ in range(chance.one([2, 3, 3, 4])))
    options = (
        (5, f"{surname} {trade}"),
        (3, f"{trade} {surname}"),
        (4, f"{brand(chance)} {trade}"),
        (4, brand(chance)),
        (2, f"{surname} & {chance.one(known.surnames)}"),
        (1, f"{surname}, {chance.one(known.surnames)} & {chance.one(known.surnames)}"),
        (2, f"{city} {trade}"),
        (2, f"{letters} {trade}"),
        (1, f"{chance.one(known.women + known.men)} {surname} {trade}"),
        (1, f"{letters}"),
    )
    name = chance.choices([name for _, name in options], [weight for weight, _ in options])[0]
    if locale.lang in ("ru", "id") and chance.chance(0.5):
        return f"{'ООО' if locale.lang == 'ru' else 'PT'} {name}"
    return f"{name} {legal}" if chance.chance(0.8) else name


def email(chance: Chooser, company_name: str) -> str:
    site = domain(company_name)
    return f"{chance.one(['info', 'office', 'sales', 'billing', 'contact', 'service'])}@{site}"


def domain(company_name: str) -> str:
    letters = "".join(char for char in company_name.casefold() if char.isascii() and char.isalnum())
    return f"{letters[:14] or 'firm'}.example"


_IBAN_LENGTHS = {"DE": 22, "FR": 27, "ES": 24, "IT": 27, "GB": 22, "NL": 18, "PT": 25, "PL": 28}
_IBAN_LENGTHS |= {"CZ": 24, "SE": 24, "DK": 18, "NO": 15, "FI": 18, "HU": 28, "RO": 24, "TR": 26}
_IBAN_LENGTHS |= {"GR": 27, "HR": 21, "AT": 20, "CH": 21, "BE": 16, "IE": 22}
_BANK_LETTERS = {"GB", "NL", "IE", "RO"}


def iban(chance: Chooser, country: str) -> str:
    """An account number with right check digits, without blanks."""
    length = _IBAN_LENGTHS[country] - 4
    bank = chance.pattern("????") if country in _BANK_LETTERS else ""
    account = bank + chance.pattern("#" * (length - len(bank)))
    digits = "".join(str(int(char, 36)) for char in f"{account}{country}00")
    return f"{country}{98 - int(digits) % 97:02d}{account}"


def grouped(text: str, size: int = 4) -> str:
    """A long number in groups, as it is printed."""
    return " ".join(text[at : at + size] for at in range(0, len(text), size))
