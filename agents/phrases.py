"""The words of a passage that answer a "what" question: a definition, a labelled value, a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from docpipe.agents.relevance import Match, Query
from docpipe.agents.terms import content_words, fold, words
from docpipe.agents.values import find_names

_LABELLED = re.compile(r"^(?P<label>[^:|]{2,80}?):\s+(?P<value>[^:]+)")
_COPULA = re.compile(
    r"\b(?:is|are|was|were|means?|refers? to|stands? for|denotes?|(?:is )?defined as)\s+"
    r"(?P<value>(?:[^,;.]|\.(?=\d))*\w(?:[^;.]|\.(?=\d))*)"
)
_TRAILING_CAPITALS = re.compile(r"\s+(?:[A-Z]{2,}\b[\s:,]*){3,}$")
_ACRONYM = re.compile(r"\bstands? for\b|\bfull (?:form|name)\b|\babbreviat|\bacronym", re.I)

_OF_CODES = re.compile(r"\b(?:codes?|numbers?|no|id|types?|models?|versions?|parts?)\b", re.I)
_CODE = re.compile(r"(?<![\w-])(?=[\w/-]*\d)[A-Z\d][A-Z\d/-]{2,}(?:\.\d+)*(?![\w-])")
_LABEL_WORDS = 6
_VALUE_WORDS = 15


class Phrase(msgspec.Struct, frozen=True):
    """An answer in words and in 0-1 how well it fits the question."""

    text: str
    fit: float


def find_phrases(match: Match, query: Query) -> Iterator[Phrase]:
    """Answers in the passage, the surest form first; at last the passage as a whole."""
    passage = match.passage
    text = passage.text
    if _ACRONYM.search(query.question.text):
        yield from _expansions(text, query)
    if passage.kind == "field":
        label = set(words(passage.context.rpartition(" / ")[2]))
        yield Phrase(text, 0.9 * len(label & query.weights.keys()) / len(label) if label else 0.1)
    yield from _labelled(match, query)
    copula = _COPULA.search(text)
    if copula and (
        _covers(text[: copula.start()], query, 0.5) or _is_subject(text[: copula.start()], query)
    ):
        yield Phrase(_trimmed(copula["value"]), 0.4)
    if passage.kind == "heading":
        return
    if query.question.focus:
        for code in _CODE.finditer(text) if _OF_CODES.search(query.question.text) else ():
            yield Phrase(code.group(), 0.3 + 0.3 * _nearness(code.start(), text, query))
        for name in find_names(text)[:8]:
            yield Phrase(name.text, 0.3 * _nearness(name.start, text, query))
    yield Phrase(text, 0.2)


def _labelled(match: Match, query: Query) -> Iterator[Phrase]:
    """The value behind a label on the same line, or on the line before."""
    text, context = match.passage.text, match.passage.context
    label = _LABELLED.search(text)
    names = {word for name in query.question.names for word in words(name)}
    if label and set(words(label["label"])) & (query.weights.keys() - names):
        if _covers(label["label"], query, 0.6):
            yield Phrase(_trimmed(label["value"]), 0.8)
        elif _covers(f"{label['label']} {context}", query, 0.6):
            yield Phrase(_trimmed(text[label.start("value") :]), 0.7)
    lead = context.rpartition(" / ")[2]
    if match.passage.kind == "sentence" and 0 < len(lead.split()) <= _LABEL_WORDS:
        asked = set(words(lead)) & (query.weights.keys() - names)
        if asked and len(text.split()) <= _VALUE_WORDS:
            yield Phrase(_trimmed(text), 0.6 * _share(lead, query) + 0.1)


def _is_subject(text: str, query: Query) -> bool:
    """Whether a sentence begins with just what is asked for: "The battery" of "Which battery"."""
    said = set(content_words(text))
    return bool(query.question.focus) and said == set(query.question.focus)


def _trimmed(text: str) -> str:
    return _TRAILING_CAPITALS.sub("", text.strip().rstrip(".")).strip()


def _covers(text: str, query: Query, share: float) -> bool:
    """Whether a text says this share of the question's terms, by weight."""
    return _share(text, query) >= share


def _share(text: str, query: Query) -> float:
    said = sum(query.weights[term] for term in query.weights.keys() & set(words(text)))
    return said / (sum(query.weights.values()) or 1.0)


def _nearness(start: int, text: str, query: Query) -> float:
    """1 beside one of the words of what is asked for, less with the distance in characters."""
    places = [
        abs(found.start() - start)
        for found in re.finditer(r"\w+", text)
        if set(words(found.group())) & set(query.question.focus)
    ]
    return max(0.0, 1 - min(places) / 100) if places else 0.0


def _expansions(text: str, query: Query) -> Iterator[Phrase]:
    """The long form of an acronym of the question: "Fast Fourier Transform (FFT)", or reversed."""
    for name in query.question.names:
        letters = [char for char in name if char.isupper()]
        if len(letters) < 2 or fold(name) not in fold(text):
            continue
        gap = r"[\w-]*(?:\s+(?:of|the|and|for|in|on|to))*[\s-]+"
        form = gap.join(re.escape(letter) for letter in letters) + r"[\w-]+"
        found = re.search(rf"\b{form}", text)
        if found and content_words(found.group()):
            yield Phrase(found.group(), 1.0)
