"""The agent: what it reads, what it leaves as a trace, and what it may see."""

from __future__ import annotations

import pytest

from docpipe.agents.mmdocr1.agent import DocumentAgent
from docpipe.agents.mmdocr1.state import pages_read
from docpipe.agents.scope import Scope
from docpipe.errors import ConfigError
from docpipe.records import Finish, Read, Reading, Search
from docpipe.registry import build
from docpipe.stages import PageContent
from docpipe.testing import FakeLibrary, FakeReader, check_agent, sample_document

MILL = sample_document(
    [["The mill employed 37 people there."], ["A second mill opened in May."], ["Flour is white."]],
    id="a" * 16,
)
BAKERY = sample_document([["The bakery employed 12 people there."]], id="b" * 16)
LIBRARY = FakeLibrary([MILL, BAKERY])


def test_the_trace_says_what_was_searched_read_and_why_it_stopped() -> None:
    trajectory = DocumentAgent().run("How many people did the mill employ?", LIBRARY)
    search, within, read, *_, finish = trajectory.steps
    assert within.action == Search(("How many people did the mill employ?",), (MILL.id,))
    assert 'query in document 1: "How many' in within.observation
    assert search.action == Search(("How many people did the mill employ?",))
    assert "page 1:1, score 3.00: The mill employed 37 people there." in search.observation
    assert isinstance(read.action, Read)
    assert (read.action.requests[0].document, read.action.requests[0].pages[0]) == (MILL.id, 1)
    assert trajectory.answer.evidence[0] in read.evidence
    assert isinstance(finish.action, Finish)
    assert "confidence" in finish.action.reason
    assert trajectory.answer.value == 37
    assert trajectory.answer.trajectory == trajectory.id


def test_runs_repeat_themselves() -> None:
    agent = DocumentAgent()
    question = "How many people did the bakery employ?"
    assert agent.run(question, LIBRARY) == agent.run(question, LIBRARY)


def test_only_the_documents_in_scope_are_asked() -> None:
    question = "How many people were employed?"
    assert DocumentAgent().run(question, Scope(LIBRARY, [BAKERY.id])).answer.value == 12
    assert DocumentAgent().run(question, Scope(LIBRARY, [MILL.id])).answer.value == 37
    refused = DocumentAgent().run(question, Scope(LIBRARY, [])).answer
    assert not refused.answerable


def test_a_scope_hides_other_documents() -> None:
    scope = Scope(LIBRARY, [BAKERY.id])
    assert list(scope.documents()) == [BAKERY.id]
    assert {hit.chunk.document for hit in scope.search("people", 10)} == {BAKERY.id}
    assert scope.search("people", 10, [MILL.id]) == []
    for forbidden in (
        lambda: scope.document(MILL.id),
        lambda: scope.chunk(f"{MILL.id}#p1/text1"),
        lambda: scope.page_image(MILL.id, 1),
    ):
        with pytest.raises(ConfigError):
            forbidden()


def test_a_page_named_in_the_question_is_read_first() -> None:
    scope = Scope(LIBRARY, [MILL.id])
    trajectory = DocumentAgent(pages=1).run("What does page 2 say about the mill?", scope)
    assert pages_read(trajectory) == [(MILL.id, 2)]


def test_at_most_so_many_pages_are_read() -> None:
    trajectory = DocumentAgent(pages=2).run("mill bakery flour people May", LIBRARY)
    assert len(pages_read(trajectory)) == 2


def test_a_reader_that_only_gathers_is_enough() -> None:
    answer = DocumentAgent(FakeReader()).run("How many people were employed?", LIBRARY).answer
    assert answer.answerable
    assert answer.evidence


def test_a_reader_that_invents_is_found_out() -> None:
    class Liar(FakeReader):
        def read(
            self,
            pages: list[PageContent],
            question: str,
            sub_question: str,  # type: ignore[override]
        ) -> Reading:
            import msgspec

            reading = super().read(pages, question, sub_question)
            false = tuple(
                msgspec.structs.replace(item, quote="It employed 9999.")
                for item in reading.evidence
            )
            return msgspec.structs.replace(reading, summary="9999", evidence=false)

    answer = DocumentAgent(Liar()).run("How many people were employed?", LIBRARY).answer
    assert not answer.answerable
    assert answer.evidence == ()


def test_the_registry_builds_it_with_options() -> None:
    agent = build("agent", "mmdocr1", {"pages": 3})
    assert agent.budget.pages == 3
    check_agent(agent)
