"""A question before it is checked, and the check that its words lead to one place only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple, TypeVar

from docpipe.datasets.matching import GoldFormat
from docpipe.datasets.questions.facts import Facts
from docpipe.datasets.questions.record import How
from docpipe.datasets.questions.wording import key_words, shortened
from docpipe.records import Evidence

T = TypeVar("T")


class Named(NamedTuple):
    """The words by which a question names what stands on a page."""

    page: int
    words: frozenset[str]


class Draft(NamedTuple):
    """`named` are the places that the question names itself; evidence without one, such as the
    caption that a named passage refers to, is found from there."""

    question: str
    answer: str
    format: GoldFormat
    how: How
    evidence: tuple[Evidence, ...]
    named: tuple[Named, ...]
    answerable: bool = True


# A kind of question: one drawn from a document's facts, or None where the draw gave none. The last
# are facts of the library's other documents.
Kind = Callable[[Facts, Random, Sequence[Facts]], Draft | None]


def is_unique(facts: Facts, named: Named) -> bool:
    """Whether only this page of the document says all the words."""
    return len(named.words) > 1 and facts.pages_with(named.words) == [named.page]


def name_for(facts: Facts, text: str, page: int, rng: Random) -> str:
    """Some of the words of a name that no other page says together; "" where there are none."""
    return shortened(text, rng, lambda part: is_unique(facts, Named(page, key_words(part))))


def drawn(items: Sequence[T], rng: Random, count: int = 1) -> list[T]:
    """`count` different items, or none where there are not so many."""
    return rng.sample(items, count) if len(items) >= count else []


def phrased(templates: Sequence[str], rng: Random, **parts: str) -> str:
    return rng.choice(templates).format(**parts)
