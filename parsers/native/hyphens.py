"""Lines joined to running text, hyphenation undone only where there is evidence for it.

A word cut at a line end is joined when it has a soft hyphen, or when the joined word stands
elsewhere in the document. Parts that stand hyphenated elsewhere keep the hyphen. In between, the
first part decides: where it is no word of the document, it is a syllable; in a document of many
words the second part tells as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from docpipe.records import Table, TextBlock
from docpipe.stages import Draft

SOFT_HYPHEN = "\u00ad"
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*(?:[-‐‑][^\W\d_]+)*")
_TAIL = re.compile(r"([^\W\d_]{2,})[-‐\u00ad]$")
_HEAD = re.compile(r"^([^\W\d_]{2,}(?:['’][^\W\d_]+)*)")
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\u3000-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")

_RICH = 1500  # words of a document from which one that stands nowhere in it is hardly a word

# First parts of compounds: short words that are seldom seen alone in a short text.
_COMPOUNDING = frozenset(
    re.findall(
        r"\w+",
        "all anti cost cross ex far full half hard high ill in large late left long low many mid "
        "multi near new non off old on one open over part per post pre right self semi short "
        "single small so state then three time two under up well wide world year",
    )
)


class Vocabulary(msgspec.Struct, frozen=True):
    """The words of a document, lower case: those with a hyphen inside apart."""

    words: frozenset[str]
    hyphenated: frozenset[str]

    @classmethod
    def of(cls, pages: Iterable[Iterable[Draft]]) -> Vocabulary:
        words: set[str] = set()
        hyphenated: set[str] = set()
        for line in _whole_lines(pages):
            for found in _WORD.findall(line.casefold()):
                (hyphenated if "-" in found or "‐" in found else words).add(found)
        return cls(frozenset(words), frozenset(hyphenated))

    def joins(self, first: str, second: str) -> bool:
        """Whether a hyphen between these parts at a line end only marks the break."""
        first, second = first.casefold(), second.casefold()
        if f"{first}-{second}" in self.hyphenated:
            return False
        if first + second in self.words:
            return True
        if first in _COMPOUNDING:
            return False
        return first not in self.words or (len(self.words) > _RICH and second not in self.words)


def _whole_lines(pages: Iterable[Iterable[Draft]]) -> Iterable[str]:
    """Lines of text without the word parts that stand at a broken line's ends."""
    for drafts in pages:
        for draft in drafts:
            block = draft.block
            if isinstance(block, TextBlock):
                broken = False
                for line in (block.raw or block.text).split("\n"):
                    whole = _HEAD.sub("", line) if broken else line
                    broken = _TAIL.search(line) is not None
                    yield _TAIL.sub("", whole)
            elif isinstance(block, Table):
                yield from (cell.text for cell in block.cells)


def join_lines(lines: Sequence[str], vocabulary: Vocabulary) -> tuple[str, bool]:
    """The lines as one text, and whether any hyphen was taken away."""
    text, undone = "", False
    for line in lines:
        if not text:
            text = line
            continue
        joined, cut = join_pair(text, line, vocabulary)
        text, undone = joined, undone or cut
    inner = text.replace(SOFT_HYPHEN, "")
    return inner, undone or inner != text


def join_pair(text: str, line: str, vocabulary: Vocabulary) -> tuple[str, bool]:
    """`line` put behind `text`, and whether a hyphen was taken away."""
    tail, head = _TAIL.search(text[-80:]), _HEAD.search(line)
    if text.endswith(SOFT_HYPHEN):
        return text[:-1] + line, True
    if tail and head and tail[1].isupper() and head[1].isupper() and len(head[1]) > 1:
        joined = (tail[1] + head[1]).casefold() in vocabulary.words
        return (text[:-1] if joined else text) + line, joined
    if tail and head and head[1][:1].islower():
        if vocabulary.joins(tail[1], head[1]):
            return text[:-1] + line, True
        return text + line, False
    if text.endswith(("-", "‐", "–", "/")) and len(text) > 1 and not text[-2].isspace():
        return text + line, False
    blank = "" if _is_cjk(text[-1:]) and _is_cjk(line[:1]) else " "
    return text + blank + line, False


def _is_cjk(char: str) -> bool:
    return bool(_CJK.match(char)) and not _HANGUL.match(char)
