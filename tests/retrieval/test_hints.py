from __future__ import annotations

import time

import msgspec
import pytest

from docpipe.records import Document
from docpipe.retrieval.finance import asked_statements, statements_on
from docpipe.retrieval.hints import asked_kinds, asked_names, page_names
from tests.retrieval.builders import document, figure, table, text


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is on page 12?", ["page 12", "label 12"]),
        ("the preface on page iv", ["page iv", "label iv"]),
        ("How many colors are in the slide 14?", ["page 14", "label 14"]),
        ("signatures on pages 3 and 5", ["page 3", "label 3", "page 5", "label 5"]),
        ("from Page 3 to Page 5", [f"{k} {n}" for n in (3, 4, 5) for k in ("page", "label")]),
        ("on the last page", ["page -1"]),
        ("the second to last page", ["page -2"]),
        ("in Table1-1 and Fig. 2.1", ["table 1-1", "figure 2.1"]),
        ("Figure 3a", ["figure 3a", "figure 3"]),
        ("the first figure of Section 3.2", ["section 3.2", "figure 1"]),
        ("units 4, 5 and 6", ["unit 4", "unit 5", "unit 6"]),
        ("What does Appendix B say?", ["appendix b"]),
        ("the rule in § 4.2", ["section 4.2"]),
        ("How many charts are there? Answer like ['Page 2', 'Page 4']", []),
        ("Show me a table or figure", []),
        ("Which pages list the steps?", []),
    ],
)
def test_names_in_a_question(question: str, names: list[str]) -> None:
    assert asked_names(question) == names


@pytest.mark.parametrize(
    "question", ["page 1 " + ", " * 5000 + "x", "pages 1-" + "9" * 5000, "fig " * 5000, "[" * 9999]
)
def test_hostile_questions_take_no_time(question: str) -> None:
    start = time.process_time()
    asked_names(question)
    asked_kinds(question)
    asked_statements(question)
    assert time.process_time() - start < 1.0


def test_names_of_pages() -> None:
    made = document(
        [
            [text(1, 1, "Figure 2: Growth", "caption"), figure(1, 2)],
            [table(2, 1, [["a"]], "Table IV. Prices"), text(2, 2, "3.1 Results", "heading")],
            [text(3, 1, "Table 9 shows that prices rise."), text(3, 2, "Unit 14: The sea")],
        ]
    )
    first, second, third = page_names(made)
    assert {"page 1", "page -3", "figure 2", "has figure"} <= set(first)
    assert {"page -2", "table iv", "section 3.1", "has table"} <= set(second)
    assert {"page -1", "unit 14"} <= set(third)
    assert "table 9" not in third


def printed(*footers: str) -> Document:
    return document([[text(n, 1, foot, "page_footer")] for n, foot in enumerate(footers, 1)])


def test_printed_page_numbers_are_names() -> None:
    names = page_names(printed("2021 Annual report", "7 | 2021", "8 | 2021", "9 | 2021"))
    assert "label 7" in names[1]
    assert "label 9" in names[3]
    assert not any("label 2021" in name for name in names)


def test_spreads_have_two_printed_page_numbers() -> None:
    names = page_names(printed("2 3", "4 5", "6 7"))
    assert {"label 4", "label 5"} <= set(names[1])


def test_labels_of_the_file_are_names() -> None:
    made = document([[], []])
    front = msgspec.structs.replace(made.pages[0], label="IV")
    names = page_names(msgspec.structs.replace(made, pages=(front, made.pages[1])))
    assert "label iv" in names[0]


def test_kinds_in_a_question() -> None:
    assert asked_kinds("How many pie charts are there?") == ["has figure"]
    assert asked_kinds("the biggest number in the table") == ["has table"]
    assert asked_kinds("the table of contents") == []
    assert asked_kinds("Who wrote this paper?") == ["page 1"]
    assert asked_kinds("According to this paper, who wrote the first novel?") == []


FIGURES = " ".join(f"{n},000" for n in range(40))


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (f"CONSOLIDATED BALANCE SHEETS {FIGURES}", ["statement balance"]),
        (f"Consolidated Statements of Cash Flows {FIGURES}", ["statement cash"]),
        (f"Consolidated Statements of Earnings {FIGURES}", ["statement income"]),
        ("The balance sheet is on page 40.", []),
        (f"Store openings {FIGURES}", []),
    ],
)
def test_pages_that_are_financial_statements(content: str, names: list[str]) -> None:
    assert statements_on(content) == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is the return on assets?", ["statement balance", "statement income"]),
        ("What is EBITDA in 2020?", ["statement income", "statement cash"]),
        ("How large is goodwill?", ["statement balance"]),
        ("Who is the chairman?", []),
    ],
)
def test_statements_a_question_is_answered_from(question: str, names: list[str]) -> None:
    assert asked_statements(question) == names
