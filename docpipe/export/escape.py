"""Escaping of literal text for Markdown (CommonMark with GitHub's tables and strikethrough).

What the document says must come out of any renderer as it stands, and must read well unrendered:
a character is escaped only where it would act as markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from docpipe.export.links import TextLink
from docpipe.export.text import lines, one_line

_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~]|\n|\Z)")
_LINK_END = re.compile(r"\](?=[(\[])|\[(?=\^)")
_MATH_OPEN = re.compile(r"\$(?=[^\s$])|\$\$")
_MATH_CLOSE = re.compile(r"(?<=[^\s$])\$(?!\d)|\$\$")
_LINE_START = re.compile(
    r"""(?: (?P<delimiter>\d{1,9}(?=[.)](?:\s|$)))   # ordered list: escape what follows the number
          | \#{1,6}(?=\s|$) | > | [-+*](?=\s|$) | (?:=+|-+)\s*$
          | ([-*_])(?:\s*\2){2,}\s*$ | `{3} | ~{3}
          | (?=[-:|\s]*$)(?=[^-]*-)[-:|] )""",
    re.VERBOSE,
)
_CLOSING_HASHES = re.compile(r"(?:(?<=\s)|^)#+$")
_IN_TARGETS = ":/?#@!$&'*+,;=%~-._"  # not the parentheses that would end a link
_ENTITIES = {"<": "&lt;", "&": "&amp;"}


def escape_block(text: str, links: Sequence[TextLink] = ()) -> str:
    """Text for a paragraph or list item: lines kept, blank ones dropped. `links` refer to those
    lines joined by line feeds."""
    joined = "\n".join(lines(text))
    places = _inline(joined) | _line_starts(joined)
    for start, end, _ in links:
        places.update(at for at in range(start, end) if joined[at] in "[]")
    parts: list[str] = []
    position = 0
    for start, end, target in links:
        parts += [_apply(joined, places, position, start), "["]
        parts += [_apply(joined, places, start, end), f"]({quote(target, safe=_IN_TARGETS)})"]
        position = end
    return "".join([*parts, _apply(joined, places, position)])


def escape_heading(text: str) -> str:
    """Text for one line after `#`."""
    text = one_line(text)
    closing = _CLOSING_HASHES.search(text)
    return _apply(text, _inline(text) | ({closing.start()} if closing else set()))


def escape_cell(text: str) -> str:
    """Text for one cell of a pipe table."""
    text = one_line(text)
    return _apply(text, _inline(text) | {at for at, char in enumerate(text) if char == "|"})


def _apply(text: str, places: set[int], start: int = 0, end: int | None = None) -> str:
    return "".join(
        _ENTITIES.get(char, "\\" + char) if at in places else char
        for at, char in enumerate(text[start:end], start)
    )


def _inline(text: str) -> set[int]:
    """Places of characters that would act as inline markup."""
    places = {
        match.start()
        for pattern in (_TAG_START, _ENTITY, _BACKSLASH, _LINK_END)
        for match in pattern.finditer(text)
    }
    for mark in "*_~":
        places.update(_emphasis(text, mark))
    if len(re.findall("`+", text)) > 1:
        places.update(_all(text, "`"))
    opening, closing = _MATH_OPEN.search(text), list(_MATH_CLOSE.finditer(text))
    if opening and closing and opening.start() < closing[-1].start():
        places.update(_all(text, "$"))
    return places


def _all(text: str, mark: str) -> Iterator[int]:
    return (at for at, char in enumerate(text) if char == mark)


def _emphasis(text: str, mark: str) -> set[int]:
    """Places of marks in runs that could open or close emphasis; none if no two could pair."""
    runs = [match.span() for match in re.finditer(re.escape(mark) + "+", text)]
    if mark == "_":  # inside a word it is literal: snake_case
        runs = [run for run in runs if not _inside_word(text, *run)]
    opening = [
        run for run in runs if not text[run[1] : run[1] + 1].isspace() and run[1] < len(text)
    ]
    closing = [run for run in runs if run[0] > 0 and not text[run[0] - 1].isspace()]
    if not opening or not closing or opening[0] >= closing[-1]:
        return set()
    return {at for run in {*opening, *closing} for at in range(*run)}


def _inside_word(text: str, start: int, end: int) -> bool:
    return start > 0 and text[start - 1].isalnum() and text[end : end + 1].isalnum()


def _line_starts(text: str) -> set[int]:
    """Places of characters that would start a heading, list, quote, fence, rule or table."""
    places: set[int] = set()
    position, last_label = 0, text.rfind("]:")
    for line in text.split("\n"):
        if match := _LINE_START.match(line):
            places.add(position + (match.end() if match["delimiter"] else 0))
        elif line.startswith("[") and position < last_label:
            places.add(position)
        position += len(line) + 1
    return places
