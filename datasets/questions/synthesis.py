"""Questions made up from a library: every one is checked, and can be made again from its id.

A question of a kind is drawn with a number of its own from the facts of one document. Draws that
fail the check are left out, so numbers are not consecutive; what is kept does not depend on how
many are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random

from docpipe.datasets.questions import parts, tables, texts
from docpipe.datasets.questions.checking import problem
from docpipe.datasets.questions.drafts import Draft, is_unique
from docpipe.datasets.questions.facts import Facts
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.errors import ConfigError
from docpipe.stages import LibraryView

KINDS = tables.KINDS | parts.KINDS | texts.KINDS

_TRIES = 6  # draws for each question wanted
_OTHERS = 2  # documents from which absent things are taken
_KEPT = 8


class Synthesiser:
    """Makes questions about the documents of a library. `kinds` are all where none is named.

    Raises ConfigError for an unknown kind.
    """

    def __init__(self, library: LibraryView, *, seed: int = 0, kinds: Sequence[str] = ()) -> None:
        for kind in kinds:
            _known(kind)
        self.library = library
        self.seed = seed
        self.kinds = tuple(kinds) or tuple(KINDS)
        self.documents = list(library.documents())
        self.facts = lru_cache(_KEPT)(lambda id: Facts(library.document(id)))

    def questions(self, document: str, per_kind: int) -> Iterator[GoldQuestion]:
        """At most `per_kind` questions of each kind about a document, no wording twice."""
        seen: set[str] = set()
        for kind in self.kinds:
            found = 0
            for number in range(per_kind * _TRIES):
                made = self.make(document, kind, number)
                if made and made.question not in seen:
                    seen.add(made.question)
                    found += 1
                    yield made
                if found == per_kind:
                    break

    def make(self, document: str, kind: str, number: int) -> GoldQuestion | None:
        """The question with this number, or None where the draw gave none that holds."""
        rng = Random(f"{self.seed}/{document}/{kind}/{number}")
        facts = self.facts(document)
        others = [self.facts(id) for id in self._others(document)] if kind == "absent" else []
        draft = KINDS[kind](facts, rng, others)
        if draft is None or not all(is_unique(facts, named) for named in draft.named):
            return None
        made = _question(draft, f"{document}-{kind}-{self.seed}-{number}", kind, document)
        return None if problem(made, self.library) else made

    def _others(self, document: str) -> list[str]:
        at = self.documents.index(document)
        return (self.documents[at + 1 :] + self.documents[:at])[:_OTHERS]


def replay(question: GoldQuestion, library: LibraryView) -> GoldQuestion | None:
    """The question made again from its id: equal, if the library's documents are what they were.

    Raises ConfigError for questions that were not made up.
    """
    try:
        document, kind, seed, number = question.id.split("-")
        maker = Synthesiser(library, seed=int(seed), kinds=(kind,))
        return maker.make(document, kind, int(number))
    except ValueError:
        raise ConfigError(f"{question.id} is no question that was made up") from None


def _question(draft: Draft, id: str, kind: str, document: str) -> GoldQuestion:
    pages = dict.fromkeys((item.document, item.page) for item in draft.evidence)
    return GoldQuestion(
        id=id,
        kind=kind,
        question=draft.question,
        answer=draft.answer,
        format=draft.format,
        how=draft.how,
        documents=(document,),
        pages=tuple(pages),
        evidence=draft.evidence,
        answerable=draft.answerable,
    )


def _known(kind: str) -> None:
    if kind not in KINDS:
        raise ConfigError(f"unknown kind {kind!r}", hint=f"known: {', '.join(KINDS)}")
