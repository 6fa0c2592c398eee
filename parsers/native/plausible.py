"""How far a text looks like writing: statistics that hold for every language docpipe can meet.

No dictionary and no language is assumed. A word is held against what all alphabets share: it has
vowels, its consonants do not pile up, it is of one script, and digits and marks stand beside its
letters and not among them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

REPLACEMENT = "\ufffd"

_EDGES = "()[]{}<>«»„“”‚‘’\"'`.,;:!?…*†‡§•·–—-_=+/\\|#%$€£¥°©®™^~&@"
_LETTERS = r"[^\W\d_]"
_PLAIN = re.compile(rf"{_LETTERS}+(?:[-‐–—'’/&.]{_LETTERS}+)*")
_NUMBER = re.compile(r"[^\w\s]*\d[\d.,:/%‰°×xX()–—+-]*(?:st|nd|rd|th|s|[a-zA-Z]{0,3})")
_ADDRESS = re.compile(r"://|www\.|@|\.(?:com|org|net|edu|gov|html?|pdf)\b|^10\.\d{4}", re.I)
_DIGIT_INSIDE = re.compile(rf"{_LETTERS}*[^\W\d_A-Z]\d[^\W\d_A-Z]{_LETTERS}*")
_MARK_INSIDE = re.compile(r"[^\W\d_][.,;:!?*|~^<>=$#%\\\"«»{}\[\]][^\W\d_A-Z]")
_MOJIBAKE = re.compile("[ÃÂ][\x80-¿]|â€|Ã[©¨¤¶¼]|ï¿½")
_VOWELS = frozenset("aeiouyæœøıаеёиоуыэюяіїєαεηιουω")
_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK")  # alphabets that write their vowels
_IDEOGRAPHIC = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "FULLWIDTH", "HALFWIDTH", "IDEOGRAPHIC")
_NEVER = re.compile("q[b-df-hj-np-tv-z]|[bfghjkmpvwxz]q|w[qvx]|x[jqvz]")  # in no Latin language
_MAX_CONSONANTS = 6
_ONCE = frozenset(("long", "unpronounceable"))  # a page may say a strange name many times
_LONG = 4  # letters from which a word should have a vowel


class Plausibility(msgspec.Struct, frozen=True):
    """Shares, 0 to 1, over the words of a text, and what they are shares of."""

    characters: int
    words: int  # that have a letter or a digit
    long_words: int  # different ones: letters alone, at least four, in an alphabet with vowels
    replaced: int  # characters U+FFFD
    private: int  # private-use and unassigned characters inside words
    odd: float  # share of words with marks, digits or private characters among their letters
    digits_inside: float  # share of words with one digit among small letters
    unpronounceable: float  # share of long words without vowels or with impossible consonants
    mixed: float  # share of words that mix scripts
    garbled: int  # signs of UTF-8 read as another encoding
    marks: float  # share of characters that are neither letters nor digits nor leaders
    different_marks: int


def plausibility(words: Sequence[str]) -> Plausibility:
    counts: Counter[str] = Counter()
    characters = Counter("".join(words))
    marks = [char for char in characters if _is_mark(char)]
    for word, times in Counter(words).items():
        for mark in _marks(word):
            counts[mark] += 1 if mark in _ONCE else times
    return Plausibility(
        characters=characters.total(),
        words=counts["word"],
        long_words=counts["long"],
        replaced=characters[REPLACEMENT],
        private=counts["private"],
        odd=counts["odd"] / max(counts["word"], 1),
        digits_inside=counts["digit_inside"] / max(counts["word"], 1),
        unpronounceable=counts["unpronounceable"] / max(counts["long"], 1),
        mixed=counts["mixed"] / max(counts["word"], 1),
        garbled=counts["garbled"],
        marks=sum(characters[char] for char in marks) / max(characters.total(), 1),
        different_marks=len(marks),
    )


def _is_mark(char: str) -> bool:
    """Whether a character is neither letter nor digit; leaders, blanks to fill in and bullets, of
    which there may be many, are not counted."""
    return unicodedata.category(char)[0] in "PS" and char not in f".…·•_{REPLACEMENT}"


@lru_cache(maxsize=50_000)
def _marks(word: str) -> tuple[str, ...]:
    """What there is to say of a word."""
    core = word.strip(_EDGES)
    if not core.isascii():
        core = "".join(char for char in core if unicodedata.category(char)[0] != "M")
    if not core:
        return ()
    if core.isascii() and core.isalpha():
        return _marks_of_letters(core)
    if _NUMBER.fullmatch(core):
        return ("word",)
    return tuple(_marks_of_mixture(core))


def _marks_of_letters(letters: str) -> tuple[str, ...]:
    if len(letters) < _LONG:
        return ("word",)
    return ("word", "long", "unpronounceable") if _is_unpronounceable(letters) else ("word", "long")


def _marks_of_mixture(core: str) -> Iterable[str]:
    yield "word"
    private = len(core) > 1 and any(unicodedata.category(char) in ("Co", "Cn") for char in core)
    if private:
        yield "private"
    if _MOJIBAKE.search(core):
        yield "garbled"
    if _ADDRESS.search(core):
        return
    if _PLAIN.fullmatch(core):
        for part in re.findall(rf"{_LETTERS}+", core):
            scripts = _scripts(part)
            if len(scripts) > 1:
                yield "mixed"
            elif len(part) >= _LONG and scripts <= set(_ALPHABETS):
                yield "long"
                if _is_unpronounceable(part):
                    yield "unpronounceable"
        return
    if _DIGIT_INSIDE.fullmatch(core) and len(core) > _LONG:
        yield "digit_inside"
    if private or REPLACEMENT in core or _MARK_INSIDE.search(core) or _is_salad(core):
        yield "odd"


def _is_salad(core: str) -> bool:
    """Whether letters, digits and marks take turns more often than in any code or formula.

    Scripts that set no blanks between words make whole clauses of one "word": not judged.
    """
    if any(char >= "\u2e80" and _script(char) == "CJK" for char in core):
        return False
    kinds = "".join("l" if c.isalpha() else "d" if c.isdigit() else "m" for c in core)
    changes = sum(left != right for left, right in pairwise(kinds))
    return changes >= 4 or ("m" in kinds and "l" in kinds and changes >= 3)


def _is_unpronounceable(letters: str) -> bool:
    small = letters.lower()
    if _NEVER.search(small):
        return True
    run = longest = vowels = 0
    for char in unicodedata.normalize("NFD", small):
        if char in _VOWELS:
            vowels += 1
            run = 0
        elif char.isalpha():
            run += 1
            longest = max(longest, run)
    return vowels == 0 or longest >= _MAX_CONSONANTS


def _scripts(letters: str) -> set[str]:
    found = {_script(char) for char in letters}
    return found - {""}


@lru_cache(maxsize=10_000)
def _script(char: str) -> str:
    """The script of a letter; one name for those that are written together."""
    name = unicodedata.name(char, "UNASSIGNED").split(" ")[0].split("-")[0]
    if name in _IDEOGRAPHIC:
        return "CJK"
    return "" if name in ("MODIFIER", "MICRO", "FEMININE", "MASCULINE", "COMBINING") else name
