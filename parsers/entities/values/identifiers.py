"""Identifiers with check digits: bank accounts, banks, tax numbers, and their findings in text."""

from __future__ import annotations

import re

_IBAN = re.compile(r"\b[A-Z]{2}\s?\d{2}(?:\s?[A-Z0-9]){11,30}", re.IGNORECASE)
_BIC = re.compile(r"\b[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?\b")
_TAX_ID = re.compile(
    r"(?<![A-Za-z\d])(?:[A-Z]{2,3}\s(?=\d\d)|[A-Z]{0,3}-?)\d"
    r"(?:[./ -]?(?:\d|[A-Z](?=\d))|[A-Z](?![a-z])){4,18}"
    r"(?:\s(?:MVA|MWST|TVA|IVA|VAT|RT\d{4})\b)?"
)
_PREFIXES = frozenset({"GB", "XI", "EL", "CH", "CHE", "NO"})


def iban(text: str) -> tuple[str | None, str | None]:
    """The account in a text, and a note where its check digits are wrong or there is none."""
    from stdnum import iban as checker

    found = _IBAN.search(text)
    if found is None:
        return None, "no_iban"
    compact = re.sub(r"\s", "", found[0]).upper()
    for end in range(len(compact), 14, -1):  # words that follow are no part of it
        if checker.is_valid(compact[:end], check_country=False):
            return compact[:end], None
    return compact, "check_digits: not those of an IBAN"


def bic(text: str) -> tuple[str | None, str | None]:
    """The bank code in a text, and a note where there is none."""
    from stdnum import bic as checker

    for found in _BIC.finditer(text.upper()):
        if checker.is_valid(found[0]):
            return found[0], None
    return None, "no_bic"


def tax_id(text: str) -> tuple[str | None, str | None]:
    """The tax number in a text; a note where it begins as a VAT number of the EU but is none."""
    from stdnum.eu import vat

    candidates = [
        _without_word(
            match[0].strip(), {*(state.upper() for state in vat.MEMBER_STATES), *_PREFIXES}
        )
        for match in _TAX_ID.finditer(text)
        if _has_digits(match[0])
    ]
    if not candidates:
        return None, "no_tax_id"
    for candidate in candidates:
        if vat.is_valid(candidate):
            return str(vat.compact(candidate)), None
    longest = max(candidates, key=lambda candidate: sum(map(str.isdigit, candidate)))
    compact = re.sub(r"[\s.-]", "", longest)
    if compact[:2].lower() in vat.MEMBER_STATES and compact[2:].isdigit():
        return compact, f"check_digits: not those of a VAT number of {compact[:2]}"
    return longest, None


def _without_word(text: str, countries: set[str]) -> str:
    """A number without a word in front of it that is no country, such as NIP."""
    word, blank, rest = text.partition(" ")
    return rest if blank and word.isalpha() and word not in countries else text


def _has_digits(text: str) -> bool:
    return sum(map(str.isdigit, text)) >= 5
