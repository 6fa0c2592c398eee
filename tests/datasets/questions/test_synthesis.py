"""Questions that are made up hold, lead to one place, and can be made again."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from docpipe.content import find_block
from docpipe.datasets.matching import as_list
from docpipe.datasets.questions.checking import problem
from docpipe.datasets.questions.facts import Facts
from docpipe.datasets.questions.record import GoldQuestion, read_jsonl, write_jsonl
from docpipe.datasets.questions.synthesis import KINDS, Synthesiser, replay
from docpipe.errors import ConfigError, SchemaError
from docpipe.records import Document, Page
from tests.datasets.questions.documents import BAKERS, MILLS, MemoryLibrary, document, text

LIBRARY = MemoryLibrary(MILLS, BAKERS)


@pytest.fixture(scope="module")
def made() -> list[GoldQuestion]:
    return list(Synthesiser(LIBRARY).questions("aaaa", 4))


def of_kind(questions: list[GoldQuestion], kind: str) -> list[GoldQuestion]:
    return [question for question in questions if question.kind == kind]


def test_each_kind_is_made_and_checked(made: list[GoldQuestion]) -> None:
    assert {question.kind for question in made} == set(KINDS)
    assert [problem(question, LIBRARY) for question in made] == [""] * len(made)
    assert len({question.question for question in made}) == len(made)


def test_each_is_made_again_from_its_id(made: list[GoldQuestion]) -> None:
    assert [replay(question, LIBRARY) for question in made] == made


def test_more_questions_begin_with_the_same(made: list[GoldQuestion]) -> None:
    fewer = list(Synthesiser(LIBRARY).questions("aaaa", 1))
    assert {question.id for question in fewer} <= {question.id for question in made}


def test_another_seed_gives_other_questions(made: list[GoldQuestion]) -> None:
    other = list(Synthesiser(LIBRARY, seed=7).questions("aaaa", 4))
    assert {question.question for question in other} != {question.question for question in made}


def test_cells_have_the_box_of_the_cell(made: list[GoldQuestion]) -> None:
    for question in of_kind(made, "cell"):
        (evidence,) = question.evidence
        block = find_block(MILLS, evidence.block)
        cells = [cell for cell in getattr(block, "cells", ()) if cell.text == question.answer]
        assert [cell.region for cell in cells] == list(evidence.regions)


def test_comparisons_name_the_row_that_has_more_or_less(made: list[GoldQuestion]) -> None:
    found = {(question.how, question.answer) for question in of_kind(made, "compared")}
    assert found
    by_output = {("greater", "Upper mill"), ("less", "Lower mill")}
    by_staff = {("greater", "Lower mill"), ("less", "Upper mill")}
    by_height = {("greater", "Stone weir"), ("less", "Timber weir")}
    assert found <= by_output | by_staff | by_height


def test_references_lead_from_a_passage_to_a_caption_elsewhere(made: list[GoldQuestion]) -> None:
    for question in of_kind(made, "referred"):
        assert question.answer == "Barges between field and granary"
        assert question.pages == (("aaaa", 1), ("aaaa", 3))


def test_two_statements_are_answered_by_both(made: list[GoldQuestion]) -> None:
    said = {"the one at Kirk Bridge", "a gift of the abbey"}
    assert {
        frozenset(as_list(question.answer)) for question in of_kind(made, "two_statements")
    } == {frozenset(said)}


def test_clauses_are_no_subjects() -> None:
    said = "The notes on mills that stand there are a help. The red mill is a ruin."
    library = MemoryLibrary(document("dddd", (text(1, 1, said),)))
    questions = Synthesiser(library, kinds=("statement",)).questions("dddd", 3)
    assert {question.answer for question in questions} == {"a ruin"}


def test_counts_name_the_pages_of_what_is_counted(made: list[GoldQuestion]) -> None:
    (question,) = {q.answer: q for q in of_kind(made, "parts_of_section")}.values()
    assert (question.answer, question.pages) == ("2", (("aaaa", 3),))


def test_what_cannot_be_answered_is_named_in_another_document_only(
    made: list[GoldQuestion],
) -> None:
    everything = Facts(MILLS).vocabulary
    for question in of_kind(made, "absent"):
        assert not question.answerable
        assert not question.pages
        assert not {"rye", "barley", "yeast"} & everything


def test_a_question_that_fits_two_pages_is_not_made() -> None:
    twice = "The oldest wheel is the one at Kirk Bridge."
    library = MemoryLibrary(document("cccc", (text(1, 1, twice),), (text(2, 1, twice),)))
    assert list(Synthesiser(library).questions("cccc", 3)) == []


def test_the_check_tells_what_is_wrong(made: list[GoldQuestion]) -> None:
    question = of_kind(made, "difference")[0]
    wrong = msgspec.structs.replace(question, answer="7")
    assert "does not follow" in problem(wrong, LIBRARY)
    beyond = msgspec.structs.replace(question, pages=(*question.pages, ("aaaa", 9)))
    assert "no page 9" in problem(beyond, LIBRARY)
    moved = msgspec.structs.replace(question, pages=(("aaaa", 1),))
    assert "is not named" in problem(moved, LIBRARY)
    emptied: Document = msgspec.structs.replace(
        MILLS, pages=tuple(Page(n, str(n), 600, 800) for n in range(1, 5))
    )
    assert "does not stand" in problem(question, MemoryLibrary(emptied))


def test_files_keep_questions_and_name_a_broken_line(
    made: list[GoldQuestion], tmp_path: Path
) -> None:
    path = tmp_path / "new" / "questions.jsonl"
    assert write_jsonl(path, made) == len(made)
    assert list(read_jsonl(path)) == made
    path.write_bytes(path.read_bytes() + b'{"id": 3}\n')
    with pytest.raises(SchemaError, match=f"line {len(made) + 1}"):
        list(read_jsonl(path))


def test_unknown_kinds_and_ids_are_told() -> None:
    with pytest.raises(ConfigError, match="unknown kind 'riddle'"):
        Synthesiser(LIBRARY, kinds=("riddle",))
    released = GoldQuestion(
        id="mmlongbench-3",
        kind="mmlongbench",
        question="?",
        answer="1",
        format="Int",
        how="given",
        documents=("aaaa",),
    )
    with pytest.raises(ConfigError, match="made up"):
        replay(released, LIBRARY)
