"""Words of questions and pages as they are compared, numbers in quotes, and shortened names."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
_NUMBER = re.compile(r"(?P<minus>[-–−(])?[$€£ ]*(?P<digits>\d[\d,]*(?:\.\d+)?) ?%?\)?")
_STOP_WORDS = """
    a an the of in on at by for from to with within into and or but nor as is are was were be been
    it its this that these those there their they we our you your he she his her not no can may will
    which what who when where how if then than so such all any each also
"""
_STOP = frozenset(_STOP_WORDS.split())
_FEWEST_WORDS = 3
_MOST_WORDS = 12


def words(text: str) -> list[str]:
    return [match.group().casefold() for match in _WORD.finditer(text)]


def key_words(text: str) -> frozenset[str]:
    """The words of a text that tell where it stands."""
    return frozenset(word for word in words(text) if word not in _STOP)


def number(text: str) -> float | None:
    """The number that a quote is ("1,380", "$4.50", "12 %", "(3.1)"), or None for other text."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    value = float(match["digits"].replace(",", ""))
    return -value if match["minus"] else value


def written(value: float) -> str:
    """A number as a key has it: without the noise of binary fractions."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def has_name(text: str) -> bool:
    """Whether a text can stand for what it is about: letters, and no bare beginning of a clause."""
    first = text.split()[0] if text.split() else ""
    return bool(key_words(text)) and not first.endswith(("ing", "ly"))


def one_line(text: str) -> str:
    return " ".join(text.split())


def shortened(text: str, rng: Random, fits: Callable[[str], bool]) -> str:
    """Some of the words of a name, in their order: words are dropped from either end, as long as
    what is left `fits`. "" where not even its first words do."""
    parts = text.split()[:_MOST_WORDS]
    if not fits(" ".join(parts)):
        return ""
    for _ in range(rng.randrange(len(parts) + 1)):
        left = parts[1:] if rng.random() < 0.5 else parts[:-1]
        if len(left) < _FEWEST_WORDS or not fits(" ".join(left)):
            break
        parts = left
    while parts and not key_words(parts[0]):
        parts = parts[1:]
    while parts and not key_words(parts[-1]):
        parts = parts[:-1]
    return " ".join(parts).strip(" ,.;:-–")
