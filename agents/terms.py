"""Words as questions and passages are compared by: folded, with plain endings taken off."""

from __future__ import annotations

import functools
import re
import unicodedata

# Words that say nothing about the subject, and those that only speak of asking and of documents.
_STOP_WORDS = """
    a an the of in on at by for from to with within into onto and or but nor as is are was were be
    been being am do does did done has have had having will would can could shall should may might
    must it its this that these those there here they them their he she his her you your we our us
    i my me if then than so such not no any all each every both some same also only just very more
    most what which who whom whose when where why how much many please give tell write list answer
    anwser enumerate according per based about regarding mentioned shown document report paper slide
    slides page pages following above below between among during while name names s t vs etc fy
"""
STOP = frozenset(_STOP_WORDS.split())
# Verbs that say little about what is asked.
_WEAK_WORDS = """
    need use make take get give show provide include contain find know mean become begin start come
    go occur happen call say state tell consider determine belong relate follow
"""
_WORD = re.compile(
    r"(?<!\w)[^\W\d_]{1,3}\d{1,3}(?!\w)|\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\W_]+"
)


def fold(text: str) -> str:
    """Compatibility forms undone, lower case, accents kept."""
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def words(text: str) -> list[str]:
    """The words and numbers of a text in order, as compared; "1,358" and "1358" are one."""
    return [_compared(word) for word in _WORD.findall(text)]


def located_words(text: str) -> list[tuple[str, int, int]]:
    """As `words`, each with its start and end in `text`."""
    return [
        (_compared(match.group()), match.start(), match.end()) for match in _WORD.finditer(text)
    ]


@functools.lru_cache(maxsize=1 << 16)
def _compared(word: str) -> str:
    return stem(fold(word))


def content_words(text: str) -> list[str]:
    """The words of a text that are not stop words."""
    return [
        _compared(word)
        for word in _WORD.findall(text)
        if (folded := fold(word)) not in STOP and (len(folded) > 1 or folded.isdigit())
    ]


def stem(word: str) -> str:
    """A folded word without plural, possessive, -ed and -ing; a number without its commas."""
    if word[0].isdigit():
        return re.sub(r",(?=\d{3})", "", word)
    word = word.removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("sses", "ing", "ed", "es", "s", "e"):
        if ending == "ed" and word.endswith("eed"):
            continue
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            kept = word[: len(word) - len(ending)]
            if ending == "sses":
                return kept + "ss"
            return kept[:-1] if kept[-1] == kept[-2] and kept[-1] not in "ls" else kept
    return word


WEAK = frozenset(map(stem, _WEAK_WORDS.split()))
