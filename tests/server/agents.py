"""Agents for the tests of the server."""

from __future__ import annotations

import time

from docpipe.content import block_text, locate
from docpipe.records import (
    Answer,
    Document,
    Entity,
    Evidence,
    Finish,
    Region,
    Search,
    Source,
    Step,
    Trajectory,
)
from docpipe.stages import LibraryView


class QuotingAgent:
    """Answers with the block that fits best, or refuses when nothing is found."""

    def run(self, question: str, library: LibraryView) -> Trajectory:
        hits = library.search(question, 3)
        steps = (Step(Search((question,)), f"{len(hits)} hits"), Step(Finish("done"), ""))
        if "unknown" in question or not hits:
            return Trajectory("t", question, steps, _answer("Not answerable.", False, ()))
        document = library.document(hits[0].chunk.document)
        page = document.pages[0]
        block = page.blocks[0]
        text = block_text(block)
        regions = locate(document, block, 0, len(text))
        evidence = Evidence(document.id, 1, page.label, block.id, regions, text, 0.9)
        return Trajectory("t", question, steps, _answer(text, True, (evidence,)))


class SlowAgent(QuotingAgent):
    """Searches again and again, for a minute."""

    def run(self, question: str, library: LibraryView) -> Trajectory:
        for number in range(600):
            library.search(f"{question} {number}", 1)
            time.sleep(0.1)
        return super().run(question, library)


def _answer(text: str, answerable: bool, evidence: tuple[Evidence, ...]) -> Answer:
    return Answer(text, text if answerable else None, "str", answerable, evidence, 0.8)


class YearClassifier:
    """Finds the words with the digits of a year."""

    def classify(self, document: Document) -> tuple[Entity, ...]:
        return tuple(
            Entity(
                f"p{page.number}/e{at}",
                "fake",
                (at,),
                Source((Region(page.number, word.bbox),), "fake"),
                word.text,
                0.9,
            )
            for page in document.pages
            for at, word in enumerate(page.words)
            if any(char.isdigit() for char in word.text)
        )
