"""Checks that a stage keeps its protocol's promises; run them on a stage of your own.

Each raises AssertionError that says which promise is broken. They know nothing of quality: that is
what `docpipe bench` measures.

    from docpipe.testing import check_parser
    def test_my_parser() -> None:
        check_parser(MyParser())
"""

from __future__ import annotations

from collections.abc import Sequence

from docpipe import codec
from docpipe.content import block_text, find_block
from docpipe.geometry import BBox
from docpipe.records import Document, Message, Reading, TextPart, Trajectory
from docpipe.stages import (
    Agent,
    ElementKind,
    ElementRecognizer,
    Embedder,
    EntityClassifier,
    LanguageModel,
    PageContent,
    PageFacts,
    PageReader,
    PageView,
    Parser,
    Reranker,
    Retriever,
    VisualEmbedder,
)
from docpipe.testing.fakes import FakeLibrary, FakePage, sample_document

_LINES = [
    ["Annual report", "The mill ground 1,250 tonnes of wheat in 2021."],
    ["It employed 37 people.", "A second mill opened in May."],
    [],
]


def check_parser(parser: Parser, pages: Sequence[PageView] | None = None) -> None:
    """Pages in order and complete, boxes on the page, unique ids, repeatable, storable."""
    assert isinstance(parser, Parser), "read_page and compose are needed"
    if pages is None:
        pages = [FakePage(lines, number) for number, lines in enumerate(_LINES, start=1)]
    facts = [parser.read_page(page) for page in pages]
    for page, fact in zip(pages, facts, strict=True):
        assert fact.number == page.number, "facts must be of the page that was given"
        assert fact == codec.decode(codec.encode(fact), PageFacts), "facts must survive storage"
    assert facts == [parser.read_page(page) for page in pages], "read_page must be repeatable"
    document = Document(id="0" * 16, name="check", pages=tuple(parser.compose(facts, ())))
    assert [page.number for page in document.pages] == [page.number for page in pages], (
        "compose must return every page, in order"
    )
    assert document == codec.decode_document(codec.encode(document))
    _check_blocks(document)


def _check_blocks(document: Document) -> None:
    seen: set[str] = set()
    sizes = {page.number: (page.width, page.height) for page in document.pages}
    for page in document.pages:
        for block in page.blocks:
            assert block.id not in seen, f"block id {block.id} stands twice"
            seen.add(block.id)
            assert block.source.regions, f"block {block.id} has no region"
            for region in block.source.regions:
                width, height = sizes[region.page]
                on_page = BBox(0.0, 0.0, width, height).contains(region.bbox, tolerance=1.0)
                assert on_page, f"{block.id} is off the page"


def check_recognizer(recognizer: ElementRecognizer, kind: ElementKind = "text") -> None:
    """One result per crop, in order, whatever the batch; none for none."""
    assert isinstance(recognizer, ElementRecognizer)
    crops = [FakePage((), width=size, height=40).render(72) for size in (120, 60)]
    results = recognizer.recognize(crops, kind)
    assert len(results) == len(crops), "one result per crop"
    assert recognizer.recognize(crops[1:], kind) == results[1:], "results must not mix in a batch"
    assert recognizer.recognize([], kind) == []


def check_classifier(classifier: EntityClassifier, document: Document | None = None) -> None:
    """Entities with unique ids, word indexes that exist, scores in 0..1; repeatable."""
    assert isinstance(classifier, EntityClassifier)
    document = document or sample_document(_LINES)
    entities = classifier.classify(document)
    assert len({entity.id for entity in entities}) == len(entities), "entity ids must be unique"
    for entity in entities:
        assert 0.0 <= entity.score <= 1.0, f"{entity.id}: score {entity.score} is outside 0..1"
        page = document.pages[entity.source.regions[0].page - 1]
        assert all(0 <= index < len(page.words) for index in entity.words), "no such word"
    assert classifier.classify(document) == entities, "classify must be repeatable"


def check_embedder(embedder: Embedder) -> None:
    """Shape, unit length, no dependence on the batch, and likeness where texts are alike."""
    import numpy as np

    assert isinstance(embedder, Embedder)
    texts = ["the red mill by the river", "the red mill near the river", "tax return form"]
    rows = embedder.embed_texts(texts)
    assert rows.shape == (3, embedder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-3), "rows must have unit length"
    assert np.allclose(rows[1:2], embedder.embed_texts(texts[1:2]), atol=1e-4), "batch dependence"
    assert rows[0] @ rows[1] > rows[0] @ rows[2], "alike texts must be nearer than unlike ones"
    assert embedder.embed_texts([]).shape == (0, embedder.dimension)


def check_visual_embedder(embedder: VisualEmbedder) -> None:
    """Vectors of unit length for every page image and query, and no dependence on the batch."""
    import numpy as np
    from PIL import Image

    assert isinstance(embedder, VisualEmbedder)
    images = [Image.new("RGB", size, "red") for size in ((200, 300), (300, 200))]
    found = embedder.embed_images(images)
    asked = embedder.embed_queries(["the red mill", "a tax return form of many words"])
    for vectors in (*found, *asked):
        assert vectors.shape[1:] == (embedder.dimension,)
        assert len(vectors), "one vector at least"
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3), "unit length"
    [alone] = embedder.embed_images(images[1:])
    assert np.allclose(alone, found[1], atol=1e-4), "batch dependence"
    assert embedder.embed_images([]) == []


def check_retriever(retriever: Retriever, query: str) -> None:
    """At most k hits, best first, none twice, repeatable; `query` should find something."""
    assert isinstance(retriever, Retriever)
    hits = retriever.search(query, 5)
    assert hits, f"nothing found for {query!r}"
    assert len(hits) <= 5
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True), "hits must be best first"
    ids = [hit.chunk.id for hit in hits]
    assert len(set(ids)) == len(ids), "a chunk may come once only"
    assert retriever.search(query, 5) == hits, "search must be repeatable"
    assert [hit.chunk.id for hit in retriever.search(query, 1)] == ids[:1]
    retriever.search("", 5)


def check_reranker(reranker: Reranker) -> None:
    """The same hits in another order, none added, none lost."""
    assert isinstance(reranker, Reranker)
    hits = FakeLibrary([sample_document(_LINES)]).search("mill report 37 employed people")
    reranked = reranker.rerank("mill", hits)
    assert sorted(hit.chunk.id for hit in reranked) == sorted(hit.chunk.id for hit in hits)
    assert reranker.rerank("mill", []) == []


def check_language_model(model: LanguageModel) -> None:
    """Text comes back, and max_tokens is kept."""
    assert isinstance(model, LanguageModel)
    messages = [Message("user", (TextPart("Say one word."),))]
    completion = model.complete(messages, max_tokens=8)
    assert isinstance(completion.text, str)
    assert completion.completion_tokens <= 8, "max_tokens must be kept"


def check_reader(reader: PageReader) -> None:
    """Evidence is quoted word for word from blocks that exist on the pages that were given."""
    assert isinstance(reader, PageReader)
    document = sample_document(_LINES)
    pages = [PageContent(document, page) for page in document.pages]
    question = "How many people were employed?"
    _check_reading(reader.read(pages, question, question), document)
    assert reader.read([], question, question).evidence == ()


def _check_reading(reading: Reading, document: Document) -> None:
    for evidence in reading.evidence:
        block = find_block(document, evidence.block)
        assert block is not None, f"cited block {evidence.block} does not exist"
        assert evidence.quote in block_text(block), "a quote must stand in its block word for word"
        assert 1 <= evidence.page <= len(document.pages)
        assert evidence.regions, "evidence needs a box"


def check_agent(agent: Agent) -> None:
    """A trajectory that ends with an answer whose evidence exists; an empty library is no crash."""
    assert isinstance(agent, Agent)
    document = sample_document(_LINES)
    trajectory = agent.run("How many people were employed?", FakeLibrary([document]))
    assert trajectory == codec.decode(codec.encode(trajectory), Trajectory)
    assert trajectory.steps, "a run has at least one step"
    _check_reading(Reading((), "", (), trajectory.answer.evidence), document)
    nothing = agent.run("How many people were employed?", FakeLibrary([]))
    assert not nothing.answer.answerable, "nothing can be answered from an empty library"
