"""Questions of MMLongBench-Doc (Ma et al., arXiv 2407.01523) as released, and as gold questions."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from docpipe.datasets.matching import NOT_ANSWERABLE, GoldFormat, as_list
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.errors import ConfigError, SchemaError
from docpipe.records import Document

_KINDS = {"Pure-text (Plain-text)": "text", "Generalized-text (Layout)": "layout"}


class Sample(msgspec.Struct, frozen=True):
    """A question of the benchmark as released; list fields are strings of Python lists there."""

    doc_id: str
    doc_type: str
    question: str
    answer: str
    evidence_pages: str
    evidence_sources: str
    answer_format: GoldFormat

    @property
    def pages(self) -> tuple[int, ...]:
        """Gold pages, from 1. Some keys name pages the file does not have."""
        return tuple(int(page) for page in as_list(self.evidence_pages))

    @property
    def sources(self) -> tuple[str, ...]:
        """Kinds of evidence, such as `Table` or `Chart`; several are possible."""
        return tuple(as_list(self.evidence_sources))

    @property
    def kinds(self) -> tuple[str, ...]:
        """`sources` in one lower-case word each: text, layout, table, chart, figure."""
        return tuple(_KINDS.get(source, source.lower()) for source in self.sources)

    @property
    def answerable(self) -> bool:
        return not self.answer.startswith(NOT_ANSWERABLE)


def load_samples(data: bytes) -> list[Sample]:
    """The samples in a JSON file of the benchmark (v1 or V2). Raises SchemaError."""
    try:
        return msgspec.json.decode(data, type=list[Sample])
    except msgspec.DecodeError as error:
        raise SchemaError(f"not a list of MMLongBench-Doc samples: {error}") from error


def read_samples(path: Path, documents: Collection[str]) -> list[Sample]:
    """The samples in a file that are about these documents. Raises ConfigError, SchemaError."""
    try:
        samples = load_samples(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    return [sample for sample in samples if sample.doc_id in documents]


def gold_question(sample: Sample, number: int, document: Document) -> GoldQuestion:
    """A sample as a question about a document; gold pages that it does not have are left out."""
    known = {page.number for page in document.pages}
    pages = tuple((document.id, page) for page in sample.pages if page in known)
    return GoldQuestion(
        id=f"mmlongbench-{number}",
        kind="mmlongbench",
        question=sample.question.strip(),
        answer=sample.answer,
        format=sample.answer_format,
        how="given",
        documents=(document.id,),
        pages=pages if sample.answerable else (),
        answerable=sample.answerable,
    )
