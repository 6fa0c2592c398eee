"""Looking up a table cell by its row's label and its column's header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set

import msgspec

from docpipe.agents.passages import CellRange
from docpipe.agents.question import Question
from docpipe.agents.relevance import Match, Query
from docpipe.agents.terms import STOP, content_words, fold, words
from docpipe.agents.values import Found, find_numbers, find_values
from docpipe.records import Table

_NEUTRAL = frozenset({"total"})  # "Total debt" is what "debt" means, "Other debt" is not
_PAYING = frozenset(words("paid pay spent spend cost amount sum total altogether"))
_OF_ANOTHER_KIND = 0.6
_OF_ANOTHER_THING = 0.4
_LONGEST_KEY = 15
_ENUMERATOR = re.compile(r"\(?\d{1,3}[.)]")
_IS_NUMBER = re.compile(
    r"\(?[-–−$€£ ]*\d[\d.,]* ?[%)KMB]?\)?(?: ?[A-Z])?(?: ?\([^)]*\)| ?± ?[\d.]+%?)?"
)
# What a header says over the values that a question of a kind asks for.
_OVER = {
    "percentage": re.compile(r"%|percent|share|rate\b|ratio", re.I),
    "money": re.compile(r"[$€£]|\b(?:eur|usd|cost|price|amount|total|fee|value|rs)s?\b", re.I),
    "date": re.compile(r"\b(?:date|year|month|day|finished|due|deadline|when)\b", re.I),
}
_IN_BRACKETS = re.compile(r"[$€£]? ?\([$€£]? ?\d[\d.,]* ?%?\)")  # how accounts write a loss
_IN_THOUSANDS = re.compile(r"\(?\b0?00['’]?s\b|\bin thousands\b", re.I)
_NAMES_ONE = re.compile(  # asks for somebody or something, not for a number
    r"(?:[^,]+, )?which (?!(?:\w+ )?(?:number|code|page|version|value|year|chapter|section)s?\b)",
    re.I,
)
_EACH = re.compile(r"\b(?:one|each|a single|per|apiece)\b", re.I)
_UNIT_PRICE = re.compile(r"\b(?:unit|each|single|per)\b", re.I)


class CellFound(msgspec.Struct, frozen=True):
    """A value in a cell, the row's key and the cell's header, and in 0-1 how well they name it."""

    found: Found
    key: str
    header: str
    fit: float

    @property
    def named(self) -> str:
        """What the value is, in the table's words."""
        return ", ".join(part for part in (self.key.strip(" :"), self.header.strip(" :")) if part)


def find_cells(match: Match, query: Query) -> Iterator[CellFound]:
    """The values of a row beside its key, best where the header over it was asked for.

    The key is the cell that is a name of the question or agrees with it most. One that says more
    ("Current portion of long-term debt" for "long-term debt") fits less.
    """
    filled = [cell for cell in match.passage.cells if content_words(cell.text)]
    if len(filled) < 2:
        return
    key, agreed = _key(filled, match, query)
    if len(words(key.text)) > _LONGEST_KEY or not agreed:
        return
    about = frozenset(words(match.passage.context))
    focus = frozenset(query.question.focus[-1:])
    named = frozenset(words(key.text))
    label = f"{key.headers} {key.text}" if _IS_NUMBER.fullmatch(key.text) else key.text
    others = [cell for cell in filled if cell is not key]
    columns = _column_fits(others, named, query)
    for order, (cell, column) in enumerate(zip(others, columns, strict=True)):
        header = frozenset(content_words(cell.headers))
        measured = query.question.kind == "measure" and bool(_unit_fit(cell, query.question))
        of_focus = measured or focus <= named | header | about
        if query.question.kind == "count" and not of_focus:
            continue
        fit = 0.7 * agreed + 0.3 * column + (0.05 if "total" in header else 0.0)
        if not of_focus:
            fit *= _OF_ANOTHER_THING
        if focus and focus <= named and header and not header & query.weights.keys():
            fit *= _OF_ANOTHER_THING  # "which battery" does not ask for the colour of one
        if query.question.kind in _OVER and not _unit_fit(cell, query.question):
            said = not header or header & query.weights.keys()
            fit *= _OF_ANOTHER_KIND if said else _OF_ANOTHER_THING
        for found in _in_cell(cell, query.question):
            yield CellFound(found, label, cell.headers, min(1.0, max(0.0, fit - 0.02 * order)))


def _key(filled: Sequence[CellRange], match: Match, query: Query) -> tuple[CellRange, float]:
    """The cell that says what its row is about, and how far that is what is asked."""
    names = set(map(fold, query.question.names))
    first = filled[0]
    keys = [(_key_fit(first, match, query), first)]
    for cell in filled[1:]:
        if fold(cell.text.strip()) in names and (
            not _IS_NUMBER.fullmatch(cell.text.strip()) or _says(cell.headers, query)
        ):
            keys.append((_key_fit(cell, match, query), cell))
        elif not _IS_NUMBER.fullmatch(cell.text.strip()) and _is_mark(first):
            keys.append((0.95 * _key_fit(cell, match, query), cell))
    fit, key = max(keys, key=lambda item: item[0])
    return key, fit


def _is_mark(cell: CellRange) -> bool:
    """Whether a first cell only numbers its row ("3", "OS-3310")."""
    return any(char.isdigit() for char in cell.text) and " " not in cell.text.strip()


def _asks_all(query: Query) -> bool:
    """Whether a question is about the whole amount: "how much was paid at the market"."""
    names = {word for name in query.question.names for word in words(name)}
    return _PAYING.issuperset((query.weights.keys() | query.absent.keys()) - names)


def _says(text: str, query: Query) -> bool:
    return bool(query.weights.keys() & set(words(text)))


def _key_fit(key: CellRange, match: Match, query: Query) -> float:
    named = frozenset(words(key.text))
    said = named - STOP - (_NEUTRAL - query.weights.keys())
    header = frozenset(words(key.headers)) & query.weights.keys()
    is_first = match.passage.cells[0].start == key.start
    if said and all(word.isdigit() for word in said) and not header and not is_first:
        return 0.0
    agreed = _agreement(said | header, query)
    if query.question.kind == "money" and "total" in named and _asks_all(query):
        agreed = max(agreed, 0.8)
    if _is_the_name(named, match, query):
        agreed = max(agreed, 0.5 + 0.5 * _said_over(match, query))
    return agreed


def _column_fits(cells: Sequence[CellRange], key: frozenset[str], query: Query) -> list[float]:
    """For each cell in 0-1 how well its header is what is asked for, besides the row's key.

    Without a header that was asked for, no column fits better than another.
    """
    asked = query.weights.keys() - key
    said = [_weight(asked & set(content_words(cell.headers)), query) for cell in cells]
    best = max(said, default=0.0)
    fits = [weight / best if best else 0.7 for weight in said]
    return [
        0.7 * fit + 0.3 * _unit_fit(cell, query.question)
        for fit, cell in zip(fits, cells, strict=True)
    ]


def _unit_fit(cell: CellRange, question: Question) -> float:
    """Whether header and cell look like what a question of this kind is answered with."""
    text = f"{cell.headers} {cell.text}"
    if question.kind == "measure":
        return float(bool(re.search(rf"(?<!\w)(?:{question.unit})(?!\w)", text, re.I)))
    form = _OVER.get(question.kind)
    if form is None:
        return 0.5
    if question.kind == "money" and _EACH.search(question.text):
        return 1.0 if _UNIT_PRICE.search(cell.headers) else 0.5 * bool(form.search(text))
    return float(bool(form.search(text)))


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


def _weight(terms: Iterable[str], query: Query) -> float:
    return sum(query.weights[term] for term in terms)


def _in_cell(cell: CellRange, question: Question) -> list[Found]:
    """The value of a cell: a number where the cell is one, all of its text, or a date or name."""
    text = cell.text.strip()
    if _ENUMERATOR.fullmatch(text):
        return []
    numbers = find_numbers(cell.text)[:1] if _IS_NUMBER.fullmatch(text) else []
    if numbers and _IN_BRACKETS.fullmatch(text) and (numbers[0].number or 0.0) > 0:
        loss = -(numbers[0].number or 0.0)
        numbers = [msgspec.structs.replace(numbers[0], text=text, number=loss)]
    if numbers and _IN_THOUSANDS.search(cell.headers) and question.kind == "count":
        scaled = 1000 * (numbers[0].number or 0.0)
        return [msgspec.structs.replace(numbers[0], text=f"{scaled:,.0f}", number=scaled)]
    match question.kind:
        case "percentage" if numbers and "%" in cell.headers:
            return [msgspec.structs.replace(numbers[0], percent=True)]
        case "count" | "money" | "percentage" | "amount":
            return numbers
        case "measure":
            measured = re.search(rf"(?<!\w)(?:{question.unit})(?!\w)", cell.headers, re.I)
            whole = Found(0, len(cell.text), text)
            return find_values(cell.text, question)[:1] or ([whole] if measured else numbers)
        case "what" if numbers and _NAMES_ONE.match(question.text):
            return []
        case "what" | "reason" | "list":
            said = [Found(0, len(cell.text), cell.text)] if len(text) > 1 else []
            return numbers or said
        case _:
            return find_values(cell.text, question)[:1]
