"""Records as the plain data that `docpipe.server.models` describes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from docpipe.content import block_text, find_page, is_furniture
from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.library import Library
from docpipe.records import (
    Answer,
    Block,
    Calculate,
    Document,
    Evidence,
    Field,
    Figure,
    Finish,
    FormField,
    Formula,
    Look,
    Malformed,
    Page,
    Read,
    Region,
    Search,
    Step,
    Table,
    TextBlock,
    Trajectory,
)

Plain = dict[str, Any]
NameOf = Callable[[str], str]


def document(found: Document) -> Plain:
    return {
        "id": found.id,
        "name": found.name,
        "pages": [
            {
                "number": page.number,
                "label": page.label,
                "width": page.width,
                "height": page.height,
                "verdict": page.quality.verdict,
            }
            for page in found.pages
        ],
        "outline": [
            {"level": entry.level, "title": entry.title, "page": entry.page}
            for entry in found.outline
        ],
        "issues": [
            {"stage": i.stage, "code": i.code, "message": i.message, "page": i.page}
            for i in found.issues
        ],
        "metadata": found.metadata,
    }


def page_layers(found: Document, page: Page) -> Plain:
    return {
        "number": page.number,
        "label": page.label,
        "width": page.width,
        "height": page.height,
        "verdict": page.quality.verdict,
        "reasons": list(page.quality.reasons),
        "route": page.quality.route,
        "words": [[word.text, *_box(word.bbox)] for word in page.words],
        "blocks": list(_blocks(page)),
        "tables": [_table(block, page) for block in page.blocks if isinstance(block, Table)],
        "fields": [field(f) for f in found.fields if _is_on(f.source.regions, page)],
        "form_fields": list(_form_fields(found.form_fields, page)),
        "hidden": [
            {"text": h.text, "reason": h.reason, "box": _box(h.region.bbox)} for h in page.hidden
        ],
        "notes": [
            {"kind": "link", "text": link.target, "box": _box(link.region.bbox)}
            for link in page.links
        ]
        + [
            {"kind": note.kind, "text": note.text or note.quote, "box": _box(note.region.bbox)}
            for note in page.annotations
        ],
    }


def field(found: Field) -> Plain:
    return {
        "name": found.name,
        "value": found.value,
        "raw": found.raw,
        "score": found.score,
        "notes": list(found.notes),
        "row": found.row,
        "unit": found.unit,
        "regions": regions(found.source.regions),
    }


def asked(trajectory: Trajectory, name_of: NameOf) -> Plain:
    return {
        "question": trajectory.question,
        "answer": _answer(trajectory.answer, name_of),
        "steps": [step(each, name_of) for each in trajectory.steps],
    }


def step(found: Step, name_of: NameOf) -> Plain:
    return {
        "action": type(found.action).__name__.lower(),
        "text": _action(found, name_of),
        "thought": found.thought,
        "observation": found.observation,
    }


def search(
    library: Library, query: str, limit: int, documents: Sequence[str] | None = None
) -> list[Plain]:
    """The best places for a query; none in a library that has nothing to look in."""
    from docpipe.retrieval.chunks import chunk_regions

    try:
        hits = library.search(query, limit, documents)
    except ConfigError as error:
        if error.code == "no_index":
            return []
        raise
    found = []
    for hit in hits:
        whole = library.document(hit.chunk.document)
        where = chunk_regions(whole, hit.chunk)
        page = find_page(whole, where[0].page)
        found.append(
            {
                "document": whole.id,
                "name": whole.name,
                "page": where[0].page,
                "page_label": page.label if page else "",
                "text": hit.chunk.text,
                "score": hit.score,
                "regions": regions(where),
            }
        )
    return found


def regions(found: Iterable[Region]) -> list[Plain]:
    return [{"page": region.page, "box": _box(region.bbox)} for region in found]


def page_list(pages: Iterable[int]) -> str:
    """ "page 3", or "pages 3, 4"."""
    numbers = [str(page) for page in pages]
    return f"page{'s' if len(numbers) != 1 else ''} {', '.join(numbers)}"


def _answer(found: Answer, name_of: NameOf) -> Plain:
    return {
        "text": found.text,
        "value": found.value,
        "format": found.format,
        "answerable": found.answerable,
        "confidence": found.confidence,
        "evidence": [_evidence(item, name_of) for item in found.evidence],
    }


def _evidence(found: Evidence, name_of: NameOf) -> Plain:
    return {
        "document": found.document,
        "name": name_of(found.document),
        "page": found.page,
        "page_label": found.page_label,
        "block": found.block,
        "quote": found.quote,
        "score": found.score,
        "regions": regions(found.regions),
    }


def _action(found: Step, name_of: NameOf) -> str:
    match found.action:
        case Search(queries):
            return "; ".join(queries)
        case Read(requests):
            return "; ".join(f"{name_of(r.document)}, {page_list(r.pages)}" for r in requests)
        case Look(document, region, question):
            return f"{name_of(document)}, page {region.page}: {question}"
        case Calculate(expression):
            return expression
        case Finish(reason):
            return reason
        case Malformed(problem):
            return problem


def _box(box: BBox) -> list[float]:
    return [box.x0, box.y0, box.x1, box.y1]


def _is_on(found: Iterable[Region], page: Page) -> bool:
    return any(region.page == page.number for region in found)


def _boxes(block: Block, page: Page) -> list[list[float]]:
    return [_box(r.bbox) for r in block.source.regions if r.page == page.number]


def _blocks(page: Page) -> Iterable[Plain]:
    order = 0
    for block in page.blocks:
        furniture = is_furniture(block)
        order += not furniture
        yield {
            "id": block.id,
            "kind": _kind(block),
            "level": block.level if isinstance(block, TextBlock) else None,
            "text": block_text(block),
            "order": None if furniture else order,
            "boxes": _boxes(block, page),
        }


def _kind(block: Block) -> str:
    match block:
        case TextBlock():
            return block.role
        case Table():
            return "table"
        case Formula():
            return "formula"
        case Figure():
            return "figure"


def _table(table: Table, page: Page) -> Plain:
    rows, columns = table.shape
    return {
        "id": table.id,
        "caption": table.caption,
        "rows": rows,
        "columns": columns,
        "boxes": _boxes(table, page),
        "cells": [
            {
                "row": cell.row,
                "column": cell.column,
                "row_span": cell.row_span,
                "column_span": cell.column_span,
                "header": cell.is_header,
                "text": cell.text,
                "box": _box(cell.region.bbox) if cell.region else None,
            }
            for cell in table.cells
            if cell.region is None or cell.region.page == page.number
        ],
    }


def _form_fields(found: Iterable[FormField], page: Page) -> Iterable[Plain]:
    for each in found:
        if each.region is not None and each.region.page == page.number:
            yield {
                "name": each.name,
                "kind": each.kind,
                "value": each.value,
                "state": each.state,
                "label": each.label,
                "box": _box(each.region.bbox),
            }
