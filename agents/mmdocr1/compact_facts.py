"""What the compact policy knows of documents and questions apart from any run; it is remembered."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from docpipe.agents.mmdocr1.parts import title_of
from docpipe.agents.question import Question
from docpipe.agents.recent import Recent
from docpipe.agents.relevance import knows, vocabulary
from docpipe.agents.terms import words
from docpipe.content import block_text, body_blocks, page_text
from docpipe.records import Document, Figure, Page, Table, TextBlock
from docpipe.stages import Embedder

Vector = npt.NDArray[np.float32]

_DIGEST = 240
_LEAST_WORDS = 8


class PageFacts:
    """The words of a page, the pairs of words that stand side by side, and what is on it."""

    def __init__(self, page: Page) -> None:
        text = words(page_text(page))
        self.length = len(text)
        self.words = frozenset(text)
        self.pairs = frozenset(itertools.pairwise(text))
        self.heads = frozenset(words(" ".join(_heads(page))))
        self.tables = sum(isinstance(block, Table) for block in page.blocks)
        self.figures = sum(isinstance(block, Figure) for block in page.blocks)
        self.digits = sum(word[0].isdigit() for word in text) / max(1, len(text))
        self.digest = _digest(page)


class DocumentFacts:
    """The pages of a document, and how rare its words are."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.pages = {page.number: PageFacts(page) for page in document.pages}
        self._counts = Counter(word for page in self.pages.values() for word in page.words)
        self._known: dict[str, bool] = {}

    def rarity(self, word: str) -> float:
        """Inverse page frequency; 0 for a word that the document does not say."""
        count = self._counts[word]
        return math.log(1 + (len(self.pages) - count + 0.5) / (count + 0.5)) if count else 0.0

    def knows(self, name: str) -> bool:
        """Whether the document says a name, however it is spaced."""
        if name not in self._known:
            self._known[name] = knows(self._vocabulary, name)
        return self._known[name]

    @cached_property
    def _vocabulary(self) -> Any:
        return vocabulary(self.document)


class Memory:
    """Facts of the last documents, and vectors of texts. Nothing in it belongs to a run."""

    def __init__(self, embedder: Embedder, *, documents: int = 8, texts: int = 4096) -> None:
        self._embedder = embedder
        self._documents: Recent[str, DocumentFacts] = Recent(documents)
        self._vectors: dict[str, Vector] = {}
        self._texts = texts

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def document(self, document: Document) -> DocumentFacts:
        return self._documents.get(document.id, lambda: DocumentFacts(document))

    def vectors(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Rows of unit length; of empty texts zeros. [len(texts), dimension]"""
        zero = np.zeros(self.dimension, np.float32)
        found = {text: self._vectors.get(text) for text in texts if text}
        missing = [text for text, vector in found.items() if vector is None]
        if missing:
            fresh = dict(zip(missing, self._embedder.embed_texts(missing), strict=True))
            found |= fresh
            self._vectors |= fresh
            while len(self._vectors) > self._texts:
                self._vectors.pop(next(iter(self._vectors)), None)
        return np.stack([zero if (row := found.get(text)) is None else row for text in texts])


def covered(asked: Question, facts: DocumentFacts, said: frozenset[str]) -> float:
    """The share of a question's terms, weighted by rarity, that some words hold; 0-1."""
    weights = {term: facts.rarity(term) for term in asked.terms}
    total = sum(weights.values())
    return sum(weights[term] for term in weights if term in said) / total if total else 0.0


def _heads(page: Page) -> list[str]:
    """The titles, headings and captions of a page."""
    found = []
    for block in body_blocks(page):
        match block:
            case TextBlock(role="title" | "heading" | "caption", text=text):
                found.append(text)
            case Table(caption=str(text)) | Figure(caption=str(text)):
                found.append(text)
    return found


def _digest(page: Page) -> str:
    """What a page is about in one line: its titles and captions, then how it begins."""
    heads = _heads(page) or [title_of(page)]
    begins = next(
        (
            text
            for block in body_blocks(page)
            if len((text := block_text(block)).split()) > _LEAST_WORDS
        ),
        "",
    )
    return " ".join(" ".join([*heads, begins]).split())[:_DIGEST]
