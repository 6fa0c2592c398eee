"""Scores of chunks and pages for a query: BM25 at three levels, named places, neighbours.

The statistics of BM25 (how rare a term is, how long a page) are those of the documents searched: a
question about one document ranks its pages as if nothing else were in the library. For them, for
weights of single query terms, and for chunks, pages and documents scored from the same postings,
BM25 is computed here: bm25s, which the tests take as the oracle, fixes statistics and weights when
it indexes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np

from docpipe.config import Fusion
from docpipe.retrieval.finance import asked_statements
from docpipe.retrieval.fusion import reciprocal_rank_fusion
from docpipe.retrieval.hints import asked_kinds, asked_names
from docpipe.retrieval.postings import Lists
from docpipe.retrieval.words import query_weights, term_hash

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

K1, B = 1.5, 0.75
# How much of its page's score a chunk gets: the more, the more the first chunks share a page.
PAGE_SHARE = 0.3


class Weights(msgspec.Struct, frozen=True):
    """What a page's score is made of, beside BM25 of its text.

    `chunk`: BM25 of its best chunk. `document`: BM25 of its document among those searched.
    `place`: share of the best page's score added for each place named in the question;
    `statement`: for each financial statement that it has to be answered from;
    `kind`: for having a table or figure when it asks about such.
    `neighbour`: share of the scores of the pages before and after. `vector`: share of the best
    chunk's BM25 that a cosine of 1 adds to a chunk's (`fusion` "sum").
    """

    chunk: float = 0.3
    document: float = 3.0
    place: float = 1.0
    statement: float = 0.7
    kind: float = 0.3
    neighbour: float = 0.05
    vector: float = 0.5


DEFAULT_WEIGHTS = Weights()


class SearchRange(msgspec.Struct, frozen=True):
    """The searched part of an index: chunks `first_chunk`… and pages `first_page`… in a row.

    Arrays count from there: the page of each chunk, the document of each page, and the words of
    each chunk (0 for chunks of documents in between that are not searched).
    """

    first_chunk: int
    first_page: int
    chunk_page: Ints
    page_document: Ints
    documents: int
    chunk_words: Ints
    searched: np.ndarray[Any, np.dtype[np.bool_]]  # of pages


class Scores(msgspec.Struct, frozen=True):
    """Of each chunk and page of the range, and how they came about: see `Index.search`."""

    chunks: Floats
    pages: Floats
    retriever: str


def score(
    query: str,
    scope: SearchRange,
    terms: Lists,
    names: Lists,
    weights: Weights,
    cosines: Floats | None = None,
    fusion: Fusion = "sum",
) -> Scores:
    """The scores of the chunks and pages in scope, 0 without a match or where not searched.

    `cosines`, if there are vectors, are those of each chunk in scope with the query, 0 or above.
    They are added to BM25 (`fusion` "sum"), or the rankings by terms and by cosines are joined by
    their ranks ("rrf").
    """
    if cosines is None:
        return Scores(*_by_terms(query, scope, terms, names, weights), "lexical")
    if fusion == "sum":
        return Scores(*_by_terms(query, scope, terms, names, weights, cosines), "hybrid")
    chunks, pages = _by_terms(query, scope, terms, names, weights)
    of_pages = _best_chunks(cosines, scope)
    return Scores(_fused(chunks, cosines), _fused(pages, of_pages), "hybrid")


def opening(scope: SearchRange) -> Scores:
    """For a query that finds nothing: pages by their number, the first of each document first."""
    pages_before = np.searchsorted(scope.page_document, scope.page_document)
    number = np.arange(1, len(scope.page_document) + 1) - pages_before
    pages = np.where(scope.searched, 1 / number, 0.0)
    return Scores(pages[scope.chunk_page], pages, "opening")


def best(scores: Floats, k: int) -> list[int]:
    """The places of the `k` highest scores above 0, the earlier one first where they are equal."""
    order = np.argsort(-scores, kind="stable")[: max(k, 0)]
    return [int(at) for at in order if scores[at] > 0]


def _by_terms(
    query: str,
    scope: SearchRange,
    terms: Lists,
    names: Lists,
    weights: Weights,
    cosines: Floats | None = None,
) -> tuple[Floats, Floats]:
    """The scores of chunks and pages by the query's terms and places, with cosines added if any."""
    found = _occurrences(query, scope, terms)
    words, of_document = scope.chunk_words, scope.page_document
    chunks = _bm25(found, np.arange(len(words)), words, len(words))
    pages = _bm25(found, scope.chunk_page, words, len(of_document))
    documents = _bm25(found, of_document[scope.chunk_page], words, scope.documents)
    if cosines is not None:
        chunks += weights.vector * chunks.max(initial=1.0) * cosines
    total = pages + weights.chunk * _best_chunks(chunks, scope)
    total += weights.neighbour * _neighbours(total, of_document)
    total += total.max(initial=1.0) * _places(query, scope, names, weights)
    total = np.where(total > 0, total + weights.document * documents[of_document], 0.0)
    total = np.where(scope.searched, total, 0.0)
    of_page = total[scope.chunk_page]
    return np.where(of_page > 0, chunks + PAGE_SHARE * of_page, 0.0), total


def _best_chunks(chunks: Floats, scope: SearchRange) -> Floats:
    """The highest score of each page's chunks, 0 for a page without."""
    pages = np.zeros(len(scope.page_document))
    np.maximum.at(pages, scope.chunk_page, chunks)
    return pages


def _fused(*scores: Floats) -> Floats:
    """The scores that the ranks of what each of `scores` finds give."""
    fused = np.zeros(len(scores[0]))
    for at, score in reciprocal_rank_fusion([best(each, len(each)) for each in scores]):
        fused[at] = score
    return fused


def _occurrences(query: str, scope: SearchRange, terms: Lists) -> list[tuple[float, Ints, Ints]]:
    """For each term of the query, its weight, the searched chunks it is in and how often."""
    end = scope.first_chunk + len(scope.chunk_page)
    found = []
    for key, weight in query_weights(query).items():
        units, counts = terms.find(key, scope.first_chunk, end)
        chunks = units.astype(np.int64) - scope.first_chunk
        inside = scope.searched[scope.chunk_page[chunks]]
        if inside.any():
            found.append((weight, chunks[inside], counts.astype(np.int64)[inside]))
    return found


def _bm25(found: list[tuple[float, Ints, Ints]], group: Ints, words: Ints, groups: int) -> Floats:
    """BM25 (Lucene's form) of `groups` groups of chunks: each chunk, each page or each document.

    `group` is the group of each chunk, ascending; `words` the length of each chunk.
    """
    lengths = np.bincount(group, words, minlength=groups)
    count = int(np.count_nonzero(lengths))
    scores = np.zeros(groups)
    if not count:
        return scores
    relative = 1 - B + B * lengths * count / lengths.sum()
    for weight, chunks, counts in found:
        groups_of = group[chunks]
        first = np.flatnonzero(np.append(True, groups_of[1:] != groups_of[:-1]))
        at = groups_of[first]
        frequency = np.add.reduceat(counts, first)
        rarity = math.log(1 + (count - len(at) + 0.5) / (len(at) + 0.5))
        saturated = frequency * (K1 + 1) / (frequency + K1 * relative[at])
        scores[at] += weight * rarity * saturated
    return scores


def _neighbours(scores: Floats, document: Ints) -> Floats:
    """The sum of the scores of the page before and the page after, in the same document."""
    same = document[1:] == document[:-1]
    total = np.zeros(len(scores))
    total[1:] += np.where(same, scores[:-1], 0)
    total[:-1] += np.where(same, scores[1:], 0)
    return total


def _places(query: str, scope: SearchRange, names: Lists, weights: Weights) -> Floats:
    """What each page gets for the places that the query names or asks for."""
    return (
        weights.place * _named(asked_names(query), scope, names)
        + weights.statement * _named(asked_statements(query), scope, names)
        + weights.kind * _named(asked_kinds(query), scope, names)
    )


def _named(names_asked: Iterable[str], scope: SearchRange, names: Lists) -> Floats:
    """How many of the names each page has."""
    total = np.zeros(len(scope.page_document))
    end = scope.first_page + len(total)
    for name in names_asked:
        units, _ = names.find(term_hash(name), scope.first_page, end)
        total[units.astype(np.int64) - scope.first_page] += 1
    return total
