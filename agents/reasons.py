"""Why a question is not answered, in words for a user: what is missing, and where it was sought."""

from __future__ import annotations

from docpipe.agents.picking import Pick
from docpipe.agents.question import Kind
from docpipe.agents.relevance import Query
from docpipe.agents.sufficiency import signals, speaks_of_another, unknown_names
from docpipe.agents.terms import located_words
from docpipe.records import Answer, Evidence, RefusalCode

_SHOWN = 3
_LOOKS = "the question asks how something looks, which text does not tell"
_GIVES: dict[Kind, str] = {
    "count": "number",
    "percentage": "percentage",
    "money": "amount of money",
    "amount": "amount",
    "measure": "measure with its unit",
    "date": "date",
    "person": "name",
    "place": "place",
    "contact": "address or number",
    "list": "list",
    "reason": "reason",
}


def refuse(
    best: Pick | None, query: Query, nearest: tuple[Evidence, ...] = (), confidence: float = 0.0
) -> Answer:
    """The refusal of a question; `best` is the answer withheld, None where there was none."""
    code, why = _why(best, query)
    text = f"Not answerable: {why}."
    return Answer(text, None, "none", False, nearest, confidence, reason=code)


def _why(best: Pick | None, query: Query) -> tuple[RefusalCode, str]:
    if query.unknown:
        return "not_mentioned", f"the documents read do not mention {_quoted(query.unknown)}"
    if best is None:
        if query.question.looks:
            return "looks", _LOOKS
        return "not_found", "no passage speaks of what the question asks"
    passage = best.matches[0].passage
    place = f"{passage.content.document.name}, page {passage.content.page.label}"
    found = signals(best, query)
    if speaks_of_another(best, query):
        names = _quoted(query.question.names)
        return (
            "not_mentioned",
            f"the nearest passage ({place}) is about another company than {names}",
        )
    unknown = unknown_names(best.matches[0], query)
    if unknown:
        said = _quoted(_as_asked(unknown, query))
        return "not_mentioned", f"the nearest passage ({place}) is not about {said}"
    if found.visual:
        return "looks", _LOOKS
    if found.worked:
        why = "the answer would have to be computed, and its parts were not found in a table"
        return "not_computed", why
    missing = _as_asked(best.matches[0].missing, query)
    if missing:
        return "not_found", f"the nearest passage ({place}) does not say {_quoted(missing)}"
    kind = _GIVES.get(query.question.kind, "clear answer")
    return "not_found", f"the nearest passage ({place}) speaks of it but gives no {kind}"


def _as_asked(terms: tuple[str, ...], query: Query) -> tuple[str, ...]:
    """Terms, as compared, in the words of the question."""
    asked = {word: query.question.text[a:b] for word, a, b in located_words(query.question.text)}
    return tuple(dict.fromkeys(asked.get(term, term) for term in terms))


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words[:_SHOWN])
