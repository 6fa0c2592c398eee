"""Names of companies without what is printed beside them, and text without its label."""

from __future__ import annotations

import re

# NAME (12345-X), NAME 273500-U, NAME (Company No. 201901000005), NAME HRB 12345
_NUMBER_IN_BRACKETS = r"\(\s*(?:[A-Z]{1,3}\s?)?\d[\d\s]{2,13}\s*[-–]?\s*[A-Z]?\s*\)"
_BARE_NUMBER = r"\b\d{5,8}\s?[-–]\s?[A-Z]\b|\b\d{5,8}[A-Z]\b"
_NAMED_NUMBER = (
    r"[(\[]?\b(?:(?:CO|COMPANY|BUSINESS|BIZ)\b\.?\s*)?(?:COMPANY|REG(?:ISTRATION|N)?|ROC|UEN|ABN|ACN|GST|VAT|"
    r"TAX|TIN|NPWP|SST|HRB|HRA|SIREN|SIRET|KVK|CIF|NIF|UST|P\.?\s?IVA|CVR|EIN|CO)\b[-.\s]*"
    r"(?:IDNR|ID|NO|NR|NUM(?:BER)?)?\.?\s*[:#]?\s*[A-Z]{0,3}[-\s]?\d[\w\s./-]{3,}"
)
_REGISTRATION = re.compile(rf"{_NUMBER_IN_BRACKETS}|{_BARE_NUMBER}|{_NAMED_NUMBER}", re.IGNORECASE)
# A name of its own, two words and more, that ends in its legal form: TRI SHAAS SDN. BHD.
_LEGAL_NAME = re.compile(
    r"(?!&|AND\b|CO\b)(?:(?!(?:SDN|PTE|PVT|PTY)\b)[^\W\d_][\w.'-]*\s+(?:&\s+)?){2,}(?:\([^()]*\)\s*)?"
    r"(?:SDN\.?\s*BHD|S/B|BHD|(?:PTE|PVT|PTY)\.?\s*LTD|LTD|LIMITED|L\.?L\.?C|INC|PLC|GMBH|AG|KG|"
    r"S\.?A\.?R\.?L|S\.?R\.?L|S\.?P\.?A|S\.?A\.?S|B\.?V|N\.?V|AB|OY|A/S|APS|KFT|S\.?R\.?O|D\.?O\.?O|"
    r"SP\.?\s*Z\s*O\.?\s?O|TBK)\.?",
    re.IGNORECASE,
)
_CONTACT = re.compile(
    r"\W*(?:tel(?:ephone|\.|\b)|fax|phone|mobile|hp\s?no|e-?mail|web|www\.|https?:|\S+@\S+$|"
    r"(?:vat|gst|sst|tax|abn|ust|npwp|siret|siren|reg|roc|co)\b[\w.\s-]{0,12}?"
    r"(?:no|nr|id|reg|num|number)?\b[.:#\s-]*[a-z]{0,3}[\s-]?\d)",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]")
_NUMBERING = re.compile(
    r"^\d{1,2}\s?(?:[a-d]\b\.?\s*|\.(?:\s+|(?=[^\W\d_])))(?=[^\W_])|^\d\s+(?=[^\W\d_]{2})"
)
_MOST_LABEL_WORDS = 4
_LABEL = re.compile(r"^[^\d:]{2,40}:\s*(?=\S)")
_NUMBER_SIGNS = frozenset({"NO", "NR", "N", "ID", "NUM", "REF"})
_CODE_PREFIX = re.compile(r"[A-Z]{1,3}")


def company_name(text: str) -> str:
    """The name without the registration number and what follows it."""
    for match in _REGISTRATION.finditer(text):
        before = text[: match.start()]
        if len(_LETTERS.findall(before)) >= 3:
            text = before
            break
    return text.strip(" ,;:-–([")


def legal_names(names: list[str]) -> list[str]:
    """Of the lines of a company's name those that are its whole legal name, as below the name of a
    shop; all of them where none is, or several are."""
    legal = [name for name in names if _LEGAL_NAME.fullmatch(name)]
    return legal if len(legal) == 1 else names


def is_contact(line: str) -> bool:
    """Whether a line gives a number or a net address of its own, not a postal address."""
    return bool(_CONTACT.match(line))


def without_label(text: str) -> str:
    """The text without a number or a label in front of it, as in "8. Place of birth: Aldern"."""
    text = _NUMBERING.sub("", text.strip())
    match = _LABEL.match(text)
    if match and len(match[0].split()) <= _MOST_LABEL_WORDS:
        text = text[match.end() :]
    return text.strip(" :")


def code(text: str) -> str:
    """The code in a text: without its label, from the first word with a digit, and letters just
    before it ("Passport no. AB 123456"); "" without a digit."""
    words = without_label(text).split()
    first = next((at for at, word in enumerate(words) if any(map(str.isdigit, word))), len(words))
    if (
        0 < first < len(words)
        and _CODE_PREFIX.fullmatch(words[first - 1])
        and words[first - 1] not in _NUMBER_SIGNS
    ):
        first -= 1
    return " ".join(words[first:]).lstrip("#:")
