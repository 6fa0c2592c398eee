"""Documents: add, list, remove, export."""

from __future__ import annotations

import urllib.parse
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from docpipe.server.inside import Export
from docpipe.server.models import DocumentDetail, DocumentId, DocumentList, Uploaded
from docpipe.server.routes.common import TheService
from docpipe.server.service import tag_of, unless_gone
from docpipe.server.uploads import check_room, check_size, receive, safe_name

router = APIRouter(prefix="/documents", tags=["documents"])
_FORMS: dict[Export, tuple[str, str]] = {
    "markdown": ("text/markdown", "md"),
    "html": ("text/html", "html"),
    "text": ("text/plain", "txt"),
    "json": ("application/json", "json"),
}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {
                "schema": {"type": "string", "format": "binary", "minLength": 1}
            }
        },
    }
}


@router.get("")
async def documents(
    service: TheService,
    offset: Annotated[int, Query(ge=0, le=10**6)] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000,
) -> DocumentList:
    """The documents, and the files that wait to be read, first those."""
    found = service.intake.documents()
    return DocumentList(documents=found[offset : offset + limit], total=len(found))


@router.post("", status_code=202, openapi_extra=_BODY)
async def upload(
    request: Request,
    service: TheService,
    name: Annotated[str, Query(max_length=1_000, description="The file's name")] = "",
) -> Uploaded:
    """Add a PDF, PNG, JPEG or TIFF file: the body is the file. It is read in the background;
    follow it by `GET /events`. A file that cannot be read is listed with the reason."""
    settings = service.settings
    check_room(service.intake.count + service.receiving, settings.max_documents)
    length = request.headers.get("content-length", "")
    check_size(int(length) if length.isdecimal() else 0, settings.largest, settings.library)
    service.receiving += 1
    try:
        id, path = await receive(
            request.stream(),
            name,
            settings.uploads,
            max_bytes=settings.largest << 20,
            is_known=service.intake.is_known,
        )
    finally:
        service.receiving -= 1
    if path is None:
        return Uploaded(id=id, name=safe_name(name), status="known")
    await service.intake.add(id, path)
    return Uploaded(id=id, name=path.name, status="queued")


@router.get("/{document}", response_model=DocumentDetail)
async def detail(document: DocumentId, request: Request, service: TheService) -> Response:
    """A document's pages with their sizes, its outline, and what went wrong with it."""
    service.intake.entry(document)
    found = await unless_gone(request, service.look("document", document))
    return Response(found, media_type="application/json")


@router.delete("/{document}", status_code=204)
async def remove(document: DocumentId, service: TheService) -> Response:
    """Remove a document from the library, and its upload from the disk. Files of folders that the
    server was given stay where they are."""
    await service.intake.remove(document)
    return Response(status_code=204)


@router.get(
    "/{document}/export/{form}",
    response_class=Response,
    responses={200: {"content": {kind: {} for kind, _ in _FORMS.values()}}},
)
async def export(
    document: DocumentId, form: Export, request: Request, service: TheService
) -> Response:
    """A whole document as Markdown, HTML, text or JSON, to be saved."""
    entry = service.intake.entry(document)
    kind, suffix = _FORMS[form]
    found = await unless_gone(request, service.look("export", document, form))
    name = urllib.parse.quote(f"{entry.name.rpartition('.')[0] or entry.name}.{suffix}")
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(found, media_type=kind, headers=headers | {"etag": f'"{tag_of(entry)}"'})
