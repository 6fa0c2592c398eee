"""Protocols of the stages, and the objects that pass between them but are not stored.

A stage is any object with the right method: no base class is needed. Batches in, batches out; model
weights are loaded in the constructor, never at import. `docpipe.testing` has conformance checks for
each kind and docs/extending.md a complete example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import msgspec

from docpipe.geometry import BBox
from docpipe.records import (
    Annotation,
    Block,
    Chunk,
    Document,
    Entity,
    FormField,
    HiddenText,
    Hit,
    Issue,
    Link,
    Message,
    OutlineEntry,
    Page,
    PageHit,
    Quality,
    Reading,
    Record,
    Trajectory,
    Word,
)

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

StageKind = Literal[
    "parser",
    "recognizer",
    "classifier",
    "embedder",
    "visual_embedder",
    "retriever",
    "reranker",
    "language_model",
    "reader",
    "agent",
    "policy",
    "advantage",
]
ElementKind = Literal["text", "table", "formula", "diagram"]


# ── What a page offers to a parser ──────────────────────────────────────────────────────────────


class TextSpan(msgspec.Struct, frozen=True, gc=False):
    """A run of characters in one font, as the PDF draws it.

    `block` and `line` number the runs that the PDF library puts together; `direction` is the unit
    vector of the baseline, (1, 0) for upright text; `color` is 0xRRGGBB; `alpha` 0 is transparent;
    `render_mode` 3 is the PDF's "neither fill nor stroke" (invisible).
    """

    text: str
    bbox: BBox
    font: str
    size: float
    bold: bool
    italic: bool
    color: int
    alpha: float
    direction: tuple[float, float]
    block: int
    line: int
    render_mode: int = 0


class Drawing(msgspec.Struct, frozen=True, gc=False):
    """A vector path segment: a line, a rectangle, or the bounding box of a curve.

    `stroke` and `fill` are 0xRRGGBB or None; `width` is the stroke width in points.
    """

    kind: Literal["line", "rect", "curve"]
    bbox: BBox
    stroke: int | None
    fill: int | None
    width: float


class PlacedImage(msgspec.Struct, frozen=True, gc=False):
    """A raster image on the page; `pixels` is its own (width, height)."""

    bbox: BBox
    pixels: tuple[int, int]


@runtime_checkable
class PageView(Protocol):
    """One page of a PDF, of an image file, or a fake. All boxes are in docpipe's coordinates."""

    @property
    def number(self) -> int: ...
    @property
    def label(self) -> str: ...
    @property
    def width(self) -> float: ...
    @property
    def height(self) -> float: ...
    @property
    def rotation(self) -> int: ...
    def words(self) -> list[Word]: ...
    def spans(self) -> list[TextSpan]: ...
    def drawings(self) -> list[Drawing]: ...
    def images(self) -> list[PlacedImage]: ...
    def links(self) -> list[Link]: ...
    def widgets(self) -> list[FormField]: ...
    def annotations(self) -> list[Annotation]: ...
    def issues(self) -> list[Issue]:
        """What kept the page from being read in full."""
        ...

    def render(self, dpi: float, clip: BBox | None = None) -> Image.Image:
        """The page, or the part in `clip`, as an RGB image."""
        ...


# ── What a parser makes of one page ─────────────────────────────────────────────────────────────


class Style(Record, frozen=True, gc=False):
    """How a block is set: font size in points, weight and name of most of its characters.

    `turned` text does not run to the right, as labels of axes do not.
    """

    size: float
    bold: bool = False
    italic: bool = False
    font: str = ""
    turned: bool = False


class Draft(Record, frozen=True):
    """A block as one page shows it, before the whole document is known; no style for non-text."""

    block: Block
    style: Style | None = None


class PageFacts(Record, frozen=True, kw_only=True):
    """All a parser learnt from one page, drafts in reading order. Pages of one document may come
    from different parsers (text layer, OCR), so every parser's facts have this one form."""

    number: int
    label: str
    width: float
    height: float
    rotation: int = 0
    words: tuple[Word, ...] = ()
    drafts: tuple[Draft, ...] = ()
    quality: Quality = Quality()
    links: tuple[Link, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    hidden: tuple[HiddenText, ...] = ()
    form_fields: tuple[FormField, ...] = ()
    issues: tuple[Issue, ...] = ()


# ── Stages ──────────────────────────────────────────────────────────────────────────────────────


@runtime_checkable
class Parser(Protocol):
    def read_page(self, page: PageView) -> PageFacts:
        """Read one page by itself: pages are read in parallel, in processes that may be killed."""
        ...

    def compose(self, facts: Sequence[PageFacts], outline: Sequence[OutlineEntry]) -> list[Page]:
        """Join pages to a document, in linear time: furniture by repetition, heading levels,
        tables and paragraphs over page breaks."""
        ...


class Recognized(Record, frozen=True):
    """A recognised crop: text, LaTeX for a formula, HTML for a table."""

    text: str
    confidence: float | None = None


@runtime_checkable
class ElementRecognizer(Protocol):
    def recognize(self, crops: Sequence[Image.Image], kind: ElementKind) -> list[Recognized]: ...


@runtime_checkable
class EntityClassifier(Protocol):
    def classify(self, document: Document) -> tuple[Entity, ...]: ...


@runtime_checkable
class Embedder(Protocol):
    @property
    def dimension(self) -> int: ...
    def embed_texts(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Rows of shape (len(texts), dimension), each of unit length."""
        ...


@runtime_checkable
class VisualEmbedder(Protocol):
    """Several vectors of a page image and of a query, for late interaction."""

    @property
    def dimension(self) -> int: ...
    def embed_images(
        self, images: Sequence[Image.Image]
    ) -> list[np.ndarray[Any, np.dtype[np.float32]]]:
        """Of each image an array of shape (vectors, dimension), one vector at least."""
        ...

    def embed_queries(
        self, queries: Sequence[str]
    ) -> list[np.ndarray[Any, np.dtype[np.float32]]]: ...


@runtime_checkable
class Retriever(Protocol):
    def search(self, query: str, k: int) -> list[Hit]:
        """At most `k` hits, best first, no chunk twice."""
        ...


@runtime_checkable
class Reranker(Protocol):
    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]: ...


class Completion(Record, frozen=True):
    """A model's reply; counts and `cost`, in the currency of its prices, are 0 where not known."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


@runtime_checkable
class LanguageModel(Protocol):
    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 1024,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
    ) -> Completion: ...


class PageContent(msgspec.Struct, frozen=True):
    """A page handed to a reader; `image` renders it at so many dots an inch, for one that sees."""

    document: Document
    page: Page
    image: Callable[[float], Image.Image] | None = None


@runtime_checkable
class PageReader(Protocol):
    def read(self, pages: Sequence[PageContent], question: str, sub_question: str) -> Reading: ...


class LibraryView(Protocol):
    """What an agent may see of a library. `search` works over all documents or the given ones."""

    def documents(self) -> Iterator[str]: ...
    def document(self, id: str) -> Document: ...
    def search(
        self, query: str, k: int = 10, documents: Sequence[str] | None = None
    ) -> list[Hit]: ...
    def search_pages(
        self, query: str, k: int = 10, documents: Sequence[str] | None = None
    ) -> list[PageHit]: ...
    def chunk(self, id: str) -> Chunk: ...
    def page_image(self, document: str, page: int, dpi: float = 144) -> Image.Image: ...


@runtime_checkable
class Agent(Protocol):
    def run(self, question: str, library: LibraryView) -> Trajectory: ...
