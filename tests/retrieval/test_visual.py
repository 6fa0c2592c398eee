"""Vectors of page images on disk, search by them, and search joined with words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from docpipe.config import Fusion, from_mapping
from docpipe.errors import ConfigError, SchemaError
from docpipe.library import Library
from docpipe.retrieval.index import Index
from docpipe.retrieval.index import update as index_texts
from docpipe.retrieval.visual import VisualSearch
from docpipe.retrieval.visual_store import PageVectors, max_sim, remove, update
from docpipe.testing import FakeVisualEmbedder
from tests.retrieval.builders import of_texts

FLAG, SEA, EMPTY = "a" * 16, "b" * 16, "c" * 16
Pictures = dict[str, Callable[[], Iterable[Image.Image | None]]]


def pictures(**colours: Sequence[str | None]) -> Pictures:
    """Documents of pages in one colour each, by the first letter of their id."""
    return {
        id * 16: lambda names=names: (name and Image.new("RGB", (40, 60), name) for name in names)
        for id, names in colours.items()
    }


COLOURS = pictures(a=["white", "red", "green"], b=["blue", None, "red"])


@given(st.integers(0, 10_000), st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_max_sim_is_the_sum_of_the_best_products(seed: int, counts: list[int]) -> None:
    draw = np.random.default_rng(seed)
    query = draw.normal(size=(3, 4)).astype(np.float32)
    pages = [draw.normal(size=(count, 4)).astype(np.float32) for count in counts]
    plain = [sum(max(float(q @ v) for v in page) for q in query) for page in pages]
    assert max_sim(query, np.concatenate(pages), counts) == pytest.approx(plain, abs=1e-4)


def test_pages_are_scored_over_all_vectors_or_over_the_nearest_of_faiss(tmp_path: Path) -> None:
    update(tmp_path, COLOURS, FakeVisualEmbedder(), "m", nearest=True)
    vectors = PageVectors(tmp_path, "m")
    [query] = FakeVisualEmbedder().embed_queries(["red"])
    exact = vectors.exact(query, [SEA, FLAG])
    assert exact[FLAG, 2] == exact[SEA, 3] == pytest.approx(1.0, abs=1e-3)
    assert exact[FLAG, 1] == pytest.approx(3**-0.5, abs=1e-3)
    assert exact[SEA, 2] == 0.0  # a page that cannot be shown
    assert len(exact) == 6
    assert vectors.near(query, [SEA, FLAG], 1000) == pytest.approx(exact)
    assert set(vectors.near(query, [SEA, FLAG], 32)) == {(FLAG, 2), (SEA, 3)}
    assert set(vectors.near(query, [SEA], 16)) == {(SEA, 3)}
    assert vectors.near(query, [EMPTY], 5) == vectors.exact(query, [EMPTY]) == {}


class Counting(FakeVisualEmbedder):
    """Counts pages, and fails after some."""

    def __init__(self, most: int = 100) -> None:
        self.pages, self.most = 0, most

    def embed_images(self, images: Sequence[Image.Image]) -> Any:
        self.pages += len(images)
        if self.pages > self.most:
            raise MemoryError
        return super().embed_images(images)


def test_an_update_that_was_cut_off_goes_on_and_keeps_what_is_there(tmp_path: Path) -> None:
    with pytest.raises(MemoryError):
        update(tmp_path, COLOURS, Counting(3), "m")
    rest = Counting()
    update(tmp_path, COLOURS, rest, "m")
    assert rest.pages == 2
    once = tmp_path / "once"
    update(once, dict(reversed(COLOURS.items())), FakeVisualEmbedder(), "m")
    for path in once.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_other_models_and_damaged_files_are_made_anew(tmp_path: Path) -> None:
    update(tmp_path, COLOURS, FakeVisualEmbedder(), "m")
    with pytest.raises(ConfigError, match="another model") as caught:
        PageVectors(tmp_path, "other")
    assert caught.value.code == "embedder"
    [first, _] = sorted(tmp_path.glob("*.f16"))
    first.write_bytes(b"")
    with pytest.raises(SchemaError):
        PageVectors(tmp_path, "m").exact(np.ones((1, 3), np.float32), [FLAG])
    again = Counting()
    update(tmp_path, COLOURS, again, "m")
    assert again.pages == 3
    other = Counting()
    update(tmp_path, COLOURS, other, "other")
    assert other.pages == 5
    assert len(list(tmp_path.glob("*.f16"))) == 2


def test_a_document_is_removed_and_one_without_pages_leaves_nothing(tmp_path: Path) -> None:
    update(tmp_path, COLOURS | pictures(c=[]), FakeVisualEmbedder(), "m", nearest=True)
    remove(tmp_path, FLAG)
    remove(tmp_path, EMPTY)
    [query] = FakeVisualEmbedder().embed_queries(["red"])
    vectors = PageVectors(tmp_path, "m")
    assert {id for id, _ in vectors.exact(query, [FLAG, SEA])} == {SEA}
    assert set(vectors.near(query, [FLAG, SEA], 16)) == {(SEA, 3)}
    assert len(list(tmp_path.glob("*.f16"))) == 1


def test_without_vectors_or_without_faiss_the_hint_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no vectors of pages") as caught:
        PageVectors(tmp_path, "m")
    assert "[visual]" in caught.value.hint
    update(tmp_path, COLOURS, FakeVisualEmbedder(), "m")
    with pytest.raises(ConfigError, match="faiss"):
        PageVectors(tmp_path, "m").near(np.ones((1, 3), np.float32), [FLAG], 3)


def search(folder: Path, **options: Any) -> VisualSearch:
    texts = [
        of_texts("Flags of towns", "The mill stands here", "The fields of the mill", id=FLAG),
        of_texts("The sea", "", "A mill at sea", id=SEA),
    ]
    index_texts(folder / "index", texts)
    update(folder / "visual", COLOURS, FakeVisualEmbedder(), "m", nearest=True)
    vectors = PageVectors(folder / "visual", "m")
    return VisualSearch(Index.open(folder / "index"), vectors, FakeVisualEmbedder(), **options)


def test_pages_are_found_by_their_looks_with_the_chunk_that_fits_best(tmp_path: Path) -> None:
    found = search(tmp_path).search_pages("green mill", 2)
    assert [(page.document, page.page) for page in found] == [(FLAG, 3), (FLAG, 1)]
    assert found[0].best is not None
    assert found[0].best.retriever == "visual"
    assert found[0].score == found[0].best.score == 1.0 > found[1].score
    assert found[0].best.chunk.text == "The fields of the mill"
    [hit] = search(tmp_path).search("blue", 1, [SEA])
    assert (hit.chunk.text, hit.retriever) == ("The sea", "visual")


@pytest.mark.parametrize("fusion", ["sum", "rrf"])
@pytest.mark.parametrize("nearest", [0, 32])
def test_fused_search_wants_both_words_and_looks(
    fusion: Fusion, nearest: int, tmp_path: Path
) -> None:
    fused = search(tmp_path, fused=True, fusion=fusion, nearest=nearest)
    assert [(p.document, p.page) for p in fused.search_pages("red fields", 2)][1] == (FLAG, 3)
    first = fused.search_pages("a red mill at sea", 1)[0]
    assert (first.document, first.page) == (SEA, 3)
    assert first.best is not None
    assert first.best.retriever == "fused"
    assert fused.chunk(first.best.chunk.id) == first.best.chunk


def painted(folder: Path) -> None:
    import pymupdf

    folder.mkdir()
    for name, colours in {"flags": [(1, 0, 0), (0, 1, 0)], "sea": [(0, 0, 1)]}.items():
        with pymupdf.open() as pdf:
            for colour in colours:
                page = pdf.new_page(width=300, height=200)
                page.draw_rect(page.rect, fill=colour)
                page.insert_text((20, 40), f"page of {name}")
            pdf.save(folder / f"{name}.pdf")


def test_a_library_is_searched_by_looks_where_it_is_configured(tmp_path: Path) -> None:
    painted(tmp_path / "in")
    table = {"name": "fake", "nearest": 8}
    config = from_mapping({"retriever": "visual", "ocr_mode": "off", "visual": table})
    library = Library.create(tmp_path / "lib", config=config)
    assert library.ingest(tmp_path / "in", jobs=1).all_good
    found = library.search_pages("green", 1)
    assert (library.document(found[0].document).name, found[0].page) == ("flags.pdf", 2)
    assert library.run("Which page is blue?").steps
    library.remove("flags.pdf")
    assert [page.page for page in library.search_pages("green", 3)] == [1]
    with pytest.raises(ConfigError, match=r"needs \[visual\]"):
        from_mapping({"retriever": "fused"})
