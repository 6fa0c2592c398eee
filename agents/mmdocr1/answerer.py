"""The answerer: an answer from the pages read and what was found on the way, or a refusal."""

from __future__ import annotations

from docpipe.agents.mmdocr1.state import State
from docpipe.agents.notes import Note, NoteReader
from docpipe.agents.numbers import supported, told_by
from docpipe.agents.verifier import verify
from docpipe.records import Answer, AnswerFormat, Reading
from docpipe.stages import PageReader

NOTHING_FOUND = "Not answerable: no page of the documents has to do with the question."

_WORKED = 0.5
_MOST_NOTES = 12


def answer(state: State, reader: PageReader) -> Answer:
    """What the reader answers from all pages read, in the order they were read, with quotes and
    numbers that were checked. The question reaches the reader as it was asked.

    A reader that takes no notes is helped out by the last calculation over cells where it refuses.
    """
    contents = list(state.read.values())
    notes = _notes(state)
    if not contents and not notes:
        return Answer(NOTHING_FOUND, None, "none", False, (), 0.0, reason="not_found")
    if isinstance(reader, NoteReader):
        reading = reader.read_with(contents, state.question, notes)
    else:
        reading = reader.read(contents, state.question, state.question)
    document = state.tools.library.document
    given = verify(reading.answer or _composed(reading), document)
    if not getattr(reader, "checks_numbers", False):
        told = told_by(given.evidence, document)
        worked = [calculation for _, calculation in state.worked]
        counted = state.asked.kind == "count"
        given = supported(given, told, state.question, worked, counted=counted)
    if given.answerable or isinstance(reader, NoteReader):
        return given
    return _calculated(state) or given


def _notes(state: State) -> list[Note]:
    """What was read for sub-questions, looked at and calculated; of many the last."""
    worked = [
        Note(f"calculated: {expression} = {result.text}", result.evidence, result)
        for expression, result in state.worked
    ]
    found = [
        Note(f"found before: {' '.join(reading.findings) or reading.summary}", reading.evidence)
        for reading in state.readings
        if reading.evidence and (reading.answer is None or reading.answer.answerable)
    ]
    return [*found, *state.looks, *worked][-_MOST_NOTES:]


def _calculated(state: State) -> Answer | None:
    """The last calculation over cells as the answer, if its other numbers are units at most."""
    for expression, result in reversed(state.worked):
        evidence = result.evidence
        if evidence:
            value = int(result.value) if result.value == int(result.value) else result.value
            form: AnswerFormat = "int" if isinstance(value, int) else "float"
            text = f"{result.text} = {expression}"
            given = Answer(text, value, form, True, evidence, _WORKED)
            told = told_by(evidence, state.tools.library.document)
            checked = supported(given, told, state.question, [result])
            return checked if checked.answerable else None
    return None


def _composed(reading: Reading) -> Answer:
    """The answer of a reader that only gathers: its summary, as far as it is evidenced."""
    if not reading.evidence:
        return Answer(NOTHING_FOUND, None, "none", False, (), 0.0)
    best = max(item.score for item in reading.evidence)
    confidence = min(max(best, 0.0), 1.0)
    return Answer(reading.summary, None, "none", True, reading.evidence, confidence)
