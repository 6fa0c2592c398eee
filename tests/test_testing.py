"""The fakes keep the protocols, and the checks catch stages that do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from docpipe import testing
from docpipe.records import Chunk, Hit, Reading
from docpipe.registry import build
from docpipe.stages import PageContent, PageFacts


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("parser", testing.check_parser),
        ("recognizer", testing.check_recognizer),
        ("classifier", testing.check_classifier),
        ("embedder", testing.check_embedder),
        ("reranker", testing.check_reranker),
        ("language_model", testing.check_language_model),
        ("reader", testing.check_reader),
        ("agent", testing.check_agent),
    ],
)
def test_fakes_conform(kind: Any, check: Callable[[Any], None]) -> None:
    check(build(kind, "fake"))


def test_fake_retriever_conforms() -> None:
    chunks = [Chunk(f"d#{n}", "d", (), text) for n, text in enumerate(["a mill", "a red mill"])]
    testing.check_retriever(testing.FakeRetriever(chunks), "red mill")


class LosesPages(testing.FakeParser):
    def compose(self, facts: Sequence[PageFacts], outline: Any) -> Any:
        return super().compose(facts[:1], outline)


class InventsQuotes(testing.FakeReader):
    def read(self, pages: Sequence[PageContent], question: str, sub_question: str) -> Reading:
        import msgspec

        reading = super().read(pages, question, sub_question)
        invented = [msgspec.structs.replace(item, quote="invented") for item in reading.evidence]
        return msgspec.structs.replace(reading, evidence=tuple(invented))


class AddsHits(testing.FakeReranker):
    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        return [*hits, Hit(Chunk("x", "x", (), "x"), 1.0, "x")]


def test_checks_catch_broken_promises() -> None:
    with pytest.raises(AssertionError, match="every page"):
        testing.check_parser(LosesPages())
    with pytest.raises(AssertionError, match="word for word"):
        testing.check_reader(InventsQuotes())
    with pytest.raises(AssertionError):
        testing.check_reranker(AddsHits())
