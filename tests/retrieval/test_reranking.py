"""A cross-encoder with random weights, and a search put in order again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from docpipe import registry
from docpipe.config import from_mapping
from docpipe.errors import ModelError
from docpipe.library import Library
from docpipe.records import Hit
from docpipe.retrieval.index import Index, update
from docpipe.retrieval.reranked import DEPTH, RerankedSearch
from docpipe.testing import check_reranker
from tests.pdfs import write_pdf
from tests.retrieval.builders import of_texts


class LastFirst:
    """Likes late pages best, and remembers what it saw."""

    seen = 0

    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        self.seen = len(hits)
        pages = [int(hit.chunk.id.rpartition("#p")[2].partition("/")[0]) for hit in hits]
        scored = [
            msgspec.structs.replace(h, score=p / 100) for h, p in zip(hits, pages, strict=True)
        ]
        return sorted(scored, key=lambda hit: -hit.score)


def reranked(folder: Path) -> tuple[RerankedSearch, LastFirst]:
    pages = [f"{'mill ' * (40 - n)}stands" for n in range(30)]
    update(folder, [of_texts(*pages[:5], "", *pages[5:])])
    reranker = LastFirst()
    return RerankedSearch(Index.open(folder), reranker), reranker


def test_the_first_pages_are_put_in_order_and_the_others_follow(tmp_path: Path) -> None:
    search, reranker = reranked(tmp_path)
    before = [page.page for page in Index.open(tmp_path).search_pages("the mill", 30)]
    found = search.search_pages("the mill", 30)
    assert reranker.seen == DEPTH
    assert [page.page for page in found[:DEPTH]] == sorted(before[:DEPTH], reverse=True)
    assert [page.page for page in found[DEPTH:]] == before[DEPTH:]
    scores = [page.score for page in found]
    assert scores == sorted(scores, reverse=True)
    assert found[0].best is not None
    assert found[0].best.score == found[0].score
    assert search.search_pages("the mill", 3) == found[:3]


def test_chunks_are_put_in_order_too(tmp_path: Path) -> None:
    search, _ = reranked(tmp_path)
    found = search.search("the mill", 25)
    assert len(found) == len({hit.chunk.id for hit in found}) == 25
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert search.chunk(found[0].chunk.id) == found[0].chunk
    assert search.search_pages("the mill", 0) == []
    assert [page.page for page in search.search_pages("walrus", 3)] == [1, 2, 3]
    assert [hit.retriever for hit in search.search("walrus", 2)] == ["opening", "opening"]


def test_a_cross_encoder_is_a_reranker(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "mill", "report", "people", "37"]
    (tmp_path / "vocab.txt").write_text("\n".join(names))
    transformers.BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    size = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    transformers.set_seed(1)
    for labels in (2, 1):
        config = transformers.BertConfig(
            vocab_size=len(names), num_attention_heads=2, num_labels=labels, **size
        )
        transformers.BertForSequenceClassification(config).save_pretrained(tmp_path)
        options = {"model": str(tmp_path), "batch_size": 2}
        if labels == 2:
            with pytest.raises(ModelError, match="2 outputs"):
                registry.build("reranker", "cross_encoder", options)
    reranker = registry.build("reranker", "cross_encoder", options)
    check_reranker(reranker)
    update(tmp_path / "index", [of_texts("mill people", "mill report 37", "mill 37 people " * 9)])
    hits = Index.open(tmp_path / "index").search("mill", 3)
    one_by_one = [reranker.rerank("mill report", [hit])[0].score for hit in hits]
    together = reranker.rerank("mill report", hits)
    assert [hit.score for hit in together] == pytest.approx(
        sorted(one_by_one, reverse=True), abs=1e-5
    )
    assert all(0 < hit.score < 1 for hit in together)
    with pytest.raises(ModelError, match="download"):
        registry.build("reranker", "cross_encoder", {"model": str(tmp_path / "nowhere")})


def test_a_library_uses_the_reranker_that_is_configured(tmp_path: Path) -> None:
    write_pdf(tmp_path / "in" / "a.pdf", ["The mill and its mill pond.", "Mill.", "Nothing."])
    config = from_mapping({"ocr_mode": "off", "reranker": {"name": "fake"}})
    library = Library.create(tmp_path / "lib", config=config)
    library.ingest(tmp_path / "in", jobs=1)
    plain = Library.open(tmp_path / "lib")
    assert plain.search_pages("mill pond", 1)[0].page == 1
    assert library.search_pages("mill pond", 1)[0].page == 2
