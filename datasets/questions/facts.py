"""What a document says, as typed objects that questions can be built on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from docpipe.content import block_text, body_blocks, locate, page_text
from docpipe.datasets.questions.wording import has_name, key_words, number, one_line
from docpipe.records import Block, Cell, Document, Evidence, Figure, Page, Region, Table, TextBlock

_SENTENCE = re.compile(r"[^.!?]+(?:\.(?=\w)[^.!?]+)*[.!?](?=\s|$)")
_STATEMENT = re.compile(
    r"(?P<subject>(?=[A-Z])[^\W\d_][^,;:.?!()\[\]]{6,70}?)"
    r" (?P<verb>is|are|was|were)"
    r" (?P<rest>(?:an? |the |one |two |three |both |about |\d|[A-Z])"
    r"[^;:?!()\[\]]{1,90}?[^\W_]{2})[.]"
)
_CLAUSE = re.compile(r"\b(?:that|which|where|there|who|whose|if|when|because|so|then|but)\b")
_OPENS_WITHOUT_NAME = re.compile(
    r"(?:It|This|That|These|Those|There|Here|We|They|He|She|You|I|If|When|While|Where|Since|Because"
    r"|As|In|On|At|For|But|And|Or|So|Thus|Then|What|Which|How|One|All|Note|Its|Their|Our|To|By"
    r"|After|Before|Although|However|Unless|Both|Such|Some|Each|Another|Most|Any|Only)\b"
)
LABEL = re.compile(r"(?P<kind>figure|fig\.|table) ?(?P<number>\d{1,3}(?:\.\d{1,2})?)\b", re.I)
_LABELLED = re.compile(rf"{LABEL.pattern}\s*[:.–—-]?\s*(?P<name>.+)", re.I | re.S)
_CONTENTS_LINE = re.compile(r".*\S\s*(?:\. ?){3,}\s*\d+\s*$")
_FEW_CONTENTS_LINES = 4
_LONGEST_HEADING = 70
_LONGEST_CELL = 40

PartKind = Literal["figure", "table"]


class CellFact(NamedTuple):
    """A number in a table with what names it: its row's first cell and its column's header."""

    table: Table
    page: int
    row: Cell
    header: Cell
    cell: Cell


class Part(NamedTuple):
    """A figure or table with a caption; `label` is "figure 3" or "", `name` the caption after it;
    `order` counts the blocks of the document."""

    kind: PartKind
    block: Block
    page: int
    label: str
    name: str
    order: int


class Section(NamedTuple):
    """A heading, and the `order` of the first block that no longer belongs to it."""

    block: TextBlock
    page: int
    order: int
    end: int


class Statement(NamedTuple):
    """A sentence "SUBJECT is REST."; `start` and `end` bound the whole of it in its block."""

    block: TextBlock
    page: int
    start: int
    end: int
    subject: str
    verb: str
    rest: str


class Mention(NamedTuple):
    """A sentence that refers to a part on another page by its label."""

    block: TextBlock
    page: int
    start: int
    end: int
    part: Part


class Facts:
    """The facts of one document, found when first asked for."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.page_words = {
            page.number: key_words(page_text(page, furniture=True)) for page in document.pages
        }
        self.contents = {page.number for page in document.pages if _is_contents(page)}

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All words of the document."""
        return frozenset().union(*self.page_words.values())

    def pages_with(self, words: frozenset[str]) -> list[int]:
        """The pages that say all the words, those of a table of contents left out."""
        return [
            page
            for page, said in self.page_words.items()
            if words <= said and page not in self.contents
        ]

    @cached_property
    def blocks(self) -> list[tuple[int, int, Block]]:
        """(order, page, block) of all but furniture and contents."""
        found = [
            (page.number, block)
            for page in self.document.pages
            if page.number not in self.contents
            for block in body_blocks(page)
        ]
        return [(order, page, block) for order, (page, block) in enumerate(found)]

    @cached_property
    def cells(self) -> list[CellFact]:
        return [
            fact
            for _, _, block in self.blocks
            if isinstance(block, Table)
            for fact in _cell_facts(block)
        ]

    @cached_property
    def parts(self) -> list[Part]:
        found = (_part(order, page, block) for order, page, block in self.blocks)
        return list({(part.page, part.name): part for part in found if part}.values())

    @cached_property
    def sections(self) -> list[Section]:
        heads = [
            (order, page, block)
            for order, page, block in self.blocks
            if isinstance(block, TextBlock)
            and block.role == "heading"
            and 4 < len(block.text) < _LONGEST_HEADING
        ]
        total = len(self.blocks)
        return [
            Section(block, page, order, _end(heads[at + 1 :], block.level or 1, total))
            for at, (order, page, block) in enumerate(heads)
        ]

    @cached_property
    def statements(self) -> list[Statement]:
        return [
            statement
            for _, page, block in self.blocks
            if isinstance(block, TextBlock) and block.role in ("paragraph", "list_item")
            for statement in _statements(block, page)
        ]

    @cached_property
    def mentions(self) -> list[Mention]:
        labelled = {part.label: part for part in self.parts if part.label}
        return [
            Mention(block, page, sentence.start(), sentence.end(), labelled[label])
            for _, page, block in self.blocks
            if isinstance(block, TextBlock) and block.role == "paragraph"
            for sentence in _SENTENCE.finditer(block.text)
            for label in map(_label, LABEL.finditer(sentence.group()))
            if label in labelled and labelled[label].page != page
        ]

    def quote(self, block: Block, page: int, start: int, end: int) -> Evidence:
        """A range of a block's text as evidence on a page."""
        regions = locate(self.document, block, start, end)
        return self._evidence(block, page, block_text(block)[start:end], regions)

    def quote_cell(self, fact: CellFact, cell: Cell) -> Evidence:
        """A cell of a fact's table as evidence."""
        regions = (cell.region,) if cell.region else fact.table.source.regions
        return self._evidence(fact.table, fact.page, cell.text, regions)

    def quote_part(self, part: Part) -> Evidence:
        """The name of a part as evidence."""
        start = max(0, block_text(part.block).find(part.name))
        return self.quote(part.block, part.page, start, start + len(part.name))

    def _evidence(
        self, block: Block, page: int, quote: str, regions: tuple[Region, ...]
    ) -> Evidence:
        label = next(found.label for found in self.document.pages if found.number == page)
        on_page = tuple(region for region in regions if region.page == page)
        return Evidence(self.document.id, page, label, block.id, on_page or regions, quote, 1.0)


def _is_contents(page: Page) -> bool:
    lines = [line for block in page.blocks for line in block_text(block).splitlines()]
    return sum(bool(_CONTENTS_LINE.match(line)) for line in lines) >= _FEW_CONTENTS_LINES


def _cell_facts(table: Table) -> Iterator[CellFact]:
    headers: dict[int, Cell] = {}
    labels: dict[int, Cell] = {}
    for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column)):
        if cell.is_header:
            if cell.column and cell.column_span == 1 and _is_name(cell):
                headers[cell.column] = cell
        elif cell.column == 0:
            if _is_name(cell):
                labels[cell.row] = cell
        elif cell.row in labels and cell.column in headers and number(cell.text) is not None:
            page = (cell.region or table.source.regions[0]).page
            yield CellFact(table, page, labels[cell.row], headers[cell.column], cell)


def _is_name(cell: Cell) -> bool:
    return bool(
        2 < len(cell.text) <= _LONGEST_CELL and key_words(cell.text) and number(cell.text) is None
    )


def _part(order: int, page: int, block: Block) -> Part | None:
    match block:
        case Table(caption=str(text)):
            kind: PartKind = "table"
        case Figure(caption=str(text)):
            kind = "figure"
        case TextBlock(role="caption", text=text) if found := LABEL.match(text):
            kind = "table" if found["kind"].casefold() == "table" else "figure"
        case _:
            return None
    labelled = _LABELLED.match(text)
    name = (labelled["name"] if labelled else text).split("\n")[0].split(". ")[0].strip()
    if len(key_words(name)) < 2:
        return None
    return Part(kind, block, page, _label(labelled) if labelled else "", name, order)


def _label(match: re.Match[str]) -> str:
    kind = "table" if match["kind"].casefold() == "table" else "figure"
    return f"{kind} {match['number']}"


def _end(later: list[tuple[int, int, TextBlock]], level: int, total: int) -> int:
    return next((order for order, _, block in later if (block.level or 1) <= level), total)


def _statements(block: TextBlock, page: int) -> Iterator[Statement]:
    for sentence in _SENTENCE.finditer(block.text):
        text = sentence.group()
        start = sentence.start() + len(text) - len(text.lstrip())
        match = _STATEMENT.fullmatch(one_line(text))
        subject = match["subject"] if match else ""
        if match and has_name(subject) and not _is_clause(subject):
            yield Statement(
                block, page, start, sentence.end(), subject, match["verb"], match["rest"]
            )


def _is_clause(subject: str) -> bool:
    """Whether what stands before the verb is more, or less, than a name."""
    return bool(_OPENS_WITHOUT_NAME.match(subject) or _CLAUSE.search(subject))
