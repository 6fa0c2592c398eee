"""Answers worked out over table cells: differences, sums and ratios of two, highest and lowest."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

from docpipe.agents.cells import CellFound, find_cells
from docpipe.agents.question import Question, analyse
from docpipe.agents.relevance import Match, Query
from docpipe.agents.terms import STOP, WEAK, content_words, words
from docpipe.agents.values import find_numbers
from docpipe.content import table_rows
from docpipe.records import Table

_ASKS_SUM = re.compile(
    r"\b(?:sum of|combined|altogether|together|collectively|in total|total (?:of|number))\b", re.I
)
_ASKS_RATIO = re.compile(r"\b(?:ratio|how many times|multiple of|times (?:more|higher|as))\b", re.I)
_ASKS_DIFFERENCE = re.compile(
    r"\b(?:difference|differ|(?:how (?:much|many)|by what).*(?:more|less|fewer|higher|lower|larger"
    r"|smaller|greater|increase|decrease|change|rise|fall)|compared (?:to|with))\b",
    re.I,
)
_HIGHEST = re.compile(
    r"\b(?:highest|largest|biggest|greatest|most(?! recent)|maximum|best|longest|top)\b", re.I
)
_LOWEST = re.compile(r"\b(?:lowest|smallest|least|fewest|minimum|worst|shortest)\b", re.I)
_EXTREMES = frozenset(
    content_words("highest largest biggest greatest most maximum best longest top lowest smallest")
    + content_words("least fewest minimum worst shortest")
)
_SUMS = frozenset(content_words("total all sum overall average mean median"))
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_FIT = 0.45
_LEAST_SAID = 0.5
_FEWEST_ROWS = 3
_CONSIDERED = 40


class Worked(msgspec.Struct, frozen=True):
    """A value worked out, the working in words, the matches that hold its parts, and its fit."""

    value: float | str
    text: str
    matches: tuple[Match, ...]
    fit: float


Ranked = Callable[[Question], tuple[list[Match], Query]]


def compare(question: Question, ranked: Ranked) -> Worked | None:
    """A difference, sum or ratio of two cells that the question names by two names or years.

    `ranked` ranks the passages for a question; it is asked once for each of the two.
    """
    sign = _sign(question.text)
    if sign is None:
        return None
    found = (
        _pair(question, first, second, sign, ranked) for first, second in _alternatives(question)
    )
    return next((worked for worked in found if worked), None)


def _sign(text: str) -> str | None:
    forms = (("÷", _ASKS_RATIO), ("−", _ASKS_DIFFERENCE), ("+", _ASKS_SUM))
    return next((sign for sign, form in forms if form.search(text)), None)


def _alternatives(question: Question) -> Iterator[tuple[str, str]]:
    """The two years of a question, or its neighbouring names."""
    years = [name for name in question.names if _YEAR.fullmatch(name)]
    if len(years) == 2:
        yield years[0], years[1]
    yield from itertools.pairwise(name for name in question.names if name not in years)


def _pair(question: Question, first: str, second: str, sign: str, ranked: Ranked) -> Worked | None:
    cells = [
        _cell(question, named, other, ranked) for named, other in ((first, second), (second, first))
    ]
    if cells[0] is None or cells[1] is None:
        return None
    (match, one), (other, two) = cells[0], cells[1]
    a, b = one.found.number, two.found.number
    same = match.passage.start == other.passage.start and one.header == two.header
    if a is None or b is None or same or match.passage.block.id != other.passage.block.id:
        return None
    value = _worked(a, b, sign)
    if value is None:
        return None
    text = f"{value:,g} = {one.found.text} {sign} {two.found.text} ({one.named}; {two.named})"
    if sign == "−" and a < b:
        text = f"{value:,g} = {two.found.text} {sign} {one.found.text} ({two.named}; {one.named})"
    return Worked(value, text, (match, other), min(one.fit, two.fit))


def _worked(a: float, b: float, sign: str) -> float | None:
    match sign:
        case "+":
            return round(a + b, 4)
        case "÷":
            return round(a / b, 3) if b else None
        case _:
            return round(abs(a - b), 4)


def _cell(
    question: Question, named: str, other: str, ranked: Ranked
) -> tuple[Match, CellFound] | None:
    """The cell that a question is about when it names only one of two."""
    alone = re.sub(rf"(?<!\w){re.escape(other)}(?!\w)", " ", question.text)
    asked = msgspec.structs.replace(analyse(alone), kind="amount", focus=())
    matches, query = ranked(asked)
    terms = set(words(named))
    found = [
        (match, cell)
        for match in matches[:_CONSIDERED]
        if match.passage.cells
        for cell in find_cells(match, query)
        if terms <= set(words(f"{cell.key} {cell.header}")) and cell.fit >= _LEAST_FIT
    ]
    return max(found, key=lambda item: item[0].score + item[1].fit, default=None)


def extreme(matches: Sequence[Match], query: Query) -> Worked | None:
    """The row of a table with the highest or lowest value in the column asked about."""
    text = query.question.text
    most = bool(_HIGHEST.search(text))
    if most == bool(_LOWEST.search(text)) or query.question.kind not in ("what", "place", "person"):
        return None
    tables = {id(m.passage.block): m for m in matches[:_CONSIDERED] if m.passage.cells}
    found = (_extreme_of(match, matches, query, most) for match in tables.values())
    return max((worked for worked in found if worked), key=lambda w: w.fit, default=None)


def _extreme_of(match: Match, matches: Sequence[Match], query: Query, most: bool) -> Worked | None:
    table = match.passage.block
    assert isinstance(table, Table)
    asked = {term for term in query.weights if term not in _EXTREMES and term not in WEAK}
    over = set(words(match.passage.context))
    columns = {cell.column for cell in table.cells if cell.column > 0 and not cell.is_header}
    rows = [row for row in table_rows(table) if not all(cell.is_header for cell in row)]
    best: tuple[float, int] = (0.0, 0)
    for column in sorted(columns):
        header = {
            word
            for cell in table.cells
            if cell.is_header and cell.column <= column < cell.column + cell.column_span
            for word in words(cell.text)
        } - STOP
        said = _share(asked & (header | over), asked, query)
        if asked & header and said > best[0]:
            best = (said, column)
    said, column = best
    values = {
        row[0].text.strip(): numbers[0].number or 0.0
        for row in rows
        for cell in row
        if cell.column == column and (numbers := find_numbers(cell.text))
        if row[0].column == 0
        and row[0].text.strip()
        and not _SUMS & set(content_words(row[0].text))
    }
    if said < _LEAST_SAID or len(values) < _FEWEST_ROWS:
        return None
    key = (max if most else min)(values, key=lambda name: values[name])
    rows_of = [m for m in matches if m.passage.block is table and m.passage.text.startswith(key)]
    if not rows_of:
        return None
    text = f"{key}: {values[key]:,g}, the {'highest' if most else 'lowest'} of {len(values)} rows"
    return Worked(key, text, (rows_of[0],), 0.8 * said)


def _share(said: set[str], asked: set[str], query: Query) -> float:
    total = sum(query.weights[term] for term in asked)
    return sum(query.weights[term] for term in said) / total if total else 0.0
