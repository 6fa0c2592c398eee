"""How well a passage speaks of what a question is about.

Rare words weigh more (inverse page frequency in the documents read). A word counts in full where
the passage says it, less where only its headings, its neighbours or its page do.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler

from docpipe.agents.passages import Passage
from docpipe.agents.question import Question
from docpipe.agents.terms import STOP, WEAK, fold, words
from docpipe.content import block_text, page_text
from docpipe.records import Document, TextBlock

_IN_CONTEXT = 0.7
_NEARBY = 0.35
_ON_PAGE = 0.15
_PHRASES = 0.2  # for saying the question's words side by side as it does
_LATER = 0.08  # off the score for each doubling of a page's place
_WEAK_SHARE = 0.4
_NEIGHBOURS = 2
_COVER_BLOCKS = 8
_SAME_WORD = 0.93  # Jaro-Winkler similarity from which an unknown word is taken for a misspelling

_GAP = r"[^\w\n]?[^\w\n]?_?"  # "Best Buy" is known where the question says "Bestbuy"
_NAME_FORM = r"(?<![^\W_])NAME(?:'?s)?(?![^\W_])"


class Vocabulary(msgspec.Struct, frozen=True):
    """Of a document: its id, in how many of its pages each word stands, and its folded text."""

    document: str
    pages: int
    frequency: Counter[str]
    text: str


class Query(msgspec.Struct, frozen=True):
    """A question's terms that the documents know, with their weights; those they do not know; the
    names no document mentions, and by id the names each document does not; and the `pairs` of terms
    that stand side by side."""

    question: Question
    weights: dict[str, float]
    absent: dict[str, float]
    unknown: tuple[str, ...]
    unknown_in: dict[str, tuple[str, ...]]
    pairs: frozenset[tuple[str, str]]


class Match(msgspec.Struct, frozen=True):
    """A passage and how it covers the query's terms, as weighted shares in 0-1.

    `said` by the passage itself, of the terms the documents know; `around` by it, its headings and
    its neighbours, of all terms. `missing` are the terms that the neighbourhood lacks. `score`
    orders passages.
    """

    passage: Passage
    said: float
    around: float
    missing: tuple[str, ...]
    score: float


def vocabulary(document: Document) -> Vocabulary:
    texts = [page_text(page, furniture=True) for page in document.pages]
    frequency: Counter[str] = Counter()
    for text in texts:
        frequency.update(set(words(text)))
    fields = " ".join(field.value for field in document.form_fields)
    return Vocabulary(
        document.id, len(texts), frequency, fold("\n".join([document.name, fields, *texts]))
    )


def weigh(question: Question, vocabularies: Sequence[Vocabulary]) -> Query:
    """The terms as the documents spell them, weighted by rarity."""
    pages = sum(known.pages for known in vocabularies)
    frequency = Counter[str]()
    for known in vocabularies:
        frequency.update(known.frequency)
    in_names = {word for name in question.names for word in words(name)}
    weights: dict[str, float] = {}
    absent: dict[str, float] = {}
    for term in question.terms:
        spelled = term if term in in_names else _respell(term, frequency)
        rarity = math.log(1 + (pages - frequency[spelled] + 0.5) / (frequency[spelled] + 0.5))
        found = weights if frequency[spelled] else absent
        found[spelled] = (0.2 + rarity) * _share_of(term)
    unknown = [name for name in question.names if not _is_known(name, vocabularies)]
    pairs = frozenset(
        pair for pair in itertools.pairwise(words(question.text)) if weights.keys() >= set(pair)
    )
    unknown_in = {
        known.document: tuple(name for name in question.names if not _is_known(name, [known]))
        for known in vocabularies
    }
    return Query(question, weights, absent, tuple(unknown), unknown_in, pairs)


def _share_of(term: str) -> float:
    """What a term counts beside others of its rarity."""
    return 0.5 if term.isdigit() else _WEAK_SHARE if term in WEAK else 1.0


def _is_known(name: str, vocabularies: Sequence[Vocabulary]) -> bool:
    """Whether a document says the name, however it is spaced; a long one by most of its words."""
    parts = [word for word in words(name) if word not in STOP]
    if len(parts) > 3:
        return (
            sum(any(word in v.frequency for v in vocabularies) for word in parts) > len(parts) / 2
        )
    return any(knows(known, name) for known in vocabularies)


def knows(vocabulary: Vocabulary, name: str) -> bool:
    """Whether a document says a name, however it is spaced; of a form also family name first."""
    for order in (name, " ".join(reversed(name.split()))):
        letters = [re.escape(char) for char in fold(order) if char.isalnum()]
        form = _NAME_FORM.replace("NAME", _GAP.join(letters))
        if not letters or re.search(form, vocabulary.text):
            return True
    return False


def _respell(term: str, frequency: Counter[str]) -> str:
    if frequency[term] or len(term) < 6 or not term.isalpha():
        return term
    near = process.extractOne(
        term,
        [word for word in frequency if word[0] == term[0] and len(word) > 4],
        scorer=JaroWinkler.normalized_similarity,
        score_cutoff=_SAME_WORD,
    )
    return near[0] if near else term


def rank(passages: Sequence[Passage], query: Query) -> list[Match]:
    """The passages with their matches, best first; those far from any term are left out."""
    texts = [words(passage.text) for passage in passages]
    said = [frozenset(text) for text in texts]
    on_page: dict[int, frozenset[str]] = {}
    for passage, own in zip(passages, said, strict=True):
        on_page[passage.rank] = on_page.get(passage.rank, frozenset()) | own
    matches = []
    subjects = {p.content.document.id: _subject(p.content.document, query) for p in passages}
    for index, passage in enumerate(passages):
        whole = passage.kind == "field"  # a form is about one thing
        around = on_page[passage.rank] if whole else _neighbours(passages, said, index)
        side_by_side = query.pairs & set(itertools.pairwise(texts[index]))
        phrases = len(side_by_side) / max(1, len(query.pairs))
        subject = subjects[passage.content.document.id]
        page = on_page[passage.rank]
        found = _match(passage, said[index], around, page, subject, phrases, query)
        if found.around > 0 or query.question.kind == "contact":
            matches.append(found)
    return sorted(matches, key=lambda match: -match.score)


def _subject(document: Document, query: Query) -> frozenset[str]:
    """The words of the question's names that stand in the document's name and on its cover."""
    names = {word for name in query.question.names for word in words(name)}
    return frozenset(names & title_words(document))


def title_words(document: Document) -> set[str]:
    """The words of a document's name, its title and the headings of its cover."""
    cover = (
        (
            block_text(block)
            for block in document.pages[0].blocks[:_COVER_BLOCKS]
            if isinstance(block, TextBlock) and block.role in ("title", "heading")
        )
        if document.pages
        else ()
    )
    return set(words(" ".join([document.name, document.metadata.get("title", ""), *cover])))


def _neighbours(
    passages: Sequence[Passage], said: Sequence[frozenset[str]], index: int
) -> frozenset[str]:
    first, last = max(0, index - _NEIGHBOURS), index + _NEIGHBOURS + 1
    rank = passages[index].rank
    return frozenset().union(
        *(
            own
            for passage, own in zip(passages[first:last], said[first:last], strict=True)
            if passage.rank == rank
        )
    )


def _match(
    passage: Passage,
    own: frozenset[str],
    nearby: frozenset[str],
    page: frozenset[str],
    subject: frozenset[str],
    phrases: float,
    query: Query,
) -> Match:
    context = subject.union(
        words(passage.context), *(words(cell.headers) for cell in passage.cells)
    )
    total = sum(query.weights.values()) or 1.0

    def share(terms: Iterable[str]) -> float:
        return sum(query.weights[term] for term in terms) / total

    terms = query.weights.keys()
    in_own = terms & own
    in_context = (terms & context) - in_own
    near = (terms & nearby) - in_own - in_context
    elsewhere = (terms & page) - in_own - in_context - near
    score = (
        share(in_own)
        + _IN_CONTEXT * share(in_context)
        + _NEARBY * share(near)
        + _ON_PAGE * share(elsewhere)
        + _PHRASES * phrases
        - _LATER * math.log2(1 + passage.rank)
        - (0.15 if passage.kind == "heading" else 0.0)
        - 0.1 * max(0.0, len(passage.text) / 400 - 1)
    )
    around = in_own | in_context | near
    missing = (*(term for term in query.weights if term not in around), *query.absent)
    known = total / (total + sum(query.absent.values()))
    covered = share(around) if query.weights else 1.0  # nothing is asked about: nothing is missing
    return Match(passage, share(in_own), known * covered, missing, score)
