"""Text as it leaves a file: without characters that break JSON, terminals or comparison."""

from __future__ import annotations

import re
import unicodedata

# NUL and the other C0/C1 controls but tab and newline, lone surrogates, non-characters, BOM.
_BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\ufeff]")
# Latin and Armenian ligatures, Hebrew and Arabic presentation forms: shapes, not characters.
_SHAPES = "\ufb00-\ufb4f\ufb50-\ufdcf\ufdf0-\ufdfc\ufe70-\ufefc"
_LIGATURES = re.compile(f"[{_SHAPES}]+")
_ODD = re.compile(f"{_BAD.pattern[:-1]}{_SHAPES}]")


def clean(text: str) -> str:
    """`text` without control characters and lone surrogates, ligatures spelt out.

    U+FFFD stays: it says that a character could not be read.
    """
    if text.isascii() and text.isprintable():
        return text
    if not _ODD.search(text):
        return text
    text = _BAD.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n"))
    return _LIGATURES.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
