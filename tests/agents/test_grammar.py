"""The action grammar: what models write is understood, or said to be malformed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.agents.mmdocr1.grammar import parse, render
from docpipe.geometry import BBox
from docpipe.records import (
    Action,
    Calculate,
    Finish,
    Look,
    Malformed,
    PageRequest,
    Read,
    Region,
    Search,
)

ONE = ["a" * 16]
TWO = ["a" * 16, "b" * 16]


def read(*pages: int, document: str = ONE[0], question: str = "Q?") -> Read:
    return Read((PageRequest(document, pages, question),))


@pytest.mark.parametrize(
    ("written", "action"),
    [
        (
            '```tool_code\n<search>["net income", "assets"]</search>\n```',
            Search(("net income", "assets")),
        ),
        ("<search>net income</search>", Search(("net income",))),
        ("<search>['net income', 'net income']", Search(("net income",))),
        ('<search>["net income", "assets"</search>', Search(("net income", "assets"))),
        ('<search>{"queries": ["net income"]}</search>', Search(("net income",))),
        ('<read>[{"page_ids": [3, 4], "query": "x"}]</read>', read(3, 4, question="x")),
        ("<read>[{'page_ids': '3, 5'}]</read>", read(3, 5)),
        ("<read>[3, 4, 3]</read>", read(3, 4)),
        ("<READ>page 7</READ>", read(7)),
        ("<read>[3.0]</read>", read(3)),
        ('<read>["3-5", 9]</read>', read(3, 4, 5, 9)),
        ("Enough. <FINISH>", Finish("the model has finished")),
        ("<finished/>", Finish("the model has finished")),
        ("<calculate>(3 +\n 4)</calculate>", Calculate("(3 + 4)")),
        (
            '<look>{"page_id": 2, "box": [9, 2, 3, 4], "query": "colour"}</look>',
            Look(ONE[0], Region(2, BBox(3, 2, 9, 4)), "colour"),
        ),
    ],
)
def test_what_is_meant_is_understood(written: str, action: Action) -> None:
    assert parse(written, ONE, "Q?").action == action


@pytest.mark.parametrize(
    "written",
    [
        "",
        "The answer is 7.",
        "<search>[]</search>",
        "<read></read>",
        '<look>{"page_id": 2}</look>',
        '<look>{"page_id": 2, "box": [0, 0, 1, "x"]}</look>',
        '<read>["9:4"]</read>',
    ],
)
def test_what_is_no_action_is_malformed_and_says_how_to_write_one(written: str) -> None:
    action = parse(written, ONE, "Q?").action
    assert isinstance(action, Malformed)
    assert "<" in action.problem or "document" in action.problem


def test_thoughts_are_kept_and_actions_in_them_are_not_taken() -> None:
    turn = parse('<think>I could <FINISH> now.</think> <search>["x"]</search>', ONE, "Q?")
    assert turn.thought == "I could <FINISH> now."
    assert turn.action == Search(("x",))
    closed = parse('<think>It says "<FINISH>"; not for me.</think> I must go on.', ONE, "Q?")
    assert isinstance(closed.action, Malformed)
    assert parse("<think>Enough. <FINISH>", ONE, "Q?").action == Finish("the model has finished")
    assert parse("First look. <FINISH>", ONE, "Q?").thought == "First look."


def test_pages_of_several_documents_are_told_apart() -> None:
    action = parse(
        '<read>[{"page_ids": ["2:14", "1:3", "1:5"], "query": "x"}]</read>', TWO, "Q?"
    ).action
    assert action == Read((PageRequest(TWO[1], (14,), "x"), PageRequest(TWO[0], (3, 5), "x")))


def test_a_page_of_no_document_among_several_is_malformed() -> None:
    action = parse("<read>[5]</read>", TWO, "Q?").action
    assert isinstance(action, Malformed)
    assert "which document" in action.problem


TEXTS = (
    st.text(st.characters(codec="utf-8", exclude_characters="<>`"), min_size=1)
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
)
PAGES = st.lists(st.integers(1, 999), min_size=1, max_size=4, unique=True).map(tuple)
ACTIONS = st.one_of(
    st.lists(TEXTS, min_size=1, max_size=4, unique=True).map(tuple).map(Search),
    st.lists(st.builds(PageRequest, st.sampled_from(TWO), PAGES, TEXTS), min_size=1, max_size=3)
    .map(tuple)
    .map(Read),
    st.just(Finish("the model has finished")),
)


@given(ACTIONS)
def test_what_is_rendered_is_read_back(action: Action) -> None:
    assert parse(render(action, TWO), TWO, "Q?").action == action


@given(st.text())
def test_any_text_gives_an_action_or_a_problem(text: str) -> None:
    parse(text, TWO, "Q?")
