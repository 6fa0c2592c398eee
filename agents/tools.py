"""What an agent can do with documents: search, read, look, calculate, and see their outline.

The same serve every policy. A tool takes ids and page numbers and returns data; nothing a document
says changes what a tool does.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from docpipe.agents.calculator import Calculation, calculate
from docpipe.agents.passages import sentences
from docpipe.agents.terms import content_words
from docpipe.agents.verifier import cite
from docpipe.content import block_text, body_blocks, find_page
from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.records import (
    Document,
    Evidence,
    Figure,
    Page,
    PageHit,
    PageRequest,
    Region,
    Table,
    TextBlock,
)
from docpipe.stages import LibraryView, PageContent

if TYPE_CHECKING:
    from PIL import Image

_SNIPPET = 240
_TITLE = 120
_MOST_MET = 4
_CUT = " …"
_PART = re.compile(r"(?P<kind>fig(?:ure|\.)?|table|chart|diagram)s?\.?\s*(?P<number>[\dA-Z])", re.I)

PageKey = tuple[str, int]
PartKind = Literal["heading", "figure", "table"]


class PageFound(msgspec.Struct, frozen=True):
    """A page that a search found: its printed label, and a snippet of what fits best on it."""

    document: str
    page: int
    label: str
    score: float
    snippet: str

    @property
    def key(self) -> PageKey:
        return self.document, self.page


class Found(msgspec.Struct, frozen=True):
    """What a query found, best first, in the documents named or in all."""

    query: str
    pages: tuple[PageFound, ...]
    documents: tuple[str, ...] = ()


class Part(msgspec.Struct, frozen=True):
    """A heading, figure or table of a document; of bookmarks and headings with their level."""

    kind: PartKind
    text: str
    page: int
    level: int = 0


class Tools:
    """The tools over a library; `depth` pages are found for each query."""

    def __init__(self, library: LibraryView, *, depth: int = 10) -> None:
        self.library = library
        self.depth = depth
        self.outline = functools.lru_cache(maxsize=8)(self._outline)

    def documents(self) -> list[str]:
        """The ids of the documents that may be searched."""
        return list(self.library.documents())

    def search(self, queries: Sequence[str], documents: Sequence[str] = ()) -> list[Found]:
        """The best pages for each query, with their scores; those of different queries do not
        compare. Without `documents` all are searched."""
        within = tuple(documents)
        return [
            Found(
                query, tuple(self._found(hit, query) for hit in self._hits(query, within)), within
            )
            for query in queries
        ]

    def read(self, request: PageRequest) -> list[PageContent]:
        """The pages asked for, in that order: parsed text and tables, and the image on demand.

        Raises ConfigError for an unknown document (`unknown_document`) or page (`pages`).
        """
        document = self.library.document(request.document)
        return [
            PageContent(
                document,
                self._page(document, number),
                functools.partial(self.library.page_image, document.id, number),
            )
            for number in dict.fromkeys(request.pages)
        ]

    def look(self, document: str, region: Region, dpi: float = 144) -> Image.Image:
        """A region of a page as an image. Raises ConfigError as `read` does, InputError
        (`source_missing`) where the original is gone."""
        page, box = self._region(document, region)
        image = self.library.page_image(document, region.page, dpi)
        across, down = image.width / page.width, image.height / page.height
        left, top, right, bottom = box.x0 * across, box.y0 * down, box.x1 * across, box.y1 * down
        return image.crop((round(left), round(top), round(right), round(bottom)))

    def words_in(self, document: str, region: Region) -> str:
        """The words whose middle lies in a region. Raises ConfigError as `read` does."""
        page, box = self._region(document, region)
        inside = (word for word in page.words if box.contains_point(*word.bbox.center))
        return " ".join(word.text for word in inside)

    def blocks_in(self, document: str, region: Region) -> tuple[Evidence, ...]:
        """The first blocks that a region meets, whole, as evidence. Raises ConfigError as `read`
        does."""
        page, box = self._region(document, region)
        found = self.library.document(document)
        met = [
            block
            for block in body_blocks(page)
            if block_text(block).strip()
            and any(
                place.page == page.number and place.bbox.intersection(box)
                for place in block.source.regions
            )
        ]
        return tuple(
            cite(found, page, block, 0, len(block_text(block)), 1.0) for block in met[:_MOST_MET]
        )

    def calculate(self, expression: str, documents: Sequence[str] = ()) -> Calculation:
        """The value of an expression over numbers and the cells of tables of documents, which are
        numbered as in `documents()`. Raises ConfigError (`calculation`)."""
        numbers = {id: number for number, id in enumerate(self.documents(), 1)}
        return calculate(expression, {numbers[id]: self.library.document(id) for id in documents})

    def _outline(self, document: str) -> tuple[Part, ...]:
        """The bookmarks, or else the headings, then the figures and tables of a document."""
        found = self.library.document(document)
        heads = [
            Part("heading", entry.title, entry.page, entry.level)
            for entry in found.outline
            if entry.page
        ]
        parts = [part for page in found.pages for part in _parts(page)]
        heads = heads or [part for part in parts if part.kind == "heading"]
        others = dict.fromkeys(part for part in parts if part.kind != "heading")
        return (*heads, *others)

    def _hits(self, query: str, documents: Sequence[str]) -> list[PageHit]:
        return self.library.search_pages(query, self.depth, documents or None)

    def _found(self, hit: PageHit, query: str) -> PageFound:
        page = self._page(self.library.document(hit.document), hit.page)
        text = snippet(hit.best.chunk.text, query) if hit.best else ""
        return PageFound(hit.document, hit.page, page.label, hit.score, text)

    def _region(self, document: str, region: Region) -> tuple[Page, BBox]:
        """The page and what of the region lies on it."""
        page = self._page(self.library.document(document), region.page)
        x0, y0, x1, y1 = msgspec.structs.astuple(region.bbox)
        left, top, right, bottom = (
            max(0.0, x0),
            max(0.0, y0),
            min(page.width, x1),
            min(page.height, y1),
        )
        if right - left < 1 or bottom - top < 1:
            raise ConfigError(f"the region lies outside page {region.page}", code="pages")
        return page, BBox(left, top, right, bottom)

    @staticmethod
    def _page(document: Document, number: int) -> Page:
        page = find_page(document, number)
        if page is None:
            count = len(document.pages)
            raise ConfigError(f"{document.name} has no page {number} (of {count})", code="pages")
        return page


def snippet(text: str, query: str, longest: int = _SNIPPET) -> str:
    """The part of a text that says most of a query's words, whole sentences where they fit."""
    asked = set(content_words(query))
    ranges = sentences(text)
    if not ranges:
        return ""
    said = [len(asked & set(content_words(text[start:end]))) for start, end in ranges]
    at = max(range(len(ranges)), key=lambda number: said[number])
    start, end = ranges[at]
    for _, later in ranges[at + 1 :]:
        if later - start > longest:
            break
        end = later
    piece = " ".join(text[start:end].split())
    return piece if len(piece) <= longest else f"{piece[: longest - len(_CUT)]}{_CUT}"


def _parts(page: Page) -> Iterator[Part]:
    for block in body_blocks(page):
        match block:
            case TextBlock(role="title" | "heading", text=text, level=level):
                yield Part("heading", _short(text), page.number, level or 1)
            case Table(caption=caption):
                yield Part("table", _short(caption or ""), page.number)
            case Figure():
                yield Part("figure", _short(block_text(block)), page.number)
            case TextBlock(role="caption", text=text) if named := _PART.match(text):
                kind: PartKind = "table" if named["kind"].casefold() == "table" else "figure"
                yield Part(kind, _short(text), page.number)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - len(_CUT)]}{_CUT}"
