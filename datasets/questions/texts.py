"""Questions about sentences, sentences that refer to other pages, and things that are not there."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from docpipe.datasets.questions.drafts import Draft, Kind, Named, drawn, name_for, phrased
from docpipe.datasets.questions.facts import LABEL, Facts, Statement
from docpipe.datasets.questions.tables import cell
from docpipe.datasets.questions.wording import key_words, one_line
from docpipe.records import Evidence

_WHAT = (
    "What {verb} {subject}?",
    "According to the document, what {verb} {subject}?",
    "What does the text say {subject} {verb}?",
)
_BOTH = (
    "What {verb} {first}, and what {other_verb} {second}?",
    "Tell what {first} {verb} and what {second} {other_verb}.",
)
_REFERRED = (
    "What does the {kind} show that the passage about {topic} refers to?",
    "The text on {topic} points to a {kind}. What is it about?",
    "Which {kind} is meant where the document speaks of {topic}?",
)
_LONGEST_TOPIC = 8
_SHORTEST_TOPIC = 4


def statement(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """What a sentence says its subject is."""
    for said in drawn(facts.statements, rng):
        question = phrased(_WHAT, rng, subject=_inner(said.subject), verb=said.verb)
        return Draft(question, said.rest, "Str", "quote", (_quote(facts, said),), (_named(said),))
    return None


def two_statements(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """What sentences on two pages say."""
    for pair in [drawn(facts.statements, rng, 2)] if len(facts.statements) > 1 else []:
        first, second = pair
        if first.page == second.page:
            return None
        question = phrased(
            _BOTH,
            rng,
            first=_inner(first.subject),
            second=_inner(second.subject),
            verb=first.verb,
            other_verb=second.verb,
        )
        evidence = (_quote(facts, first), _quote(facts, second))
        named = (_named(first), _named(second))
        return Draft(question, str([first.rest, second.rest]), "List", "quotes", evidence, named)
    return None


def referred(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """What a figure or table is about that a sentence on another page refers to."""
    for mention in drawn(facts.mentions, rng):
        said = one_line(mention.block.text[mention.start : mention.end]).split()
        length = rng.randint(_SHORTEST_TOPIC, _LONGEST_TOPIC)
        at = rng.randrange(max(1, len(said) - length))
        name = " ".join(said[at : at + length]).strip(" ,.;:")
        topic = "" if LABEL.search(name) else name_for(facts, name, mention.page, rng)
        evidence = (
            facts.quote(mention.block, mention.page, mention.start, mention.end),
            facts.quote_part(mention.part),
        )
        question = phrased(_REFERRED, rng, kind=mention.part.kind, topic=f'"{topic}"')
        named = (Named(mention.page, key_words(topic)),)
        return Draft(question, mention.part.name, "Str", "quote", evidence, named)
    return None


def absent(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """A question about something that only another document speaks of."""
    for other in drawn(others, rng):
        kind = rng.choice((statement, cell))
        found = kind(other, rng, ())
        if found is None or _named_words(found) <= facts.vocabulary:
            return None
        return Draft(found.question, "Not answerable", "None", "absent", (), (), answerable=False)
    return None


def _named_words(draft: Draft) -> frozenset[str]:
    return frozenset().union(*(name.words for name in draft.named))


def _quote(facts: Facts, said: Statement) -> Evidence:
    return facts.quote(said.block, said.page, said.start, said.end)


def _named(said: Statement) -> Named:
    return Named(said.page, key_words(said.subject))


def _inner(subject: str) -> str:
    """A subject within a sentence."""
    for article in ("The ", "A ", "An "):
        if subject.startswith(article):
            return article.lower() + subject.removeprefix(article)
    return subject


KINDS: dict[str, Kind] = {
    "statement": statement,
    "two_statements": two_statements,
    "referred": referred,
    "absent": absent,
}
