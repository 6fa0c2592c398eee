"""Deterministic stand-ins without weights, one per stage kind.

They do the simplest thing that honours the protocol, so that pipelines, command line and training
loops can be tested in seconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from docpipe.content import block_text, body_blocks
from docpipe.geometry import BBox
from docpipe.records import (
    Annotation,
    Answer,
    Chunk,
    Document,
    Entity,
    Evidence,
    Finish,
    FormField,
    Hit,
    Issue,
    Link,
    Message,
    OutlineEntry,
    Page,
    PageHit,
    Reading,
    Region,
    Search,
    Source,
    Span,
    Step,
    TextBlock,
    Trajectory,
    Word,
)
from docpipe.stages import (
    Completion,
    Draft,
    Drawing,
    ElementKind,
    LibraryView,
    PageContent,
    PageFacts,
    PlacedImage,
    Recognized,
    Style,
    TextSpan,
)

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

LINE_HEIGHT = 14.0
CHARACTER_WIDTH = 6.0
MARGIN = 72.0


class FakePage:
    """A PageView of given text lines, set in one column from the top left."""

    def __init__(
        self,
        lines: Sequence[str],
        number: int = 1,
        *,
        label: str | None = None,
        width: float = 595.0,
        height: float = 842.0,
    ) -> None:
        self.lines = tuple(lines)
        self.number = number
        self.label = label if label is not None else str(number)
        self.width = width
        self.height = height
        self.rotation = 0

    def words(self) -> list[Word]:
        return [word for row in range(len(self.lines)) for word in self._line_words(row)]

    def spans(self) -> list[TextSpan]:
        return [
            TextSpan(
                text=word.text,
                bbox=word.bbox,
                font="Fake",
                size=11.0,
                bold=False,
                italic=False,
                color=0,
                alpha=1.0,
                direction=(1.0, 0.0),
                block=0,
                line=row,
            )
            for row in range(len(self.lines))
            for word in self._line_words(row)
        ]

    def drawings(self) -> list[Drawing]:
        return []

    def images(self) -> list[PlacedImage]:
        return []

    def links(self) -> list[Link]:
        return []

    def widgets(self) -> list[FormField]:
        return []

    def annotations(self) -> list[Annotation]:
        return []

    def issues(self) -> list[Issue]:
        return []

    def render(self, dpi: float, clip: BBox | None = None) -> Image.Image:
        from PIL import Image

        box = clip or BBox(0, 0, self.width, self.height)
        scale = dpi / 72
        size = (max(1, round(box.width * scale)), max(1, round(box.height * scale)))
        return Image.new("RGB", size, "white")

    def _line_words(self, row: int) -> list[Word]:
        words, x, y = [], MARGIN, MARGIN + row * LINE_HEIGHT
        for text in self.lines[row].split():
            width = len(text) * CHARACTER_WIDTH
            words.append(Word(text, BBox.of(x, y, x + width, y + LINE_HEIGHT - 3)))
            x += width + CHARACTER_WIDTH
        return words


class FakeParser:
    """One paragraph per page, made of all its words."""

    def read_page(self, page: Any) -> PageFacts:
        words = tuple(page.words())
        drafts: tuple[Draft, ...] = ()
        if words:
            box = BBox(0.0, 0.0, page.width, page.height)
            block = TextBlock(
                f"p{page.number}/text1",
                Source((Region(page.number, box),), "fake"),
                " ".join(word.text for word in words),
                "paragraph",
            )
            drafts = (Draft(block, Style(11.0)),)
        return PageFacts(
            number=page.number,
            label=page.label,
            width=page.width,
            height=page.height,
            rotation=page.rotation,
            words=words,
            drafts=drafts,
        )

    def compose(self, facts: Sequence[PageFacts], outline: Sequence[OutlineEntry]) -> list[Page]:
        return [
            Page(
                page.number,
                page.label,
                page.width,
                page.height,
                rotation=page.rotation,
                words=page.words,
                blocks=tuple(draft.block for draft in page.drafts),
                quality=page.quality,
            )
            for page in facts
        ]


class FakeRecognizer:
    """Says each crop's size."""

    def recognize(self, crops: Sequence[Image.Image], kind: ElementKind) -> list[Recognized]:
        return [Recognized(f"{kind} {crop.width}x{crop.height}", 1.0) for crop in crops]


class FakeClassifier:
    """Labels every word that is a number as `number`, or with `texts` the runs of words that have
    one of these texts with the label it stands for."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self._texts = texts

    def classify(self, document: Document) -> tuple[Entity, ...]:
        if self._texts is not None:
            return tuple(self._labelled(document, self._texts))
        return tuple(
            self._entity(page, index, "number", (index,), word.text, word.bbox)
            for page in document.pages
            for index, word in enumerate(page.words)
            if word.text.isdigit()
        )

    def _labelled(self, document: Document, texts: Mapping[str, str]) -> Iterator[Entity]:
        from docpipe.parsers.entities.segments import segments

        for page in document.pages:
            for index, run in enumerate(segments(page)):
                if run.text in texts:
                    label = texts[run.text]
                    yield self._entity(page, index, label, run.words, run.text, run.bbox)

    def _entity(
        self, page: Page, index: int, label: str, words: tuple[int, ...], text: str, bbox: BBox
    ) -> Entity:
        source = Source((Region(page.number, bbox),), "fake")
        return Entity(f"p{page.number}/entity{index}", label, words, source, text, 1.0)


class FakeEmbedder:
    """Counts of hashed words, scaled to unit length: equal texts are equal, similar ones near."""

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = dimension

    def embed_texts(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split() or [""]:
                digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
                rows[row, int.from_bytes(digest) % self.dimension] += 1.0
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


class FakeVisualEmbedder:
    """The mean colours of 16 parts of a picture; of a query the colours that it names."""

    dimension = 3

    def embed_images(
        self, images: Sequence[Image.Image]
    ) -> list[np.ndarray[Any, np.dtype[np.float32]]]:
        import numpy as np

        small = [image.convert("RGB").resize((4, 4), reducing_gap=2.0) for image in images]
        return [_unit_rows(np.asarray(image, np.float32).reshape(16, 3)) for image in small]

    def embed_queries(self, queries: Sequence[str]) -> list[np.ndarray[Any, np.dtype[np.float32]]]:
        import numpy as np

        asked = [set(query.lower().split()) for query in queries]
        named = [[name in words for name in ("red", "green", "blue")] for words in asked]
        return [_unit_rows(np.asarray([colours], np.float32)) for colours in named]


def _unit_rows(
    rows: np.ndarray[Any, np.dtype[np.float32]],
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Rows of unit length; of black and of nothing named white."""
    import numpy as np

    rows = np.where(rows.any(axis=1, keepdims=True), rows, np.float32(1))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


class FakeRetriever:
    """Ranks chunks by how many of the query's words they hold."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = tuple(chunks)

    def search(self, query: str, k: int) -> list[Hit]:
        wanted = set(query.lower().split())
        hits = [
            Hit(chunk, float(len(wanted & set(chunk.text.lower().split()))), "fake")
            for chunk in self.chunks
        ]
        ranked = sorted(hits, key=lambda hit: (-hit.score, hit.chunk.id))
        return [hit for hit in ranked if hit.score > 0][:k]


class FakeReranker:
    """Puts shorter chunks first."""

    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        return sorted(hits, key=lambda hit: (len(hit.chunk.text), hit.chunk.id))


class FakeLanguageModel:
    """Gives the scripted replies in order (the last one again and again), and keeps what it was
    sent in `received`."""

    def __init__(self, replies: Sequence[str] = ("I do not know.",)) -> None:
        self.replies = tuple(replies)
        self.received: list[tuple[Message, ...]] = []

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 1024,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
    ) -> Completion:
        self.received.append(tuple(messages))
        text = self.replies[min(len(self.received), len(self.replies)) - 1]
        words = text.split()[:max_tokens]
        return Completion(" ".join(words), completion_tokens=len(words))


class FakeReader:
    """Quotes the first body block of each page."""

    def read(self, pages: Sequence[PageContent], question: str, sub_question: str) -> Reading:
        evidence = []
        for content in pages:
            for block in body_blocks(content.page):
                quote = block_text(block)
                evidence.append(
                    Evidence(
                        content.document.id,
                        content.page.number,
                        content.page.label,
                        block.id,
                        block.source.regions,
                        quote,
                        1.0,
                    )
                )
                break
        return Reading(
            tuple(content.page.number for content in pages),
            f"{len(evidence)} quotes",
            tuple(item.quote for item in evidence),
            tuple(evidence),
        )


class FakeAgent:
    """Searches once and answers with the best chunk, word for word."""

    def run(self, question: str, library: LibraryView) -> Trajectory:
        hits = library.search(question, k=1)
        steps = [Step(Search((question,)), f"{len(hits)} hits"), Step(Finish("one search"), "")]
        text = hits[0].chunk.text if hits else "not answerable: nothing found"
        answer = Answer(text, text if hits else None, "str", bool(hits), (), 1.0 if hits else 0.0)
        return Trajectory("fake", question, tuple(steps), answer)


class FakeLibrary:
    """A LibraryView over documents in memory, one chunk per body block."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents: Mapping[str, Document] = {document.id: document for document in documents}
        self._chunks = {chunk.id: chunk for doc in documents for chunk in _block_chunks(doc)}

    def documents(self) -> Iterator[str]:
        return iter(self._documents)

    def document(self, id: str) -> Document:
        return self._documents[id]

    def search(self, query: str, k: int = 10, documents: Sequence[str] | None = None) -> list[Hit]:
        wanted = set(self._documents if documents is None else documents)
        chunks = [chunk for chunk in self._chunks.values() if chunk.document in wanted]
        return FakeRetriever(chunks).search(query, k)

    def search_pages(
        self, query: str, k: int = 10, documents: Sequence[str] | None = None
    ) -> list[PageHit]:
        best: dict[tuple[str, int], PageHit] = {}
        for hit in self.search(query, len(self._chunks), documents):
            page = int(hit.chunk.id.partition("#p")[2].partition("/")[0])
            key = (hit.chunk.document, page)
            best.setdefault(key, PageHit(*key, hit.score, hit))
        return list(best.values())[:k]

    def chunk(self, id: str) -> Chunk:
        return self._chunks[id]

    def page_image(self, document: str, page: int, dpi: float = 144) -> Image.Image:
        found = self._documents[document].pages[page - 1]
        return FakePage((), page, width=found.width, height=found.height).render(dpi)


def sample_document(pages: Sequence[Sequence[str]], id: str = "0123456789abcdef") -> Document:
    """A document of text lines per page, read by FakeParser."""
    parser = FakeParser()
    views = [FakePage(lines, number) for number, lines in enumerate(pages, start=1)]
    composed = parser.compose([parser.read_page(view) for view in views], ())
    return Document(id=id, name="sample.pdf", pages=tuple(composed))


def _block_chunks(document: Document) -> Iterator[Chunk]:
    for page in document.pages:
        for block in body_blocks(page):
            text = block_text(block)
            span = Span(block.id, 0, len(text))
            yield Chunk(f"{document.id}#{block.id}", document.id, (span,), text)
