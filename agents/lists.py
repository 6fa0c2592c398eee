"""Lists that answer a question: items under a heading or lead, or an enumeration in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from docpipe.agents.cells import find_cells
from docpipe.agents.relevance import Match, Query
from docpipe.agents.terms import fold, words
from docpipe.agents.values import find_numbers, split_list

_CONSIDERED = 15
_MOST = 25
_OPENING = re.compile(r":\s+|\b(?:such as|including|includes?|are|were|namely)\s+")
_OF_NUMBERS = re.compile(
    r"\b(amounts?|percentages?|numbers?|scores?|costs?|prices?|rates?)\b", re.I
)
_DIGITAL = frozenset("0123456789%")
_BULLET = re.compile(r"^(?:[•▪●■◦–—*-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s*")


class ListFound(msgspec.Struct, frozen=True):
    """A list, the matches that show it, and in 0-1 how much it looks like the one asked for."""

    matches: tuple[Match, ...]
    items: tuple[str, ...]
    fit: float


def find_lists(matches: Sequence[Match], query: Query) -> Iterator[ListFound]:
    yield from _looked_up(matches, query)
    yield from find_item_groups(matches, query)
    for match in matches[:_CONSIDERED]:
        yield _enumeration(match, query)


def _looked_up(matches: Sequence[Match], query: Query) -> Iterator[ListFound]:
    """A value from the row of each of the names asked about ("errors 88 and 188")."""
    rows: dict[str, Match] = {}
    for match in matches:
        for name in query.question.names:
            if any(fold(cell.text.strip()) == fold(name) for cell in match.passage.cells):
                rows.setdefault(name, match)
    found = [
        max(find_cells(m, query), key=lambda cell: cell.fit, default=None) for m in rows.values()
    ]
    values = tuple(cell.found.text for cell in found if cell is not None)
    if len(values) > 1 and len(values) == len(rows):
        yield ListFound(tuple(rows.values()), values, 0.9)


def find_item_groups(matches: Sequence[Match], query: Query) -> Iterator[ListFound]:
    """Items of a page that share their heading and lead, which has to speak of the question."""
    groups: dict[tuple[int, str], list[Match]] = {}
    for match in matches:
        if match.passage.kind == "item":
            groups.setdefault((match.passage.rank, match.passage.context), []).append(match)
    for (_, context), group in groups.items():
        if not 1 < len(group) <= _MOST:
            continue
        ordered = sorted(group, key=lambda match: match.passage.order)
        items = tuple(_BULLET.sub("", match.passage.text).strip() for match in ordered)
        if not all(items):
            continue
        best = max(group, key=lambda match: match.score)
        fit = 0.3 + 0.7 * _share(context, query)
        yield ListFound((best, *(m for m in ordered if m is not best)), items, fit)


def _share(text: str, query: Query) -> float:
    said = sum(query.weights[term] for term in query.weights.keys() & set(words(text)))
    return said / (sum(query.weights.values()) or 1.0)


def _enumeration(match: Match, query: Query) -> ListFound:
    text = match.passage.text
    if _OF_NUMBERS.search(query.question.text):
        numbers = tuple(found.text for found in find_numbers(text) if found.text[-1:] in _DIGITAL)
        return ListFound((match,), numbers or (text,), 0.5 if 1 < len(numbers) < 6 else 0.1)
    opened = _OPENING.search(text)
    items = tuple(split_list(text[opened.end() :])) if opened else ()
    if 1 < len(items) <= _MOST and all(len(item) < 60 for item in items):
        return ListFound((match,), items, 0.5)
    return ListFound((match,), (text,), 0.1)
