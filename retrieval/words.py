"""Words of a text as search terms: what is compared, for any script, and what is left out."""

from __future__ import annotations

import functools
import hashlib
import re
import sys
import unicodedata
from collections.abc import Iterable
from typing import Any

import numpy as np

Hashes = np.ndarray[Any, np.dtype[np.uint64]]

# Scripts written without blanks (Han, kana, Thai, Lao, Khmer, Burmese) and Hangul, whose particles
# stick to the word: their terms are pairs of characters.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)

_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")
_POSSESSIVE = re.compile(r"(?<=\w)['’][sS]\b")

# Words that carry no meaning alone: never searched.
_FUNCTION_WORDS = """
a an and are as at be been being but by can could did do does doing for from had has have having he
her him his how i if in into is it its itself just me my no nor not of off on or our out over own
she should so some such than that the their them then there these they this those through to too
under until up us was we were what when where which while who whom whose why will with within would
you your
"""
# Words that questions are made of: they say what is asked more than where it stands.
_FAINT_WORDS = """
about according all also am among answer any based both directly document down each either else etc
every following format further give given gives here hers let list many may mention mentioned might
more most much must one only other page pages paper per please provide report same shall show shown
shows slide slides tell very write
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
FAINT_WORDS = frozenset(_FAINT_WORDS.split())
FAINT_WEIGHT = 0.25
FORM_WEIGHT = 0.3

# Endings of inflected words with those of their stems; endings of stems, how many letters of them
# go, and what is put on.
_ENDINGS = [("ies", "y"), ("es", ""), ("s", ""), ("ied", "y"), ("ed", ""), ("ed", "e")]
_ENDINGS += [("ing", ""), ("ing", "e")]
_FORMS = [("", 0, ""), ("", 0, "s"), ("", 0, "es"), ("", 0, "ed"), ("", 0, "ing")]
_FORMS += [("y", 1, "ies"), ("y", 1, "ied"), ("e", 1, "ed"), ("e", 1, "ing")]


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
    """About how many words a text has, by its blanks, or by its length where there are few."""
    blanks = len(text.replace(" | ", " ").split())
    unspaced = 0 if text.isascii() else len(_UNSPACED_CHARACTER.findall(text))
    return max(blanks + unspaced, len(text) // 12)


def term_hashes(text: str) -> Hashes:
    """Hashes of the terms of a text: its words but for function words, and pairs of neighbours.

    Pairs leave out function words and faint words: "rate of return" holds the pair "rate return".
    """
    found = [word for word in words(text) if word not in FUNCTION_WORDS]
    strong = _hashes(word for word in found if word not in FAINT_WORDS)
    faint = _hashes(word for word in found if word in FAINT_WORDS)
    return np.concatenate((strong, _pairs(strong), faint))


def query_weights(text: str) -> dict[int, float]:
    """The hashes of a question's terms, and of other forms of its words, and how much each counts.

    Forms weigh little: they find what is said otherwise and leave what is said alike in front.
    """
    weights: dict[int, float] = {}
    for word in words(text):
        if word not in FUNCTION_WORDS and word not in FAINT_WORDS:
            weights |= {term_hash(form): FORM_WEIGHT for form in other_forms(word)}
    weights |= {int(key): 1.0 for key in np.unique(term_hashes(text))}
    weights |= {term_hash(word): FAINT_WEIGHT for word in words(text) if word in FAINT_WORDS}
    return weights


def other_forms(word: str) -> list[str]:
    """Other inflections that an English word may have; many of them are no words."""
    if len(word) <= 3 or not (word.isascii() and word.isalpha()):
        return []
    stems = [word] + [word[: -len(end)] + put for end, put in _ENDINGS if word.endswith(end)]
    return sorted(
        {
            stem[: len(stem) - cut] + end
            for stem in stems
            if len(stem) > 2
            for ending, cut, end in _FORMS
            if stem.endswith(ending)
        }
        - {word}
    )


@functools.lru_cache(maxsize=1 << 16)
def term_hash(term: str) -> int:
    """64 bits of a term, the same on every machine."""
    return int.from_bytes(
        hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest(), "little"
    )


def _hashes(found: Iterable[str]) -> Hashes:
    return np.fromiter((term_hash(word) for word in found), np.uint64)


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
