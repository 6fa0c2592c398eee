"""Texts to set: passages of Python's own documentation, titles, numbers, random characters.

The passages come with Python (PSF licence): the language reference in `pydoc_data` and docstrings
of the standard library. Every fifth source is held out, and a sentence that stands in a source of
either kind is left to the training alone.
"""

from __future__ import annotations

import ast
import random
import re
import string
import sysconfig
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from docpipe.datasets.docfusion.profiles import Profile, Split

PRINTABLE = "".join(map(chr, range(33, 127)))
_MODULES = """
    argparse asyncio/events asyncio/streams calendar codecs collections/__init__ configparser
    contextlib csv dataclasses datetime difflib doctest email/message email/policy enum
    fractions gettext gzip heapq html/parser http/client http/cookiejar imaplib inspect io
    json/__init__ locale logging/__init__ mailbox os pathlib pickle plistlib pprint queue
    random selectors shelve shutil smtplib socket socketserver statistics string subprocess
    tarfile tempfile textwrap threading timeit tokenize turtle urllib/parse urllib/request
    uuid wave weakref xml/dom/minidom zipfile
"""
_SENTENCE_END = re.compile(r"(?<=[.:!?])\s+(?=[A-Z\"'(])")
_MARKUP = re.compile(r"``|\*\*|^\s*(?:[-=~*^#+|]{3,}|>>>.*|\.\. .*)$", re.MULTILINE)
_SHORTEST = 20  # characters of a passage


def text(chance: random.Random, profile: Profile, most: int) -> str:
    """A text of 1 to `most` characters of printable ASCII, words apart by one blank."""
    if chance.random() < profile.random_share:
        return chance.choice((random_characters, numbers))(chance, most)
    found = running(chance, profile.split, most)
    kind = chance.random()
    if kind < 0.08:
        return found.upper()
    if kind < 0.16:
        return found.title()
    if kind < 0.26:
        return f"{numbers(chance, 8)} {found}"[:most].rstrip()
    return found


def running(chance: random.Random, split: Split, most: int) -> str:
    """Words that follow one another in a passage; lengths up to `most`, long ones more often."""
    words = chance.choice(passages(split)).split()
    target = max(1, round(most * max(chance.random(), chance.random())))
    start = chance.randrange(len(words))
    return fitting(words[start:] + words[:start], max(target, min(len(words[start]), most)))


def fitting(words: list[str], most: int) -> str:
    """As many of the first words as fit into `most` characters; the first word is cut to fit."""
    line = words[0][:most]
    for word in words[1:]:
        if len(line) + 1 + len(word) > most:
            break
        line += f" {word}"
    return line


def few_words(chance: random.Random, profile: Profile, most: int) -> str:
    """One or two words: what reading begins with."""
    words = text(chance, profile, max(most, 12)).split()
    start = chance.randrange(len(words))
    return fitting(words[start : start + chance.randint(1, 2)], most)


def random_characters(chance: random.Random, most: int) -> str:
    """Characters without sense, in groups."""
    alphabet = chance.choice((PRINTABLE, PRINTABLE, string.ascii_letters + string.digits))
    target = chance.randint(1, most)
    groups: list[str] = []
    while sum(map(len, groups)) + len(groups) < target:
        groups.append("".join(chance.choices(alphabet, k=chance.randint(1, 10))))
    return " ".join(groups)[:target].strip() or chance.choice(alphabet)


def numbers(chance: random.Random, most: int) -> str:
    """Amounts, shares, dates, times and codes, as many as fit."""
    return fitting([_number(chance) for _ in range(chance.randint(1, 1 + most // 6))], most)


def _number(chance: random.Random) -> str:
    n = chance.randint
    value = chance.random() * 10 ** n(1, 7)
    made = (
        f"{value:,.2f}",
        f"{value:.{n(0, 4)}f}",
        f"({value:,.{n(0, 1)}f})",
        f"{n(0, 1000) / 10}%",
        f"{chance.choice('$-+#<>~')}{value:,.0f}",
        f"{n(1, 28):02}/{n(1, 12):02}/{n(1950, 2039)}",
        f"{n(1950, 2039)}-{n(1, 12):02}-{n(1, 28):02}",
        f"{n(0, 23)}:{n(0, 59):02}",
        f"[{n(1, 99)}]",
        f"{chance.choice(string.ascii_uppercase)}{n(1, 99)}-{n(0, 99999):05}",
    )
    return chance.choice(made)


@lru_cache(maxsize=2)
def passages(split: Split) -> tuple[str, ...]:
    """Sentences of the sources of this split, printable ASCII alone, none in both splits."""
    found = dict.fromkeys(
        sentence
        for name, source in _sources()
        if is_held_out(name) == (split == "held_out")
        for sentence in _sentences(source)
    )
    if split == "held_out":
        trained = frozenset(passages("train"))
        return tuple(sentence for sentence in found if sentence not in trained)
    return tuple(found)


def is_held_out(source: str) -> bool:
    """Decided by the source's name, so that it stays when sources are added."""
    return zlib.crc32(source.encode()) % 5 == 0


def _sources() -> Iterator[tuple[str, str]]:
    from pydoc_data.topics import topics

    yield from topics.items()
    library = Path(sysconfig.get_paths()["stdlib"])
    for module in _MODULES.split():
        path = library / f"{module}.py"
        if path.is_file():
            yield module, "\n\n".join(_docstrings(path))


def _docstrings(path: Path) -> Iterator[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, documented) and (found := ast.get_docstring(node)):
            yield found


def _sentences(source: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", _MARKUP.sub("", source)):
        for sentence in _SENTENCE_END.split(" ".join(paragraph.split())):
            if len(sentence) >= _SHORTEST and sentence.isascii() and sentence.isprintable():
                yield sentence
