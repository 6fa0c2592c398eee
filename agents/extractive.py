"""A reader without a model: it finds the passage that answers, quotes it, and gives a short value.

It says "not answerable" when the pages do not speak of what the question names, when only the look
of the page could tell, or when the answer would have to be computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.agents.comparing import compare, extreme
from docpipe.agents.passages import Passage, passages, passages_of
from docpipe.agents.picking import pick
from docpipe.agents.question import Question, analyse
from docpipe.agents.reasons import refuse
from docpipe.agents.recent import Recent
from docpipe.agents.relevance import Match, Query, Vocabulary, rank, vocabulary, weigh
from docpipe.agents.statements import asked_formula, compute, is_figure
from docpipe.agents.structure import counted_parts
from docpipe.agents.sufficiency import confidence, signals
from docpipe.agents.terms import content_words
from docpipe.agents.verifier import cite
from docpipe.content import block_text
from docpipe.records import Answer, AnswerFormat, Document, Evidence, Reading, TextBlock
from docpipe.stages import PageContent

_QUOTES = 4
_SEEN = 0.6
_WORKED = 0.5


class ExtractiveReader:
    """Reads pages without a model.

    It refuses below a confidence of `threshold`; the confidence of a refusal is that of the answer
    it withholds.
    """

    checks_numbers = True  # those that stand in no quote are worked out from the quotes, in code

    def __init__(self, *, threshold: float = 0.09) -> None:
        self.threshold = threshold
        self._vocabularies: Recent[str, Vocabulary] = Recent(8)
        self._passages: Recent[tuple[str, int], tuple[Passage, ...]] = Recent(100)

    def read(self, pages: Sequence[PageContent], question: str, sub_question: str) -> Reading:
        """Answer `sub_question` from the pages, the most likely page first."""
        asked = analyse(sub_question)
        documents = {content.document.id: content.document for content in pages}
        query = weigh(asked, [self._vocabulary(document) for document in documents.values()])
        found = passages(_named(asked, pages), self._passages_of)
        matches = rank(found, query)
        likely = pages[0].document if pages else None
        known = (_count(asked, likely) or _title(asked, likely)) if likely else None
        if likely and not known and not self._lacks(asked, query, likely):
            known = _computed(sub_question, [p for p in pages if p.document.id == likely.id])
        answer = known or self._worked(matches, query, found) or self._answer(matches, query)
        return Reading(
            pages=tuple(content.page.number for content in pages),
            summary=answer.text,
            findings=tuple(evidence.quote for evidence in answer.evidence),
            evidence=answer.evidence,
            answer=answer,
        )

    def _answer(self, matches: list[Match], query: Query) -> Answer:
        picks = pick(matches, query)
        if not picks:
            return refuse(None, query)
        best = picks[0]
        sure = confidence(signals(best, query))
        if sure < self.threshold:
            return refuse(best, query, _evidence(matches[:2]), sure)
        return Answer(
            best.text, best.value, best.format, True, _evidence(best.matches[:_QUOTES]), sure
        )

    def _worked(
        self, matches: list[Match], query: Query, found: Sequence[Passage]
    ) -> Answer | None:
        """An answer worked out over cells: a difference, the highest of a column."""
        documents = {p.content.document.id: p.content.document for p in found}

        def ranked(question: Question) -> tuple[list[Match], Query]:
            asked = weigh(question, [self._vocabulary(document) for document in documents.values()])
            return rank(found, asked), asked

        worked = compare(query.question, ranked) or extreme(matches, query)
        if worked is None or query.unknown:
            return None
        form: AnswerFormat = "str" if isinstance(worked.value, str) else "float"
        evidence = _evidence(worked.matches)
        return Answer(worked.text, worked.value, form, True, evidence, _WORKED * worked.fit)

    def _lacks(self, asked: Question, query: Query, document: Document) -> bool:
        """Whether a document lacks a name of the question; figures are not called as they are
        asked for."""
        known = self._vocabulary(document).frequency
        return any(
            not known[word] and not is_figure(word)
            for name in query.unknown_in[document.id]
            for word in content_words(name)
        )

    def _vocabulary(self, document: Document) -> Vocabulary:
        return self._vocabularies.get(document.id, lambda: vocabulary(document))

    def _passages_of(self, content: PageContent) -> tuple[Passage, ...]:
        key = (content.document.id, content.page.number)
        return self._passages.get(key, lambda: passages_of(content))


def _named(asked: Question, pages: Sequence[PageContent]) -> list[PageContent]:
    """The pages that the question names by number or label, all where it names none of them."""
    named = [
        content
        for content in pages
        if {str(content.page.number), content.page.label.casefold()} & set(asked.pages)
    ]
    return named or list(pages)


def _count(asked: Question, document: Document) -> Answer | None:
    """The answer to "how many tables are in the document"."""
    parts = counted_parts(asked, document)
    if not parts:
        return None
    evidence = tuple(
        cite(document, part.page, part.block, 0, len(block_text(part.block)), 1.0) for part in parts
    )
    labels = ", ".join(part.label for part in parts)
    text = f"{len(parts)} (numbered {labels})"
    return Answer(text, len(parts), "int", True, evidence, _SEEN)


def _computed(question: str, pages: Sequence[PageContent]) -> Answer | None:
    """A figure or ratio of financial statements, with the rows it is computed from."""
    formula = asked_formula(question)
    computed = compute(formula, question, pages) if formula else None
    if computed is None:
        return None
    evidence = tuple(
        cite(p.content.document, p.content.page, p.block, p.start, p.end, 1.0)
        for p in {
            (o.passage.block.id, o.passage.start): o.passage for o in computed.operands
        }.values()
    )
    return Answer(computed.text, computed.value, "float", True, evidence, _SEEN)


def _title(asked: Question, document: Document) -> Answer | None:
    """The answer to "what is the title of this paper": the title on the first pages."""
    if not asked.is_title:
        return None
    for page in document.pages[:3]:
        for block in page.blocks:
            if isinstance(block, TextBlock) and block.role == "title":
                evidence = cite(document, page, block, 0, len(block.text), 1.0)
                return Answer(block.text, block.text, "str", True, (evidence,), _SEEN)
    return None


def _evidence(matches: Sequence[Match]) -> tuple[Evidence, ...]:
    return tuple(
        cite(
            match.passage.content.document,
            match.passage.content.page,
            match.passage.block,
            match.passage.start,
            match.passage.end,
            round(min(1.0, max(0.0, match.score)), 4),
        )
        for match in matches
    )
