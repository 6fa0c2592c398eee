"""Damaged files have spans of absurd size: they cost no time."""

from __future__ import annotations

import time

from docpipe.geometry import BBox
from docpipe.parsers.native.words import style_words
from docpipe.records import Word
from docpipe.stages import TextSpan


def span(text: str, box: BBox, font: str) -> TextSpan:
    return TextSpan(
        text=text,
        bbox=box,
        font=font,
        size=10.0,
        bold=False,
        italic=False,
        color=0,
        alpha=1.0,
        direction=(1.0, 0.0),
        block=0,
        line=0,
    )


def test_spans_as_large_as_a_country_take_no_time() -> None:
    huge = BBox(-9e5, -9e5, 9e5, 9e5)
    words = [Word("near", BBox(100, 100, 130, 110)), Word("lost", BBox(300, 300, 330, 310))]
    spans = [span("near", BBox(100, 100, 130, 110), "Near"), span("wide", huge, "Wide")]
    started = time.perf_counter()
    styled = style_words(words, spans)
    assert time.perf_counter() - started < 0.5
    assert [word.font for word in styled] == ["Near", "Wide"]
