"""The answerer: an answer from the pages read and from nothing else, or a refusal."""

from __future__ import annotations

from docpipe.agents.mmdocr1.state import State
from docpipe.agents.verifier import verify
from docpipe.records import Answer, Reading
from docpipe.stages import PageReader

NOTHING_FOUND = "Not answerable: no page of the documents has to do with the question."


def answer(state: State, reader: PageReader) -> Answer:
    """What the reader answers from all pages read, in the order they were read, with quotes that
    were checked."""
    contents = list(state.read.values())
    if not contents:
        return Answer(NOTHING_FOUND, None, "none", False, (), 0.0, reason="not_found")
    reading = reader.read(contents, state.question, _asked(state))
    return verify(reading.answer or _composed(reading), state.tools.library.document)


def _asked(state: State) -> str:
    """The question, with what was calculated on the way."""
    results = (f"{expression} = {result.text}" for expression, result in state.worked)
    return "\n".join([state.question, *(f"(Calculated: {line})" for line in results)])


def _composed(reading: Reading) -> Answer:
    """The answer of a reader that only gathers: its summary, as far as it is evidenced."""
    if not reading.evidence:
        return Answer(NOTHING_FOUND, None, "none", False, (), 0.0)
    best = max(item.score for item in reading.evidence)
    confidence = min(max(best, 0.0), 1.0)
    return Answer(reading.summary, None, "none", True, reading.evidence, confidence)
