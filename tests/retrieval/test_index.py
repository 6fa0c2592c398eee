from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import bm25s
import numpy as np
import pytest

from docpipe.config import Fusion
from docpipe.errors import ConfigError, SchemaError
from docpipe.records import Document
from docpipe.retrieval import postings
from docpipe.retrieval.index import FEW_PAGES, Index, update
from docpipe.retrieval.ranking import Weights
from docpipe.retrieval.store import is_whole
from docpipe.retrieval.words import query_weights, term_hashes
from docpipe.testing.conformance import check_retriever
from docpipe.testing.fakes import FakeEmbedder
from tests.retrieval.builders import document, of_texts, table, text

MILL = of_texts("The red mill stands by the river.", "", "Its owner is Jane Roe.", id="a" * 16)
TAX = of_texts("Tax returns are due in May.", "The river tax was lifted in 1920.", id="b" * 16)
SHIP = of_texts("The ship left the harbour with coal.", id="c" * 16)
ONLY_BM25 = Weights(chunk=0, document=0, place=0, statement=0, kind=0, neighbour=0, vector=0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    update(tmp_path / "index", [MILL, TAX])
    return tmp_path / "index"


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def found(folder: Path, query: str, **options: list[str]) -> list[tuple[str, int]]:
    hits = Index.open(folder).search_pages(query, 10, **options)
    return [(hit.document[0], hit.page) for hit in hits]


def test_the_page_that_answers_comes_first(folder: Path) -> None:
    assert found(folder, "Who is the owner?")[0] == ("a", 3)
    assert found(folder, "river tax")[0] == ("b", 2)
    assert found(folder, "river")[0][0] == "a"


def test_search_gives_the_chunks(folder: Path) -> None:
    index = Index.open(folder)
    check_retriever(index, "red mill")
    best = index.search("red mill", 5)[0].chunk
    assert (best.id, best.text) == (f"{MILL.id}#p1/c1", "The red mill stands by the river.")
    assert index.chunk(best.id) == best
    assert index.search_pages("red mill", 1)[0].best == index.search("red mill", 1)[0]


def test_only_the_given_documents_are_searched(folder: Path) -> None:
    assert {id for id, _ in found(folder, "river", documents=[TAX.id])} == {"b"}
    assert {id for id, _ in found(folder, "river", documents=[TAX.id, MILL.id])} == {"a", "b"}
    assert found(folder, "river", documents=[]) == []


@pytest.mark.parametrize(
    "query", ["What is it?", "the second FAQ shown in these slides", "xylophone"]
)
def test_a_question_without_a_known_word_gets_the_first_pages(folder: Path, query: str) -> None:
    assert found(folder, query) == [("a", 1), ("b", 1), ("a", 2), ("b", 2), ("a", 3)]
    assert found(folder, query, documents=[MILL.id]) == [("a", 1), ("a", 2), ("a", 3)]
    hits = Index.open(folder).search(query, 3)
    assert [hit.chunk.id for hit in hits] == [
        f"{MILL.id}#p1/c1",
        f"{TAX.id}#p1/c1",
        f"{TAX.id}#p2/c1",
    ]
    assert {hit.retriever for hit in hits} == {"opening"}


@pytest.mark.parametrize("query", ["", "???"])
def test_a_query_without_words_finds_nothing(folder: Path, query: str) -> None:
    assert found(folder, query) == []
    assert Index.open(folder).search(query, 5, [MILL.id]) == []


def test_in_a_large_library_a_query_without_a_known_word_finds_nothing(tmp_path: Path) -> None:
    update(tmp_path, [MILL, of_texts(*["Another page."] * FEW_PAGES, id="e" * 16)])
    assert found(tmp_path, "xylophone") == []
    assert found(tmp_path, "xylophone", documents=[MILL.id])[0] == ("a", 1)


@pytest.mark.parametrize(
    ("pages", "query"),
    [
        (["税务申报五月到期。", "红色的磨坊在河边。"], "磨坊在哪里？"),
        (["税金の申告は五月です。", "赤い水車小屋は川沿いにある。"], "水車小屋はどこですか"),
        (["세금 신고는 오월까지다.", "붉은 방앗간은 강가에 있다."], "방앗간의 위치"),
        (["कर मई में देय है।", "लाल चक्की नदी के किनारे है।"], "चक्की कहाँ है"),
        (["Die Steuer ist fällig.", "Die Mühle am Fluß."], "MÜHLE FLUSS"),
    ],
)
def test_other_languages(tmp_path: Path, pages: list[str], query: str) -> None:
    update(tmp_path, [of_texts(*pages)])
    assert Index.open(tmp_path).search_pages(query, 1)[0].page == 2


def test_a_page_named_in_the_query_is_found_without_any_word_of_it(folder: Path) -> None:
    hit = Index.open(folder).search_pages("What is on page 2?", 1, [MILL.id])[0]
    assert (hit.page, hit.best) == (2, None)


def test_a_table_named_in_the_query_comes_before_its_mention(tmp_path: Path) -> None:
    pages = [
        [text(1, 1, "Table 3 gives the prices. Table 3 is long. See Table 3.")],
        [table(2, 1, [["Item", "Price"], ["Nail", "3"]], "Table 3: Prices")],
    ]
    update(tmp_path, [document(pages)])
    assert Index.open(tmp_path).search_pages("prices in Table 3", 1)[0].page == 2


def test_ranking_within_a_document_does_not_depend_on_the_rest(
    folder: Path, tmp_path: Path
) -> None:
    update(tmp_path / "alone", [MILL])
    alone = Index.open(tmp_path / "alone").search_pages("red river owner", 10)
    assert Index.open(folder).search_pages("red river owner", 10, [MILL.id]) == alone


def test_scores_are_bm25(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    vocabulary = [f"word{number}" for number in range(60)]
    pages = [" ".join(rng.choice(vocabulary, rng.integers(5, 40))) for _ in range(30)]
    update(tmp_path, [of_texts(*pages)])
    query = "word1 word2 word3"
    hits = Index.open(tmp_path, weights=ONLY_BM25).search_pages(query, 30)

    hashes = [term_hashes(page).tolist() for page in pages]
    names = {key: number for number, key in enumerate(sorted({k for page in hashes for k in page}))}
    judge = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    judge.index(([[names[key] for key in page] for page in hashes], names), show_progress=False)
    terms = {key: weight for key, weight in query_weights(query).items() if key in names}
    # bm25s leaves the constant factor k1 + 1 out.
    expected = 2.5 * sum(
        weight * judge.get_scores_from_ids(np.array([names[key]])) for key, weight in terms.items()
    )
    scores = {hit.page: hit.score for hit in hits}
    assert scores == {
        page: pytest.approx(score, rel=1e-4) for page, score in enumerate(expected, 1) if score
    }


def test_bytes_do_not_depend_on_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    update(tmp_path / "once", [MILL, TAX, SHIP])
    steps = tmp_path / "steps"
    update(steps, [SHIP])
    update(steps, [of_texts("An older text.", id=MILL.id)])
    update(steps, [TAX, MILL], remove=["unknown"])
    update(steps, [of_texts("Soon gone.", id="d" * 16)])
    update(steps, [], remove=["d" * 16])
    assert contents(steps) == contents(tmp_path / "once")
    monkeypatch.setattr(postings, "MERGE_POSTINGS", 3)
    update(tmp_path / "small", [TAX, MILL, SHIP])
    assert contents(tmp_path / "small") == contents(tmp_path / "once")


def test_bytes_of_vectors_do_not_depend_on_history(tmp_path: Path) -> None:
    update(tmp_path / "once", [MILL, TAX, of_texts("", id="e" * 16)], embedder=FakeEmbedder())
    update(tmp_path / "steps", [of_texts("", id="e" * 16), TAX], embedder=FakeEmbedder())
    update(tmp_path / "steps", [SHIP, MILL], embedder=FakeEmbedder())
    update(tmp_path / "steps", [], remove=[SHIP.id], embedder=FakeEmbedder())
    assert contents(tmp_path / "steps") == contents(tmp_path / "once")
    assert any(name.endswith("/vectors.faiss") for name in contents(tmp_path / "once"))


def test_removed_and_replaced_documents_are_not_found(folder: Path) -> None:
    update(folder, [of_texts("Tax on coal.", id=TAX.id)], remove=[MILL.id])
    assert Index.open(folder).documents == (TAX.id,)
    assert Index.open(folder).search("river", 5)[0].retriever == "opening"
    assert found(folder, "coal") == [("b", 1)]


def test_an_update_that_fails_leaves_the_index_as_it_was(folder: Path) -> None:
    def documents() -> Iterator[Document]:
        yield of_texts("Something else.", id=MILL.id)
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        update(folder, documents())
    assert found(folder, "red mill")[0] == ("a", 1)
    before = contents(folder)
    update(folder, [MILL])
    assert contents(folder).keys() < before.keys()


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    update(tmp_path, [])
    assert found(tmp_path, "anything") == []
    update(tmp_path, [of_texts("", "")])
    assert Index.open(tmp_path).search("anything", 5) == []


def test_errors_say_what_to_do(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as missing:
        Index.open(tmp_path / "nowhere")
    assert missing.value.code == "no_index"
    with pytest.raises(ConfigError) as unknown:
        Index.open(folder).search("river", 5, ["nobody"])
    assert unknown.value.code == "unknown_document"
    for id in ("nobody#p1/c1", f"{MILL.id}#p9/c1"):
        with pytest.raises(ConfigError) as chunk:
            Index.open(folder).chunk(id)
        assert chunk.value.code == "unknown_chunk"
    (folder / "manifest.json").write_text('{"format": 99}')
    with pytest.raises(SchemaError) as other:
        update(folder, [SHIP])
    assert other.value.code == "index_format"
    (folder / "manifest.json").write_text('{"format"')
    with pytest.raises(SchemaError, match="damaged"):
        Index.open(folder)


def test_an_index_replaced_under_a_reader_is_reported(folder: Path) -> None:
    index = Index.open(folder)
    update(folder, [SHIP], remove=[MILL.id])
    with pytest.raises(SchemaError) as changed:
        index.search("river", 5)
    assert changed.value.code == "index_changed"


@pytest.mark.parametrize("by", [1, 4, 8])
def test_files_that_were_cut_short_are_reported(folder: Path, by: int) -> None:
    [merged] = folder.glob("merged-*")
    for path in sorted(merged.iterdir()):
        whole = path.read_bytes()
        path.write_bytes(whole[:-by])
        with pytest.raises(SchemaError) as cut:
            Index.open(folder).search("river page 2", 5)
        assert cut.value.hint
        assert not is_whole(folder)
        path.write_bytes(whole)
    assert is_whole(folder)


class Synonyms(FakeEmbedder):
    def embed_texts(self, texts):  # type: ignore[no-untyped-def]
        return super().embed_texts([text.replace("vessel", "ship") for text in texts])


@pytest.mark.parametrize("fusion", get_args(Fusion))
def test_vectors_find_what_words_do_not(tmp_path: Path, fusion: Fusion) -> None:
    update(tmp_path, [MILL, SHIP], embedder=Synonyms())
    update(tmp_path, [TAX, SHIP], embedder=Synonyms())
    index = Index.open(tmp_path, Synonyms(), fusion=fusion)
    for documents in (None, [MILL.id, SHIP.id], [SHIP.id]):
        hit = index.search("vessel", 1, documents)[0]
        assert (hit.chunk.document, hit.retriever) == (SHIP.id, "hybrid")
        assert index.search_pages("vessel", 1, documents)[0].document == SHIP.id
    assert Index.open(tmp_path).search("vessel", 1)[0].retriever == "opening"


@pytest.mark.parametrize("fusion", get_args(Fusion))
def test_vectors_of_other_documents_are_not_searched(tmp_path: Path, fusion: Fusion) -> None:
    update(tmp_path, [MILL, TAX, SHIP], embedder=FakeEmbedder())
    index = Index.open(tmp_path, FakeEmbedder(), fusion=fusion)
    hits = index.search("the river and the ship", 9, [MILL.id, SHIP.id])
    assert {hit.chunk.document for hit in hits} == {MILL.id, SHIP.id}


def test_fused_ranks_are_those_of_words_and_vectors(tmp_path: Path) -> None:
    """A page that both rank second comes before those that one ranks first and the other not."""
    texts = ["Ship ship ship.", "The ship of the vessel company.", "A vessel, a vessel."]
    update(tmp_path, [of_texts(*texts)], embedder=Synonyms())
    index = Index.open(tmp_path, Synonyms(), Weights(neighbour=0), "rrf")
    scores = {hit.page: hit.score for hit in index.search_pages("vessel", 3)}
    assert scores == pytest.approx({2: 2 / 62, 1: 1 / 61, 3: 1 / 61})
    assert next(iter(scores)) == 2


def test_unchanged_documents_are_not_embedded_again(tmp_path: Path) -> None:
    class Counting(FakeEmbedder):
        texts = 0

        def embed_texts(self, texts):  # type: ignore[no-untyped-def]
            self.texts += len(texts)
            return super().embed_texts(texts)

    embedder = Counting()
    update(tmp_path, [MILL, TAX], embedder=embedder)
    assert embedder.texts == 4
    update(tmp_path, [MILL, TAX, SHIP], embedder=embedder)
    assert embedder.texts == 5


def test_another_embedder_is_refused(tmp_path: Path) -> None:
    update(tmp_path, [MILL], embedder=FakeEmbedder(32))
    for embedder in (FakeEmbedder(64), None):
        with pytest.raises(ConfigError) as error:
            update(tmp_path, [TAX], embedder=embedder)
        assert error.value.code == "embedder"
    with pytest.raises(ConfigError):
        Index.open(tmp_path, FakeEmbedder(64))


def library(documents: int, pages: int) -> Iterator[Document]:
    rng = np.random.default_rng(1)
    vocabulary = np.array([f"word{number}" for number in range(3000)])
    for number in range(documents):
        texts = [" ".join(rng.choice(vocabulary, 100)) for _ in range(pages)]
        yield of_texts(*texts, id=f"{number:016x}")


def test_memory_stays_flat_and_opening_is_quick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "MERGE_POSTINGS", 5_000)
    peaks = []
    for size in (10, 40):
        tracemalloc.start()
        update(tmp_path / str(size), library(size, 6))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]
    start = time.process_time()
    index = Index.open(tmp_path / "40")
    assert len(index.search_pages("word1 word2", 10)) == 10
    assert time.process_time() - start < 1.0
