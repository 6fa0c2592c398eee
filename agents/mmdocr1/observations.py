"""What tools gave, in words: for the trace and for a language model."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.agents.calculator import Calculation
from docpipe.agents.mmdocr1.grammar import page_id
from docpipe.agents.tools import Found
from docpipe.records import PageRequest, Reading, Table
from docpipe.stages import PageContent


def of_search(found: Sequence[Found], documents: Sequence[str]) -> str:
    """Each query with the pages found: id, printed label where it differs, score, snippet."""
    return "\n".join(
        line
        for search in found
        for line in (_asked(search, documents), *(_page_lines(search, documents) or ["nothing"]))
    )


def _asked(search: Found, documents: Sequence[str]) -> str:
    numbers = ", ".join(str(documents.index(id) + 1) for id in search.documents)
    within = f" in document {numbers}" if numbers and len(documents) > 1 else ""
    return f'query{within}: "{search.query}"'


def _page_lines(search: Found, documents: Sequence[str]) -> list[str]:
    return [
        f"page {page_id(page.document, page.page, documents)}"
        + (f" (printed {page.label})" if page.label not in ("", str(page.page)) else "")
        + f", score {page.score:.2f}: {page.snippet}"
        for page in search.pages
    ]


def of_reading(request: PageRequest, reading: Reading, documents: Sequence[str]) -> str:
    """What a reader found on pages for a sub-question."""
    pages = ", ".join(str(page_id(request.document, page, documents)) for page in request.pages)
    findings = [f"- {finding}" for finding in reading.findings if finding != reading.summary]
    return "\n".join([f'pages {pages}, asked "{request.question}": {reading.summary}', *findings])


def of_tables(contents: Sequence[PageContent], documents: Sequence[str]) -> list[str]:
    """The tables of the pages read, by the names that a calculation knows them by."""
    return [
        f'table "{_table_name(content.document.id, block.id, documents)}"'
        + (f": {' '.join(block.caption.split())}" if block.caption else "")
        for content in contents
        for block in content.page.blocks
        if isinstance(block, Table)
    ]


def _table_name(document: str, block: str, documents: Sequence[str]) -> str:
    return block if len(documents) == 1 else f"{documents.index(document) + 1}:{block}"


def of_calculation(expression: str, result: Calculation) -> str:
    return f"{expression} = {result.text}"
