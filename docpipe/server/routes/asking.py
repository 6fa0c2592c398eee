"""Search, answers and extraction."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from docpipe import codec
from docpipe.config import EntitiesConfig
from docpipe.errors import DocpipeError
from docpipe.export.fields import Extracted
from docpipe.parsers.entities.schema import find_schema
from docpipe.records import Field
from docpipe.server import shapes
from docpipe.server.errors import DEFECT
from docpipe.server.extraction import as_csv, chosen
from docpipe.server.models import Asked, Extraction, ExtractionResult, Question, SearchResult
from docpipe.server.routes.common import STREAM, TheService, event, events, problem_event
from docpipe.server.service import Service, tag_of, unless_gone
from docpipe.server.settings import MAX_QUESTION

_log = logging.getLogger(__name__)
router = APIRouter(tags=["questions"])

_OF_ALL = frozenset({"no_weights", "unknown_schema"})  # what no document would be spared
_TABLES: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}


@router.get("/search", response_model=SearchResult)
async def search(
    request: Request,
    service: TheService,
    query: Annotated[str, Query(min_length=1, max_length=MAX_QUESTION)],
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
) -> Response:
    """The places that fit a query best."""
    found = await unless_gone(request, service.search(query, limit))
    return Response(found, media_type="application/json")


@router.post("/ask", response_model=Asked)
async def ask(asked: Question, request: Request, service: TheService) -> Response:
    """An answer with its evidence and the steps that led to it, or a refusal with the reason and
    the nearest that was found."""
    _check(service, asked)
    found = await unless_gone(request, _answer(service, asked))
    return Response(found, media_type="application/json")


@router.post("/ask/stream", response_class=StreamingResponse, responses=STREAM)
async def ask_stream(asked: Question, service: TheService) -> StreamingResponse:
    """As `POST /ask`, as server-sent events: `step` for what the agent does as it does it, at the
    end `answer` (as `POST /ask` gives it) or `problem`. Closing the connection ends the work."""
    _check(service, asked)
    return events(_told(service, asked))


@router.post("/extract", response_model=ExtractionResult, responses=_TABLES)
async def extract(asked: Extraction, request: Request, service: TheService) -> Response:
    """The fields of documents, with their places; a document without gives the reason. As `csv`
    or, for tables of items, `rows`, a spreadsheet."""
    schema = chosen(service.settings, asked.schema_, asked.locale)
    spec = find_schema(schema.schema)
    ids = list(dict.fromkeys(asked.documents))
    found = [await unless_gone(request, _extracted(service, id, schema)) for id in ids]
    if asked.format != "json":
        text = as_csv(found, spec, rows=asked.format == "rows")
        return Response(text, media_type="text/csv", headers={"cache-control": "no-store"})
    told = {
        "columns": spec.single_names,
        "row_columns": spec.row_names,
        "results": [
            {
                "document": each.document,
                "name": each.file,
                "status": each.status,
                "reason": each.reason,
                "message": each.message,
                "fields": list(map(shapes.field, each.fields)),
            }
            for each in found
        ],
    }
    return Response(codec.encode(told), media_type="application/json")


async def _extracted(service: Service, id: str, schema: EntitiesConfig) -> Extracted:
    """What was found in a document, or why nothing was: the others do not suffer from it."""
    name = id
    try:
        name = service.intake.entry(id).name
        fields = await _fields(service, id, schema)
    except DocpipeError as error:
        if error.code in _OF_ALL:
            raise
        return Extracted(
            file=name,
            document=id,
            status="failed",
            reason=error.code,
            message=error.message,
            values={},
        )
    return Extracted(file=name, document=id, values={}, fields=fields)


async def _fields(service: Service, id: str, schema: EntitiesConfig) -> tuple[Field, ...]:
    """The fields of a document, found once for each schema."""
    key = (tag_of(service.intake.entry(id)), "fields", codec.encode(schema))
    kept = service.cache.get(key)
    if kept is not None:
        return codec.decode(kept, tuple[Field, ...])
    found: tuple[Field, ...] = await service.think("extract", id, schema)
    service.cache.put(key, codec.encode(found))
    return found


async def _told(service: Service, asked: Question) -> AsyncIterator[bytes]:
    try:
        async with contextlib.aclosing(service.ask(asked.question, asked.documents)) as steps:
            async for name, data in steps:
                yield event(name, data)
    except DocpipeError as error:
        yield problem_event(error)
    except Exception:
        _log.exception("an answer has failed")
        yield problem_event(DocpipeError(DEFECT, code="internal", hint="please report it"))


async def _answer(service: Service, asked: Question) -> bytes:
    async with contextlib.aclosing(service.ask(asked.question, asked.documents)) as steps:
        return [data async for _, data in steps][-1]


def _check(service: Service, asked: Question) -> None:
    """Raise ConfigError for a document that is not there."""
    for id in asked.documents or ():
        service.intake.entry(id)
