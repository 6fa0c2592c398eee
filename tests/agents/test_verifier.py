"""No answer is shown on evidence that does not stand in the documents."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.agents.verifier import UNSUPPORTED, check, cite, verify
from docpipe.content import block_text
from docpipe.records import Answer, Document, Evidence
from docpipe.testing import sample_document

DOCUMENT = sample_document(
    [
        ["The mill ground 1,250 tonnes.", "It employed 37 people, and 37 again."],
        ["A second mill opened in May.", "It employed 12 people."],
    ]
)


def open_document(id: str) -> Document:
    return {DOCUMENT.id: DOCUMENT}[id]


def answer(*evidence: Evidence) -> Answer:
    return Answer("37", 37, "int", True, evidence, 0.9)


places = st.builds(
    lambda page, block, start, length: (page, block, start, length),
    st.integers(0, 1),
    st.integers(0, 1),
    st.integers(0, 30),
    st.integers(1, 30),
)


@given(places)
def test_what_is_cited_is_true(place: tuple[int, int, int, int]) -> None:
    page, number, start, length = place
    block = DOCUMENT.pages[page].blocks[number % len(DOCUMENT.pages[page].blocks)]
    text = block_text(block)
    evidence = cite(DOCUMENT, DOCUMENT.pages[page], block, start, min(start + length, len(text)), 1)
    if evidence.quote.strip():
        assert evidence.quote in text
        assert evidence.page == page + 1
        assert evidence.regions
        assert all(region.page == evidence.page for region in evidence.regions)
        assert verify(answer(evidence), open_document) == answer(evidence)


@given(st.text(min_size=1), st.integers(-1, 5), st.sampled_from(["p1/text1", "p2/text1", "p9/x"]))
def test_invented_evidence_never_supports_an_answer(quote: str, page: int, block: str) -> None:
    evidence = Evidence(DOCUMENT.id, page, "i", block, (), quote, 1.0)
    checked = verify(answer(evidence), open_document)
    if checked.answerable:
        (kept,) = checked.evidence
        truth = DOCUMENT.pages[kept.page - 1]
        assert any(b.id == kept.block and quote in block_text(b) for b in truth.blocks)
        assert kept.page_label == truth.label
    else:
        assert checked.evidence == ()
        assert (checked.text, checked.value) == (UNSUPPORTED, None)


def true_evidence() -> Evidence:
    page = DOCUMENT.pages[0]
    return cite(DOCUMENT, page, page.blocks[0], 0, 8, 0.5)


def test_a_wrong_page_label_or_box_is_set_right() -> None:
    true = true_evidence()
    wrong = msgspec.structs.replace(true, page=2, page_label="ii", regions=())
    assert check(wrong, DOCUMENT) == true


@pytest.mark.parametrize(
    "change", [{"quote": "The mill sold"}, {"block": "p7/text1"}, {"document": "f" * 16}]
)
def test_false_evidence_is_dropped_and_the_true_kept(change: dict[str, str]) -> None:
    true = true_evidence()
    false = msgspec.structs.replace(true, **change)
    assert verify(answer(false, true), open_document).evidence == (true,)
    assert not verify(answer(false), open_document).answerable


def test_a_repeated_quote_stays_where_it_was_cited() -> None:
    page = DOCUMENT.pages[0]
    block = next(block for block in page.blocks if "37" in block_text(block))
    second = block_text(block).rindex("37")
    evidence = cite(DOCUMENT, page, block, second, second + 2, 1.0)
    assert check(evidence, DOCUMENT) == evidence


def test_a_refusal_stays_a_refusal() -> None:
    refusal = Answer("Not answerable: …", None, "none", False, (true_evidence(),), 0.4)
    assert verify(refusal, open_document) == refusal
