"""Picks the short answer in the passages that match a question best."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from docpipe.agents import cells, lists, phrases
from docpipe.agents.question import Question
from docpipe.agents.relevance import Match, Query
from docpipe.agents.terms import fold, located_words, stem, words
from docpipe.agents.values import Found, find_values, shown, typed
from docpipe.records import AnswerFormat, Value

_CONSIDERED = 40
_YEAR = re.compile(r"(?:19|20)\d\d")
_OF_ANOTHER_YEAR = 0.6
_LED = 0.2  # for standing behind the preposition of the question
_REACH = 12  # words over which closeness to the question's terms counts
_MARKS = re.compile(r"[,;:.()]\s")
_MARK = 3  # words that a mark between a value and a term counts for
_CONTACT = re.compile(r"\b(?:tel|phone|telephone|call|e-?mail|web|website)\W*$", re.IGNORECASE)
_CROWDED = 6  # numbers in one passage from which closeness says little
_PRICED = re.compile(
    r"\b(?:cost|price|paid|pay|fee|amount|total|worth|spen[dt]|rents?|salar)", re.I
)
_OF_CELLS = ("count", "money", "percentage", "amount", "measure", "date")
_NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven")
_HOW_MANY = re.compile(r"\b(?:the(?: \w+)?|are) (two|three|four|five|six|seven)\b", re.I)
_SPELT = {  # units as they stand behind numbers: their names, as compared
    short: words(names)
    for short, names in {
        "g": "grams",
        "kg": "kilograms",
        "min": "minutes",
        "s": "seconds",
        "h": "hours",
        "m": "metres meters",
        "cm": "centimetres centimeters",
        "km": "kilometres kilometers",
        "l": "litres liters",
        "ml": "millilitres milliliters",
    }.items()
}
_NEGATION = re.compile(r"\b(not|no|never|cannot|without|neither|nor)\b|n't\b", re.IGNORECASE)


class Pick(msgspec.Struct, frozen=True):
    """A short answer: the matches it rests on (the first the main one), value and text, and in 0-1
    how well the value `fit`s the kind of question."""

    matches: tuple[Match, ...]
    value: Value
    format: AnswerFormat
    text: str
    fit: float

    @property
    def score(self) -> float:
        return self.matches[0].score + 1.2 * self.fit


def pick(matches: Sequence[Match], query: Query) -> list[Pick]:
    """Candidate answers, best first."""
    top = matches[:_CONSIDERED]
    match query.question.kind:
        case "yes_no":
            found = [_yes_no(match) for match in top[:1]]
        case "choice":
            found = [choice for match in top for choice in _choices(match, query)]
        case "list":
            found = [_listed(group, query) for group in lists.find_lists(matches, query)]
            found += [
                msgspec.structs.replace(cell, fit=0.5 * cell.fit)
                for match in top
                if match.passage.cells
                for cell in _cells(match, query)
            ]
        case "count":
            found = [value for match in top for value in _values(match, query)]
            found += [
                Pick(
                    group.matches, len(group.items), "int", "; ".join(group.items), 0.7 * group.fit
                )
                for group in lists.find_item_groups(matches, query)
            ]
        case "contact":
            found = [value for match in matches for value in _values(match, query)]
        case "what" | "reason":
            found = [answer for match in top for answer in _phrases(match, query)]
            if query.question.kind == "reason":
                found += [_listed(group, query) for group in lists.find_item_groups(matches, query)]
        case _:
            found = [value for match in top for value in _values(match, query)]
    return sorted(found, key=lambda pick: -pick.score)


def _listed(group: lists.ListFound, query: Query) -> Pick:
    items = list(group.items)
    asked = _HOW_MANY.search(query.question.text)
    many = asked is None or _NUMERALS.index(asked[1].casefold()) == len(items)
    return Pick(group.matches, items, "list", "; ".join(items), group.fit * (1 if many else 0.5))


def _values(match: Match, query: Query) -> Iterator[Pick]:
    """Values of the kind asked for: cells of a row, or those close to the question's terms."""
    if match.passage.cells and query.question.kind in _OF_CELLS:
        yield from _cells(match, query)
        return
    text = match.passage.text
    found = find_values(text, query.question)
    crowd = min(1.0, _CROWDED / len(found)) if found else 1.0
    for value in found:
        if not _is_asked(value.text, query.question):
            fit = _FITS.get(match.passage.kind, _fit)(value, match, query)
            if any(_YEAR.fullmatch(term) for term in match.missing):
                fit *= _OF_ANOTHER_YEAR
            answer = _quoted(value.text, text)
            if match.passage.kind == "point":
                answer = f"{value.text}: {match.passage.context.rpartition(' / ')[2]} in the chart"
            yield Pick((match,), *typed(value, query.question.kind), answer, crowd * fit)


def _quoted(value: str, text: str) -> str:
    """The answer in words: the value and the passage it stands in."""
    return text if value == text else f"{value}: “{text}”"


def _cells(match: Match, query: Query) -> Iterator[Pick]:
    for cell in cells.find_cells(match, query):
        if not _is_asked(cell.found.text, query.question):
            text = f"{shown(cell.found)}: {cell.named}"
            yield Pick((match,), *typed(cell.found, query.question.kind), text, cell.fit)


def _phrases(match: Match, query: Query) -> Iterator[Pick]:
    found = list(_cells(match, query)) if match.passage.cells else []
    for phrase in [] if found else phrases.find_phrases(match, query):
        if not _is_asked(phrase.text, query.question):
            text = _quoted(phrase.text, match.passage.text)
            found.append(Pick((match,), phrase.text, "str", text, phrase.fit))
    yield from found


def _is_asked(text: str, question: Question) -> bool:
    """Whether the question says the value itself."""
    asked = set(words(question.text))
    return all(word in asked for word in words(text))


def _fit(found: Found, match: Match, query: Query) -> float:
    """Closeness to the question's terms, and whether the value is of the thing asked for."""
    text = match.passage.text
    total = sum(query.weights.values()) or 1.0
    reach: dict[str, float] = {}
    for word, start, end in located_words(text):
        if word in query.weights:
            between = text[min(end, found.end) : max(start, found.start)]
            away = len(between.split()) + _MARK * len(_MARKS.findall(between))
            reach[word] = max(reach.get(word, 0.0), 1 - away / _REACH)
    close = sum(query.weights[word] * near for word, near in reach.items()) / total
    led = _LED if _is_led(found, text, query.question) else 0.0
    kind = _kind_fit(found, text, query.question)
    return min(1.0, 0.4 * close + 0.6 * kind + led) if kind else 0.1 * close


def _field_fit(found: Found, match: Match, query: Query) -> float:
    """Of the value of a form field: whether the field is named by what is asked for."""
    name = match.passage.context.rpartition(" / ")[2]
    said = query.weights.keys() & set(words(name))
    return min(
        1.0, 0.6 * bool(said) + 0.4 * _kind_fit(found, f"{name} {found.text}", query.question)
    )


def _point_fit(found: Found, match: Match, query: Query) -> float:
    """Of a value in a chart: whether the chart is of what is asked, and the year is named."""
    caption, _, label = match.passage.context.rpartition(" / ")
    if label not in query.question.names:
        return 0.0
    asked = query.weights.keys() - set(words(label))
    total = sum(query.weights[term] for term in asked)
    said = sum(query.weights[term] for term in asked & set(words(caption)))
    return 0.9 * said / total if total else 0.0


def _is_led(found: Found, text: str, question: Question) -> bool:
    """Whether the preposition of the question stands before the value: "by how much", "by 12%"."""
    before = words(text[: found.start])[-2:]
    return bool(question.lead) and stem(question.lead) in before


def _kind_fit(found: Found, text: str, question: Question) -> float:
    match question.kind:
        case "percentage":
            return 1.0 if found.percent else 0.0
        case "money":
            return 1.0 if found.money else 0.3 * bool(_PRICED.search(text))
        case "amount":
            likely = found.money or (found.percent and not _PRICED.search(question.text))
            return 1.0 if likely else 0.6
        case "measure":
            return 0.8
        case "count":
            return _counts_focus(found, text, question)
        case "contact":
            return 1.0 if _CONTACT.search(text[: found.start]) else 0.5
        case "person" | "place":
            return 0.6 if len(found.text.split()) > 1 else 0.1
        case _:
            return 0.7


def _counts_focus(found: Found, text: str, question: Question) -> float:
    """Whether a number counts what is asked for: "815 membership warehouses"."""
    if found.money or re.fullmatch(r"(19|20)\d\d", found.text):
        return 0.0
    after = set(words(text[found.end : found.end + 60])[:4])
    after |= {long for short in after for long in _SPELT.get(short, ())}
    if not question.focus:
        return 0.3
    return (len(after & set(question.focus)) / len(set(question.focus))) ** 2


def _yes_no(match: Match) -> Pick:
    value = "No" if _NEGATION.search(match.passage.text) else "Yes"
    return Pick((match,), value, "str", match.passage.text, 0.3)


def _choices(match: Match, query: Query) -> Iterator[Pick]:
    """The options that a passage names; sure only where it names one alone."""
    text = fold(match.passage.text)
    named = [option for option in query.question.options if fold(option) in text]
    for option in named:
        fit = 0.4 if len(named) == 1 else 0.2
        yield Pick((match,), option, "str", match.passage.text, fit)


_FITS = {"field": _field_fit, "point": _point_fit}
