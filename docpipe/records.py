"""The typed objects that flow between stages.

Records are frozen and know nothing of storage, export or drawing: those are functions in other
modules. Boxes are in points with a top-left origin (see geometry); page numbers count from 1.
Ids are readable and stable: a document's is the first 16 hex digits of the sha256 of its bytes, a
block's is `p3/table2`, and `9f2c…#p3/table2` names a block of a document globally.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from docpipe.geometry import BBox

SCHEMA_VERSION = 1

Role = Literal[
    "title",
    "heading",
    "paragraph",
    "list_item",
    "caption",
    "footnote",
    "page_header",
    "page_footer",
    "code",
    "reference",
]
AnswerFormat = Literal["int", "float", "str", "list", "none"]
RefusalCode = Literal["", "not_mentioned", "not_found", "looks", "not_computed"]
Value = str | int | float | list[str] | None


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all records: immutable, compared by value, no unknown fields on decoding."""


class Region(Record, frozen=True, array_like=True, gc=False):
    """A box on a page (1-based)."""

    page: int
    bbox: BBox


class Source(Record, frozen=True):
    """Where a block came from: its regions, the stage that made it and that stage's confidence.

    Several regions where a paragraph or table spans columns or pages.
    """

    regions: tuple[Region, ...]
    stage: str
    confidence: float | None = None


class Word(Record, frozen=True, array_like=True, gc=False):
    text: str
    bbox: BBox
    confidence: float | None = None


class TextBlock(Record, frozen=True, tag_field="type", tag="text"):
    """A run of text with one role; `level` 1 is the highest heading.

    `raw` is the text before line joining and dehyphenation, where it differs.
    """

    id: str
    source: Source
    text: str
    role: Role
    level: int | None = None
    raw: str | None = None


class Cell(Record, frozen=True):
    """A table cell; rows and columns count from 0, spans from 1."""

    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
    is_header: bool = False
    region: Region | None = None


class Table(Record, frozen=True, tag_field="type", tag="table"):
    id: str
    source: Source
    cells: tuple[Cell, ...]
    caption: str | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns of the grid."""
        return (
            max((cell.row + cell.row_span for cell in self.cells), default=0),
            max((cell.column + cell.column_span for cell in self.cells), default=0),
        )


class Formula(Record, frozen=True, tag_field="type", tag="formula"):
    id: str
    source: Source
    latex: str
    label: str | None = None


class Figure(Record, frozen=True, tag_field="type", tag="figure"):
    id: str
    source: Source
    caption: str | None = None
    description: str | None = None


Block = TextBlock | Table | Formula | Figure


class Quality(Record, frozen=True, omit_defaults=False):
    """How far a page's text can be trusted, why, and which route it came by.

    `reasons` are short codes, such as `no_text_layer`, `replacement_chars`, `hidden_text`.
    """

    verdict: Literal["ok", "suspicious", "unreadable"] = "ok"
    reasons: tuple[str, ...] = ()
    route: Literal["text_layer", "ocr", "none"] = "text_layer"


class HiddenText(Record, frozen=True):
    """Text a reader of the page cannot see, kept apart from the page's text."""

    region: Region
    text: str
    reason: str


class Link(Record, frozen=True):
    """`target` is a URI, `#page=N` for a place in this document, or a file name; never followed."""

    region: Region
    target: str


class Annotation(Record, frozen=True):
    """What a reader left on a page; `kind` as in the PDF, in lower case: highlight, freetext, …

    `text` is the comment (of an attached file its name), `quote` the text of the page that a
    highlight, an underline or a strike-out marks.
    """

    region: Region
    kind: str
    text: str
    quote: str = ""


class Page(Record, frozen=True):
    """One page; `blocks` are in reading order, `label` is the printed page number ("iv")."""

    number: int
    label: str
    width: float
    height: float
    rotation: int = 0
    words: tuple[Word, ...] = ()
    blocks: tuple[Block, ...] = ()
    quality: Quality = Quality()
    links: tuple[Link, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    hidden: tuple[HiddenText, ...] = ()


class FormField(Record, frozen=True):
    """A field of a form; `kind` is text, checkbox, radio, choice, button or signature.

    `state` is "on" or "off" for check boxes and each radio button, "signed" or "unsigned" for
    signatures. `value` is the field's as stored, of boxes and buttons what they stand for when on,
    else "Off"; values of password fields are left out. `region` is None where nothing is shown.
    `label` is what the file says of the field, else its label as printed. Check boxes that are
    drawn, not interactive, are listed, too: their name is their label.
    """

    name: str
    kind: str
    value: str
    state: str | None = None
    region: Region | None = None
    label: str | None = None


class Attachment(Record, frozen=True):
    name: str
    size: int


class OutlineEntry(Record, frozen=True):
    """A bookmark; `level` 1 is the top, `page` is None when it points nowhere."""

    level: int
    title: str
    page: int | None = None


class Entity(Record, frozen=True):
    """A labelled run of words, such as the total of a receipt. `words` index the page's words."""

    id: str
    label: str
    words: tuple[int, ...]
    source: Source
    text: str
    score: float


class Field(Record, frozen=True):
    """A value assembled from entities; `value` is normalised, `raw` as it stands on the page.

    `value` is None where the text gives no certain value; `notes` then say why, and what checks
    found: a short code each, such as `ambiguous_date`, often with a detail behind a colon. `row`
    numbers the rows of a document from 1, for the fields that are columns of rows. `unit` is the
    currency of an amount: its ISO code, or a symbol that several share ("$").
    """

    name: str
    value: Value
    raw: str
    entities: tuple[str, ...]
    source: Source
    score: float
    notes: tuple[str, ...] = ()
    row: int | None = None
    unit: str | None = None


class Issue(Record, frozen=True):
    """Something that went wrong without stopping the rest; `page` None means the whole file."""

    stage: str
    code: str
    message: str
    page: int | None = None


class Document(Record, frozen=True, kw_only=True, omit_defaults=False):
    schema: int = SCHEMA_VERSION
    id: str
    name: str
    pages: tuple[Page, ...]
    outline: tuple[OutlineEntry, ...] = ()
    metadata: dict[str, str] = {}
    form_fields: tuple[FormField, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    entities: tuple[Entity, ...] = ()
    fields: tuple[Field, ...] = ()
    issues: tuple[Issue, ...] = ()


class Span(Record, frozen=True, array_like=True, gc=False):
    """Characters `start` to `end` of a block's text (see content.block_text)."""

    block: str
    start: int
    end: int


class Chunk(Record, frozen=True):
    """A retrievable piece: text ranges of blocks. `text` is those ranges joined by newlines."""

    id: str
    document: str
    spans: tuple[Span, ...]
    text: str


class Hit(Record, frozen=True):
    chunk: Chunk
    score: float
    retriever: str


class PageHit(Record, frozen=True):
    """A page found for a query: `page` counts from 1; `best` is its best chunk, if it has text."""

    document: str
    page: int
    score: float
    best: Hit | None = None


class Evidence(Record, frozen=True):
    """A quote and where it stands. `document` is an id; `quote` is in the block's text verbatim."""

    document: str
    page: int
    page_label: str
    block: str
    regions: tuple[Region, ...]
    quote: str
    score: float


class Answer(Record, frozen=True, omit_defaults=False):
    """An answer with its evidence.

    `value` is the short typed answer in `format`. When `answerable` is False, `text` says why,
    `evidence` is the nearest that was found, `confidence` that of the answer withheld, and `reason`
    a code: `not_mentioned` (the documents do not speak of what is named), `not_found`, `looks`
    (only the look of a page tells), `not_computed`, or "" where none is known. `trajectory` is the
    id of the run that produced it.
    """

    text: str
    value: Value
    format: AnswerFormat
    answerable: bool
    evidence: tuple[Evidence, ...]
    confidence: float
    trajectory: str | None = None
    reason: RefusalCode = ""


class Reading(Record, frozen=True):
    """What a page reader found on some pages of a document for a question.

    `answer` is None for a reader that only gathers and leaves the answer to the agent.
    """

    pages: tuple[int, ...]
    summary: str
    findings: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    answer: Answer | None = None


class TextPart(Record, frozen=True, tag_field="type", tag="text"):
    text: str


class ImagePart(Record, frozen=True, tag_field="type", tag="image"):
    """An encoded image (base64 in JSON)."""

    data: bytes
    media_type: str = "image/png"


class Message(Record, frozen=True):
    role: Literal["system", "user", "assistant"]
    parts: tuple[TextPart | ImagePart, ...]


class PageRequest(Record, frozen=True):
    """Pages of one document to read for a sub-question."""

    document: str
    pages: tuple[int, ...]
    question: str


class Search(Record, frozen=True, tag_field="action", tag="search"):
    """Queries over the documents with these ids, or over all in scope."""

    queries: tuple[str, ...]
    documents: tuple[str, ...] = ()


class Read(Record, frozen=True, tag_field="action", tag="read"):
    requests: tuple[PageRequest, ...]


class Look(Record, frozen=True, tag_field="action", tag="look"):
    document: str
    region: Region
    question: str


class Calculate(Record, frozen=True, tag_field="action", tag="calculate"):
    expression: str


class Finish(Record, frozen=True, tag_field="action", tag="finish"):
    reason: str = ""


class Malformed(Record, frozen=True, tag_field="action", tag="malformed"):
    """What a model wrote instead of an action; `problem` says what is wrong with it."""

    problem: str


Action = Search | Read | Look | Calculate | Finish | Malformed


class Step(Record, frozen=True):
    """One turn of an agent: messages as sent, raw response, the action and what came back."""

    action: Action
    observation: str
    thought: str = ""
    messages: tuple[Message, ...] = ()
    response: str = ""
    evidence: tuple[Evidence, ...] = ()


class Trajectory(Record, frozen=True):
    """A whole run of an agent on a question; `rewards` are named parts, kept apart.

    `tokens` and `cost` are what language models took, the answer included.
    """

    id: str
    question: str
    steps: tuple[Step, ...]
    answer: Answer
    rewards: dict[str, float] = {}
    tokens: int = 0
    cost: float = 0.0
