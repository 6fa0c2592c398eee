from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.retrieval.words import (
    FAINT_WEIGHT,
    FORM_WEIGHT,
    other_forms,
    query_weights,
    term_hash,
    term_hashes,
    word_count,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,234.5 of 18.29%", ["1234.5", "of", "18.29"]),
        ("The author's state-of-the-art", ["the", "author", "state", "of", "the", "art"]),
        ("Café ﬁle ÄRGER", ["cafe", "file", "arger"]),
        ("v2.0 FY2021, CA19.", ["v2", "0", "fy2021", "ca19"]),
        ("日本語の", ["日本", "本語", "語の"]),
        ("한국어", ["한국", "국어"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_pairs_skip_function_words_but_not_order() -> None:
    pair = set(term_hashes("rate return").tolist()) - {term_hash("rate"), term_hash("return")}
    assert pair <= set(term_hashes("the rate of return").tolist())
    assert not pair <= set(term_hashes("return rate").tolist())


def test_terms_of_a_query() -> None:
    weights = query_weights("How many charts does the report show?")
    assert weights[term_hash("charts")] == 1.0
    assert weights[term_hash("chart")] == FORM_WEIGHT
    assert weights[term_hash("report")] == FAINT_WEIGHT
    assert term_hash("the") not in weights


@pytest.mark.parametrize(
    ("word", "form"),
    [("companies", "company"), ("posting", "posted"), ("uses", "using"), ("rely", "relies")],
)
def test_other_forms(word: str, form: str) -> None:
    assert form in other_forms(word)
    assert word not in other_forms(word)


@given(st.text())
def test_any_text_has_terms_that_find_it(text: str) -> None:
    hashes = term_hashes(text)
    assert hashes.dtype == np.uint64
    assert set(hashes.tolist()) <= query_weights(text).keys()
    assert word_count(text) >= 0
