"""Typed short values in a text: numbers with their unit, dates, names, contacts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from docpipe.agents.question import Kind, Question
from docpipe.agents.terms import STOP, fold, words
from docpipe.records import AnswerFormat, Value

_IS_LABEL = re.compile(
    r"\b(?:figures?|fig\.|tables?|sections?|chapters?|pages?|p\.|appendix|equation|eq\.|step|unit|note"
    r"|item|regulation|version|no\.|#)\s*\(?$|\[$",
    re.IGNORECASE,
)
_IS_ENUMERATOR = re.compile(r"\(?\d{1,2}(?:\.\d+)*[.)]?\s+[A-Z(][a-z]")
_MONTH = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    "|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_DATE = re.compile(
    rf"""\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}\.?,?\s+\d{{4}}
    | {_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?
    | {_MONTH}\.?,?\s+\d{{4}} | \d{{4}}-\d{{2}}(?:-\d{{2}})? | \d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}
    | (?:19|20)\d{{2}}(?:\s?[-–/]\s?(?:19|20)?\d{{2}})? | {_MONTH}(?=\W|$))\b""",
    re.VERBOSE,
)
_BRACKETED = re.compile(r"([$€£₹]?) ?\( ?(.*?) ?\)( ?%?)")
_SCALES = {
    "thousand": 1e3, "k": 1e3, "lac": 1e5, "lacs": 1e5, "million": 1e6, "mn": 1e6, "m": 1e6,
    "crore": 1e7, "crores": 1e7, "billion": 1e9, "bn": 1e9, "b": 1e9, "trillion": 1e12,
}  # fmt: skip
_CURRENCIES = frozenset({"eur", "usd", "gbp", "€", "£"})
_GRAINS = {"month": re.compile(rf"\b{_MONTH}(?=\W|$)"), "year": re.compile(r"\b(?:19|20)\d\d\b")}
_NUMBER = re.compile(
    r"""(?<![\w.,])(?<!\w[-–/])(?P<sign>[-–−(]\s?)?(?P<currency>(?:US)?[$€£₹]|Rs\.?|USD|EUR)?\s?
    (?P<digits>\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?P<unit>\s?%|\s?(?:EUR|USD|GBP|€|£)(?!\w)|\s(?:percent(?!age)|per\s?cent)\b|\s?(?:million|billion|trillion|thousand|bn|mn|lacs?
    |crores?)\b|\s?[KMB]\b)?(?![\w])""",
    re.VERBOSE,
)
_NUMERALS = "zero one two three four five six seven eight nine ten eleven twelve"
_SPELLED = {word: number for number, word in enumerate(_NUMERALS.split())}
_SPELLED_FORM = re.compile(rf"\b({'|'.join(_SPELLED)})\b", re.IGNORECASE)
_CAPITAL = r"(?:[A-Z][\w&'’.-]*[\w&]|[A-Z]\.?)"
_ROLES = frozenset(
    words("chief officer president director manager chairman secretary executive board committee")
    + words("department company corporation inc ltd llc case court section agreement act form")
)
_TITLE = r"(?:(?:Mrs?|Ms|Dr|Prof)\.?\s+)"
_PROPER = re.compile(
    rf"{_TITLE}?{_CAPITAL}(?:(?:\s+(?:of|the|and|de|von|van|for|&))*\s+{_CAPITAL})*"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"\b(?:https?://|www\.)[^\s|,;)]+", re.IGNORECASE)
_PHONE = re.compile(r"(?<!\w)\+?\(?\d[\d ()./-]{6,}\d(?!\w)")


class Found(msgspec.Struct, frozen=True):
    """A value in a text: its range there, how it reads, and as a number where it is one."""

    start: int
    end: int
    text: str
    number: float | None = None
    percent: bool = False
    money: bool = False


def find_values(text: str, question: Question) -> list[Found]:
    """The values in a text that could answer a question of this kind, in order."""
    match question.kind:
        case "count":
            return [found for found in find_numbers(text) if not found.percent]
        case "amount":
            return find_numbers(text)
        case "percentage":
            return [found for found in find_numbers(text) if not found.money]
        case "money":
            return [found for found in find_numbers(text) if not found.percent]
        case "measure":
            return _find_measures(text, question.unit)
        case "date":
            return _matches(_GRAINS.get(question.grain, _DATE), text)
        case "person":
            return [found for found in find_names(text) if not _is_role(found.text)]
        case "place":
            return find_names(text)
        case "contact":
            return _find_contacts(text, question)
        case _:
            return []


def _is_role(name: str) -> bool:
    """Whether capitalised words are an office or a body rather than somebody's name."""
    return any(word in _ROLES for word in words(name))


def find_numbers(text: str) -> list[Found]:
    """Numbers as digits, or as words up to twelve; not those of figures, pages or list items."""
    found = [
        _number(match)
        for match in _NUMBER.finditer(text)
        if not _IS_LABEL.search(text[: match.start("digits")])
        and not (match.start("digits") < 3 and _IS_ENUMERATOR.match(text))
    ]
    spelled = [
        Found(m.start(), m.end(), m.group(), float(_SPELLED[m.group().casefold()]))
        for m in _SPELLED_FORM.finditer(text)
    ]
    return sorted(found + spelled, key=lambda value: value.start)


def _number(match: re.Match[str]) -> Found:
    unit = (match["unit"] or "").strip().casefold()
    number = float(match["digits"].replace(",", ""))
    start = match.start("currency") if match["currency"] else match.start("digits")
    if match["sign"] in ("-", "−"):
        number, start = -number, match.start("sign")
    return Found(
        start,
        match.end(),
        match.string[start : match.end()].strip(),
        number,
        percent=unit == "%" or unit.startswith("per"),
        money=bool(match["currency"]) or unit in _CURRENCIES,
    )


def number_of(text: str) -> float | None:
    """The number that a whole text is, such as a cell: brackets or a minus make it negative, words
    of scale count; None where it is none or says more."""
    plain = " ".join(text.split()).rstrip("*†")
    bracketed = _BRACKETED.fullmatch(plain)
    inner = "".join(bracketed.groups("")) if bracketed else plain
    found = _NUMBER.fullmatch(inner)
    if found is None:
        return None
    number = float(found["digits"].replace(",", "")) * scale_of(found["unit"] or "")
    return -number if bracketed or (found["sign"] or "").strip() else number


def scale_of(unit: str) -> float:
    """What a word of scale stands for; 1 for others."""
    return _SCALES.get(unit.strip().casefold(), 1.0)


def find_names(text: str) -> list[Found]:
    """Runs of capitalised words, without a stop word that opens a sentence."""
    names = []
    for match in _PROPER.finditer(text):
        start, end = match.span()
        first = match.group().split()[0]
        if fold(first) in STOP:
            start += len(first)
            start += len(text[start:end]) - len(text[start:end].lstrip())
        if end - start > 1 and any(char.islower() or char.isupper() for char in text[start:end]):
            names.append(Found(start, end, text[start:end]))
    return names


def _find_measures(text: str, units: str) -> list[Found]:
    """Numbers with one of the units behind, or in a heading before ("Memory (days): 40")."""
    number = rf"(?:-?\d[\d.,]*|\b(?:{'|'.join(_SPELLED)})\b)"
    form = re.compile(
        rf"(?<![\w.]){number}(?:\s?(?:to|-|–)\s?{number})?[\s-]?(?:{units})(?![\w/])", re.I
    )
    return _matches(form, text)


def _find_contacts(text: str, question: Question) -> list[Found]:
    asked = fold(question.text)
    if "mail" in asked:
        return _matches(_EMAIL, text)
    if "web" in asked or "url" in asked:
        return _matches(_URL, text)
    return [found for found in _matches(_PHONE, text) if not _DATE.search(found.text)]


def _matches(form: re.Pattern[str], text: str) -> list[Found]:
    return [Found(match.start(), match.end(), match.group()) for match in form.finditer(text)]


def shown(found: Found) -> str:
    """A value as it reads in an answer: with its sign of percent, where only a header has it."""
    return f"{found.text}%" if found.percent and "%" not in found.text else found.text


def typed(found: Found, kind: Kind) -> tuple[Value, AnswerFormat]:
    """The value and its format as an Answer holds them; amounts keep their currency."""
    if found.number is None or (kind in ("money", "amount") and found.money):
        return found.text, "str"
    whole = found.number == int(found.number)
    if whole and (kind == "count" or not found.percent):
        return int(found.number), "int"
    return found.number, "float"


def split_list(text: str) -> Iterator[str]:
    """The members of an enumeration: "a, b, and c" or "a; b"."""
    separator = r"\s*;\s*" if ";" in text else r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|&)\s+"
    for part in re.split(separator, text.strip().rstrip(".")):
        if words(part):
            yield part.strip()
