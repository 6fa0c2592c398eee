"""Looking up a table cell by its row's label and its column's header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set

import msgspec

from docpipe.agents.passages import CellRange
from docpipe.agents.question import Question
from docpipe.agents.relevance import Match, Query
from docpipe.agents.terms import STOP, content_words, fold, words
from docpipe.agents.values import Found, find_numbers, find_values
from docpipe.records import Table

_NEUTRAL = frozenset({"total"})  # "Total debt" is what "debt" means, "Other debt" is not
_LONGEST_KEY = 15
_ENUMERATOR = re.compile(r"\(?\d{1,3}[.)]")

_IS_NUMBER = re.compile(r"\(?[-–−$€£ ]*[\d.,]+ ?[%)KMB]?\)?(?: ?\([^)]*\)| ?± ?[\d.]+%?)?")


class CellFound(msgspec.Struct, frozen=True):
    """A value in a cell, the lookup in words, and in 0-1 how well label and header name it."""

    found: Found
    text: str
    fit: float


def find_cells(match: Match, query: Query) -> Iterator[CellFound]:
    """The values of a row beside its key: the cell that is a name of the question, or the first.

    A key that says more ("Current portion of long-term debt" for "long-term debt") fits less;
    without a header that was asked for, the first value fits best.
    """
    filled = [cell for cell in match.passage.cells if content_words(cell.text)]
    if len(filled) < 2 or len(words(filled[0].text)) > _LONGEST_KEY:
        return
    names = set(map(fold, query.question.names))
    key = next((cell for cell in filled if fold(cell.text.strip()) in names), filled[0])
    named = frozenset(words(key.text))
    said = named - STOP - (_NEUTRAL - query.weights.keys())
    agreed = _agreement(said, query)
    if _is_the_name(named, match, query):
        agreed = max(agreed, 0.5 + 0.5 * _said_over(match, query))
    about = frozenset(words(match.passage.context))
    focus = frozenset(query.question.focus[-1:])
    for order, cell in enumerate(cell for cell in filled if cell is not key):
        header = frozenset(content_words(cell.headers))
        if query.question.kind == "count" and not focus <= named | header | about:
            continue
        fit = 0.75 * agreed + 0.25 * _share(header, query) + (0.05 if "total" in header else 0.0)
        under = f" ({cell.headers})" if cell.headers else ""
        for found in _in_cell(cell, query.question):
            text = f"{key.text}{under}: {cell.text}"
            yield CellFound(found, text, min(1.0, max(0.0, fit - 0.02 * order)))


def _is_the_name(key: frozenset[str], match: Match, query: Query) -> bool:
    """Whether a key is made of names of the question, as many as any row of the table has."""
    names = {word for name in query.question.names for word in words(name)}
    table = match.passage.block
    assert isinstance(table, Table)
    in_rows = {word for cell in table.cells if not cell.is_header for word in words(cell.text)}
    return key <= names and key >= names & in_rows


def _said_over(match: Match, query: Query) -> float:
    """Share of what is asked, besides names, that stands over the table or its columns."""
    names = {word for name in query.question.names for word in words(name)}
    asked = query.weights.keys() - names
    over = set(words(match.passage.context)).union(
        *(words(cell.headers) for cell in match.passage.cells)
    )
    return _weight(asked & over, query) / _weight(asked, query) if asked else 1.0


def _agreement(key: frozenset[str], query: Query) -> float:
    """How far a row's key and the question say the same, 0-1; names may stand elsewhere."""
    in_names = {word for name in query.question.names for word in words(name)}
    plain = query.weights.keys() - in_names
    return max(_harmonic(key, query.weights.keys(), query), _harmonic(key, plain, query))


def _harmonic(key: frozenset[str], asked: Set[str], query: Query) -> float:
    if not key & asked:
        return 0.0
    precision = len(key & asked) / len(key)
    recall = _weight(key & asked, query) / _weight(asked, query)
    return 2 * precision * recall / (precision + recall)


def _share(terms: frozenset[str], query: Query) -> float:
    """Share of the question's numbers, such as years, that a header says; else of all terms."""
    numbers = {term for term in query.weights if term.isdigit()}
    asked = numbers if numbers & terms else query.weights.keys()
    return _weight(terms & asked, query) / _weight(asked, query) if asked else 0.0


def _weight(terms: Iterable[str], query: Query) -> float:
    return sum(query.weights[term] for term in terms)


def _in_cell(cell: CellRange, question: Question) -> list[Found]:
    """The value of a cell: a number where the cell is one, all of its text, or a date or name."""
    text = cell.text.strip()
    if _ENUMERATOR.fullmatch(text):
        return []
    numbers = find_numbers(cell.text)[:1] if _IS_NUMBER.fullmatch(text) else []
    match question.kind:
        case "count" | "money" | "percentage":
            return numbers
        case "what" | "reason" | "list":
            said = [Found(0, len(cell.text), cell.text)] if len(text) > 1 else []
            return numbers or said
        case _:
            return find_values(cell.text, question)[:1]
