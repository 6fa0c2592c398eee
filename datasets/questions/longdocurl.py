"""Questions of LongDocURL (arXiv 2412.18424) as gold questions.

Its file has a JSON object a line; documents are called by a number of seven digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from docpipe.datasets.matching import GoldFormat
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.errors import ConfigError, SchemaError
from docpipe.records import Document

_FORMATS: dict[str, GoldFormat] = {
    "integer": "Int",
    "float": "Float",
    "string": "Str",
    "list": "List",
    "none": "None",
}


class _Released(msgspec.Struct, frozen=True):
    question_id: str
    doc_no: str
    question: str
    answer: str | int | float | list[str | int | float] | None
    answer_format: str
    evidence_pages: tuple[int, ...] = ()


def read_longdocurl(
    path: Path, find: Callable[[str], Document | None], *, first_page: int = 0
) -> Iterator[GoldQuestion]:
    """The questions about documents that `find` knows by file name ("4000938.pdf").

    Evidence is given by indices of pages: `first_page` is that of a document's first (the released
    files were not at hand: check one question whose page you know). Pages that a document does not
    have are left out. Raises ConfigError, SchemaError.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        try:
            released = msgspec.json.decode(line, type=_Released)
        except msgspec.DecodeError as error:
            raise SchemaError(f"{path}, line {number}: {error}") from error
        document = find(f"{released.doc_no}.pdf")
        if document is not None:
            yield _question(released, document, first_page)


def _question(released: _Released, document: Document, first_page: int) -> GoldQuestion:
    known = {page.number for page in document.pages}
    pages = [index - first_page + 1 for index in released.evidence_pages]
    format = _FORMATS.get(released.answer_format.casefold(), "Str")
    answerable = format != "None"
    return GoldQuestion(
        id=f"longdocurl-{released.question_id}",
        kind="longdocurl",
        question=released.question.strip(),
        answer=str(released.answer),
        format=format,
        how="given",
        documents=(document.id,),
        pages=tuple((document.id, page) for page in pages if answerable and page in known),
        answerable=answerable,
    )
