"""What leaves docpipe: pure functions from a Document to JSON, Markdown, HTML, text and CSV.

All give text that encodes to UTF-8 and holds no control characters but tab and line feed.
"""

from __future__ import annotations

from collections.abc import Iterable

from docpipe import codec
from docpipe.export.figures import write_figures
from docpipe.export.html import to_html
from docpipe.export.markdown import to_markdown
from docpipe.export.tables import table_to_csv, table_to_html
from docpipe.export.text import to_text
from docpipe.records import Chunk, Document

__all__ = [
    "table_to_csv",
    "table_to_html",
    "to_chunks_jsonl",
    "to_html",
    "to_json",
    "to_markdown",
    "to_text",
    "write_figures",
]


def to_json(document: Document) -> str:
    """The whole document, as `codec.decode_document` reads it back."""
    return codec.encode(document).decode("utf-8") + "\n"


def to_chunks_jsonl(chunks: Iterable[Chunk]) -> str:
    """A chunk a line as JSON: id, document, spans (block id, start, end) and text."""
    return "".join(codec.encode(chunk).decode("utf-8") + "\n" for chunk in chunks)
