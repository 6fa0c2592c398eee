"""The shapes of requests and responses, as the API's documentation shows them.

Boxes are `[x0, y0, x1, y1]` in points with the origin at the top left of the page; pages count
from 1.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from docpipe.server.settings import MAX_QUESTION

Box = Annotated[list[float], Field(min_length=4, max_length=4)]
DocumentId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
SchemaName = Literal["receipt", "invoice", "id", "form", "configured"]


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Problem(Model):
    """Why a request was not served: a stable code, a sentence, and what to do."""

    code: str
    message: str
    hint: str = ""


class Health(Model):
    status: Literal["ok"] = "ok"
    version: str


class Session(Model):
    token: Annotated[str, StringConstraints(max_length=1_000)]


class Password(Model):
    password: Annotated[str, StringConstraints(min_length=1, max_length=1_000)]


class Schema(Model):
    """A set of fields that can be looked for; `ready` tells whether its model is installed."""

    name: SchemaName
    title: str
    ready: bool


class About(Model):
    version: str
    library: str
    max_upload: int = Field(description="MiB a file may have")
    max_documents: int
    max_question: int = Field(description="characters")
    schemas: list[Schema]


class DocumentItem(Model):
    """A document of the library, or a file that waits to become one.

    `reason` is the code of what went wrong, `message` and `hint` say it in words. `routes` counts
    pages by where their text came from.
    """

    id: str
    name: str
    status: Literal["ok", "partial", "failed", "queued", "reading"]
    reason: str | None = None
    message: str | None = None
    hint: str | None = None
    pages: int = 0
    routes: dict[str, int] = {}
    issues: int = 0


class DocumentList(Model):
    documents: list[DocumentItem]
    total: int


class Uploaded(Model):
    """What became of an upload; `known` where the library already has that content."""

    id: str
    name: str
    status: Literal["queued", "known"]


class Reading(Model):
    """How far the reading of new files is, and what kept the last one from succeeding."""

    running: bool
    changes: int = Field(description="how often the list of documents has changed")
    waiting: int = Field(description="files that are still to be read, with those being read")
    done: int
    total: int
    pages: int
    name: str
    problem: Problem | None = None


class PageSize(Model):
    number: int
    label: str
    width: float
    height: float
    verdict: Literal["ok", "suspicious", "unreadable"]


class OutlineItem(Model):
    level: int
    title: str
    page: int | None


class IssueItem(Model):
    stage: str
    code: str
    message: str
    page: int | None


class DocumentDetail(Model):
    id: str
    name: str
    pages: list[PageSize]
    outline: list[OutlineItem]
    issues: list[IssueItem]
    metadata: dict[str, str]


class Block(Model):
    """A block with its boxes on this page; `order` is its place in reading order, from 1, and
    None for running headers and footers."""

    id: str
    kind: str
    level: int | None
    text: str
    order: int | None
    boxes: list[Box]


class TableCell(Model):
    row: int
    column: int
    row_span: int
    column_span: int
    header: bool
    text: str
    box: Box | None


class TableItem(Model):
    id: str
    caption: str | None
    rows: int
    columns: int
    boxes: list[Box]
    cells: list[TableCell]


class FieldItem(Model):
    name: str
    value: Any
    raw: str
    score: float
    notes: list[str]
    row: int | None
    unit: str | None
    regions: list[Place]


class FormFieldItem(Model):
    name: str
    kind: str
    value: str
    state: str | None
    label: str | None
    box: Box


class HiddenItem(Model):
    text: str
    reason: str
    box: Box


class NoteItem(Model):
    """A link or an annotation. Links are shown as text and never followed."""

    kind: str
    text: str
    box: Box


class PageLayers(Model):
    """All that was found on a page. `words` are `[text, x0, y0, x1, y1]`."""

    number: int
    label: str
    width: float
    height: float
    verdict: Literal["ok", "suspicious", "unreadable"]
    reasons: list[str]
    route: str
    words: list[tuple[str, float, float, float, float]]
    blocks: list[Block]
    tables: list[TableItem]
    fields: list[FieldItem]
    form_fields: list[FormFieldItem]
    hidden: list[HiddenItem]
    notes: list[NoteItem]


class Place(Model):
    page: int
    box: Box


class Found(Model):
    document: str
    name: str
    page: int
    page_label: str
    text: str
    score: float
    regions: list[Place]


class SearchResult(Model):
    found: list[Found]


class Question(Model):
    question: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUESTION)
    ]
    documents: Annotated[list[DocumentId], Field(min_length=1, max_length=1_000)] | None = Field(
        default=None, description="Ask only these; all without"
    )


class EvidenceItem(Model):
    document: str
    name: str
    page: int
    page_label: str
    block: str
    quote: str
    score: float
    regions: list[Place]


class AnswerItem(Model):
    """When `answerable` is false, `text` says why and `evidence` is the nearest that was found."""

    text: str
    value: Any
    format: str
    answerable: bool
    confidence: float
    evidence: list[EvidenceItem]


class StepItem(Model):
    """One step of the agent: what it did, why, and what came back."""

    action: Literal["search", "read", "look", "calculate", "finish", "malformed"]
    text: str
    thought: str
    observation: str


class Asked(Model):
    question: str
    answer: AnswerItem
    steps: list[StepItem]


class Extraction(Model):
    schema_: SchemaName = Field(alias="schema")
    documents: Annotated[list[DocumentId], Field(min_length=1, max_length=500)]
    locale: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}_[A-Z]{2}$")] | None = Field(
        default=None, description='How dates and amounts are written, such as "de_DE"'
    )
    format: Literal["json", "csv", "rows"] = "json"


class ExtractedDocument(Model):
    """The fields of a document, or the reason why they could not be looked for."""

    document: str
    name: str
    status: Literal["ok", "failed"] = "ok"
    reason: str | None = None
    message: str | None = None
    fields: list[FieldItem]


class ExtractionResult(Model):
    columns: list[str] = Field(description="The schema's single fields, in order")
    row_columns: list[str] = Field(description="The schema's fields of rows, in order")
    results: list[ExtractedDocument]


FieldItem.model_rebuild()
