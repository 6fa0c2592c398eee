"""Hyphenation is undone on evidence only."""

from __future__ import annotations

import pytest

from docpipe.parsers.native.hyphens import Vocabulary, join_lines

KNOWN = Vocabulary(
    words=frozenset({"government", "cost", "benefit", "well", "known", "winter"}),
    hyphenated=frozenset({"re-cover"}),
)


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (["the govern-", "ment said"], "the government said"),
        (["a cost-", "benefit study"], "a cost-benefit study"),
        (["a well-", "known gap"], "a well-known gap"),
        (["to re-", "cover it"], "to re-cover it"),
        (["an inves-", "tigation"], "an investigation"),
        (["soft\u00ad", "ened by in\u00adner hyphens"], "softened by inner hyphens"),
        (["pages 12-", "15 and"], "pages 12-15 and"),
        (["the Anglo-", "Saxon kings"], "the Anglo-Saxon kings"),
        (["a dash -", "stays one"], "a dash - stays one"),
        (["日本", "語の文"], "日本語の文"),
        (["한국어", "문장"], "한국어 문장"),
        (["two", "lines"], "two lines"),
    ],
)
def test_lines_are_joined(lines: list[str], joined: str) -> None:
    assert join_lines(lines, KNOWN)[0] == joined


def test_only_undone_hyphens_are_reported() -> None:
    assert join_lines(["a cost-", "benefit"], KNOWN)[1] is False
    assert join_lines(["the win-", "ter"], KNOWN)[1] is True
