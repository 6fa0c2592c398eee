"""Words of a text as search terms: what is compared, for any script, and what is left out."""

from __future__ import annotations

import functools
import hashlib
import re
import sys
import unicodedata
from typing import Any

import numpy as np

Hashes = np.ndarray[Any, np.dtype[np.uint64]]

# Scripts written without blanks (Han, kana, Thai, Lao, Khmer, Burmese) and Hangul, whose particles
# stick to the word: their terms are pairs of characters.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)

_POSSESSIVE = re.compile(r"(?<=\w)['’][sS]\b")

# Function words, and the words questions are made of: they say what is asked, not where it stands.
_STOP_TEXT = """
    a about according all also am among an and any are as at be been being both but by can could did
    do does doing document down each either else etc every for from further give given gives had
    has have having he her here hers him his how i if in into is it its itself just let list many
    may me mention mentioned might more most much must my no nor not of off on one only or other
    our out over own page pages paper per please report same shall she should shown shows slide
    slides so some such tell than that the their them then there these they this those through to
    too under until up us very was we were what when where which while who whom whose why will
    with within would write you your answer format following directly based provide
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())


def normalize(text: str) -> str:
    """Case, accents, compatibility forms and possessive endings folded."""
    text = _POSSESSIVE.sub("", text)
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in decomposed if not "\u0300" <= char <= "\u036f")
    return unicodedata.normalize("NFKC", bare)


def words(text: str) -> list[str]:
    """All words of a text in order: numbers whole (`1,234.5` is `1234.5`), stop words included."""
    found: list[str] = []
    for match in _pattern().finditer(normalize(text)):
        word = match.group()
        if match.lastgroup == "number":
            found.append(word.replace(",", ""))
        elif match.lastgroup == "unspaced" and len(word) > 1:
            found.extend(word[index : index + 2] for index in range(len(word) - 1))
        else:
            found.append(word)
    return found


def word_count(text: str) -> int:
    """How many words a text has, characters counting where no blanks divide words."""
    return len(words(text))


def terms(text: str) -> list[str]:
    """The words of a text without stop words."""
    return [word for word in words(text) if word not in STOP_WORDS]


def term_hashes(text: str) -> Hashes:
    """Hashes of the terms of a text and of its pairs of adjacent terms, `(2n-1,)` for n terms."""
    single = np.array([term_hash(term) for term in terms(text)], dtype=np.uint64)
    return np.concatenate((single, _pairs(single)))


@functools.lru_cache(maxsize=1 << 16)
def term_hash(term: str) -> int:
    """64 bits of a term, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), "little")


def _pairs(single: Hashes) -> Hashes:
    first, second = single[:-1], single[1:]
    mixed = first * np.uint64(0x9E3779B97F4A7C15) ^ (second >> np.uint64(29))
    return (mixed + second) * np.uint64(0xD6E8FEB86659FD93)


@functools.cache
def _pattern() -> re.Pattern[str]:
    # Vowel signs of Indic and other scripts are no word characters to `re`, but part of words.
    marks = "".join(
        re.escape(chr(code))
        for code in range(0x0300, min(0x1F000, sys.maxunicode))
        if unicodedata.category(chr(code)) in ("Mn", "Mc")
    )
    letter = rf"(?:(?![{_UNSPACED}])[^\W_]|[{marks}])"
    return re.compile(
        rf"(?P<number>\d+(?:[.,]\d+)+)(?![^\W_])|(?P<unspaced>[{_UNSPACED}]+)|(?P<word>{letter}+)"
    )
