"""Picks the short answer in the passages that match a question best."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from docpipe.agents.passages import CellRange
from docpipe.agents.question import Question
from docpipe.agents.relevance import Match, Query
from docpipe.agents.terms import fold, located_words, words
from docpipe.agents.values import Found, find_names, find_numbers, find_values, split_list, typed
from docpipe.records import AnswerFormat, Value

_CONSIDERED = 12
_REACH = 12  # words over which closeness to the question's terms counts
_LABELLED = re.compile(r"^(?P<label>[^:|]{2,60}):\s+(?P<value>\S.*)$", re.DOTALL)
_COPULA = re.compile(
    r"\b(?:is|are|was|were|means?|refers? to|stands? for|denotes?|defined as)\s+(?P<value>.+)$",
    re.DOTALL,
)
_NEGATION = re.compile(r"\b(not|no|never|cannot|without|neither|nor|n't)\b", re.IGNORECASE)


class Pick(msgspec.Struct, frozen=True):
    """A short answer: the matches it rests on (the first the main one), value, text, and the
    `fit` of the value to the kind of question in 0-1."""

    matches: tuple[Match, ...]
    value: Value
    format: AnswerFormat
    text: str
    fit: float
    score: float


def pick(matches: Sequence[Match], query: Query) -> list[Pick]:
    """Candidate answers, best first; the best passage itself where no value is found."""
    top = matches[:_CONSIDERED]
    question = query.question
    match question.kind:
        case "yes_no":
            found = [_yes_no(match) for match in top]
        case "choice":
            found = [choice for match in top for choice in _choices(match, query)]
        case "list":
            found = _lists(matches, query)
        case "what" | "reason":
            found = [_phrase(match, query) for match in top]
        case _:
            found = [value for match in top for value in _values(match, query)]
            found += [_phrase(match, query, fit=0.2) for match in top[:2]]
    return sorted(found, key=lambda pick: -pick.score)


def _values(match: Match, query: Query) -> Iterator[Pick]:
    """Values of the kind asked for, scored by their closeness to the question's terms."""
    if match.passage.cells:
        yield from _cell_values(match, query)
        return
    text = match.passage.text
    for found in find_values(text, query.question):
        if not _asked(found, query.question):
            fit = _fit(found, text, query)
            yield _pick(match, found, query, fit)


def _pick(match: Match, found: Found, query: Query, fit: float) -> Pick:
    value, form = typed(found, query.question.kind)
    return Pick((match,), value, form, found.text, fit, match.score + 0.6 * fit)


def _asked(found: Found, question: Question) -> bool:
    """Whether the question says the value itself."""
    own = words(found.text)
    asked = set(words(question.text))
    return bool(own) and all(word in asked for word in own)


def _fit(found: Found, text: str, query: Query) -> float:
    """Closeness to the question's terms, and whether the value is of the thing counted."""
    tokens = located_words(text)
    here = [index for index, (_, start, end) in enumerate(tokens) if start < found.end <= end] or [
        0
    ]
    total = sum(query.weights.values()) or 1.0
    close = 0.0
    for term, weight in query.weights.items():
        distances = [
            abs(index - here[0]) for index, (word, _, _) in enumerate(tokens) if word == term
        ]
        if distances:
            close += weight / total * max(0.0, 1 - min(distances) / _REACH)
    return min(1.0, 0.6 * close + 0.4 * _kind_fit(found, text, query.question))


def _kind_fit(found: Found, text: str, question: Question) -> float:
    match question.kind:
        case "percentage":
            return 1.0 if found.percent else 0.1
        case "money":
            return 1.0 if found.money else 0.3
        case "count":
            after = set(words(text[found.end : found.end + 50])[:4])
            if found.money or _looks_like_year(found):
                return 0.0
            return 1.0 if after & set(question.focus) else 0.3
        case _:
            return 0.7


def _looks_like_year(found: Found) -> bool:
    return bool(re.fullmatch(r"(19|20)\d\d", found.text))


def _cell_values(match: Match, query: Query) -> Iterator[Pick]:
    """Cells of a row, by how far the row's label and the column's header name what is asked."""
    cells = [cell for cell in match.passage.cells if cell.text.strip()]
    if not cells:
        return
    label = frozenset(words(cells[0].text))
    total = sum(query.weights.values()) or 1.0
    labelled = sum(query.weights[term] for term in query.weights.keys() & label) / total
    extra = len(label - query.weights.keys()) / max(1, len(label))
    for order, cell in enumerate(cells[1:]):
        header = frozenset(words(cell.headers))
        headed = sum(query.weights[term] for term in query.weights.keys() & header) / total
        for found in _in_cell(cell, query.question):
            if _asked(found, query.question):
                continue
            fit = min(1.0, labelled + headed + 0.3 - 0.3 * extra - 0.01 * order)
            yield _pick(match, found, query, max(0.0, fit))


def _in_cell(cell: CellRange, question: Question) -> list[Found]:
    kind = "count" if question.kind == "what" else question.kind
    found = find_values(cell.text, msgspec.structs.replace(question, kind=kind))
    return found[:1]


def _phrase(match: Match, query: Query, fit: float = 0.5) -> Pick:
    """What of a passage answers "what": a cell, the text after a label or a copula, a name."""
    if match.passage.cells:
        best = max(_cell_values(match, query), key=lambda pick: pick.score, default=None)
        if best is not None:
            return best
    text = match.passage.text
    for form, quality in ((_LABELLED, 0.8), (_COPULA, 0.6)):
        found = form.search(text)
        if found and _covers(text[: found.start("value")], query):
            return _text_pick(match, found["value"].strip().rstrip("."), quality * fit * 2)
    if query.question.kind == "what" and query.question.focus:
        named = _best_name(match, query)
        if named:
            return named
    return _text_pick(match, text, fit * 0.6)


def _text_pick(match: Match, text: str, fit: float) -> Pick:
    return Pick((match,), text, "str", text, fit, match.score + 0.3 * fit)


def _covers(text: str, query: Query) -> bool:
    """Whether the text says a third of what of the question the document knows."""
    total = sum(query.weights.values()) or 1.0
    said = sum(query.weights[term] for term in query.weights.keys() & set(words(text)))
    return said / total > 0.33


def _best_name(match: Match, query: Query) -> Pick | None:
    text = match.passage.text
    names = [found for found in find_names(text) if not _asked(found, query.question)]
    if not names:
        return None
    best = max(names, key=lambda found: _fit(found, text, query))
    return _text_pick(match, best.text, 0.4)


def _yes_no(match: Match) -> Pick:
    value = "No" if _NEGATION.search(match.passage.text) else "Yes"
    return Pick((match,), value, "str", value, 0.3, match.score)


def _choices(match: Match, query: Query) -> Iterator[Pick]:
    text = fold(match.passage.text)
    for option in query.question.options:
        if fold(option) in text:
            yield Pick((match,), option, "str", option, 0.3, match.score)


def _lists(matches: Sequence[Match], query: Query) -> list[Pick]:
    """Items that share the heading or lead that matches best, or an enumeration in a sentence."""
    groups: dict[tuple[int, str], list[Match]] = {}
    for match in matches:
        if match.passage.kind == "item":
            groups.setdefault((match.passage.rank, match.passage.context), []).append(match)
    found = []
    for group in groups.values():
        ordered = tuple(sorted(group, key=lambda match: _position(match)))
        items = [match.passage.text.strip("•-– ") for match in ordered]
        if len(items) > 1:
            best = max(match.score for match in group)
            found.append(Pick(ordered, items, "list", "; ".join(items), 0.6, best + 0.3))
    return found + [_enumeration(match, query) for match in matches[:_CONSIDERED]]


def _position(match: Match) -> tuple[int, str, int]:
    return match.passage.rank, match.passage.block.id, match.passage.start


def _enumeration(match: Match, query: Query) -> Pick:
    text = match.passage.text
    opened = re.search(r":\s+|\b(?:such as|including|include|are|were|namely)\s+", text)
    items = list(split_list(text[opened.end() :])) if opened else []
    fit = 0.5 if 1 < len(items) < 12 and all(len(item) < 80 for item in items) else 0.1
    if fit < 0.5:
        numbers = find_numbers(text) if query.question.kind == "percentage" else []
        items = [found.text for found in numbers] or [text]
    return Pick((match,), items, "list", "; ".join(items), fit, match.score + 0.3 * fit)
