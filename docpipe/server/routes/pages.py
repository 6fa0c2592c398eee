"""Pages: their images, and what was found on them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import IntEnum
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from docpipe.server.models import DocumentId, PageLayers
from docpipe.server.routes.common import TheService
from docpipe.server.service import Service, tag_of, unless_gone

router = APIRouter(prefix="/documents/{document}/pages/{number}", tags=["pages"])
Number = Annotated[int, Path(ge=1, le=10**6)]


class Dpi(IntEnum):
    """The resolutions in which pages are rendered: few, so that they are found in the cache."""

    THUMBNAIL = 36
    SMALL = 72
    USUAL = 108
    FINE = 144
    LARGE = 216
    LARGEST = 288


_PNG: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}},
    304: {"description": "The image is the one that the client has"},
}
_CACHED = {"cache-control": "private, no-cache"}


@router.get("", response_model=PageLayers)
async def page(
    document: DocumentId, number: Number, request: Request, service: TheService
) -> Response:
    """The words, blocks, tables, fields and hidden text of a page, with their boxes."""
    return await _cached(
        request,
        service,
        document,
        ("page", number),
        "application/json",
        lambda: service.look("page", document, number),
    )


@router.get("/image", response_class=Response, responses=_PNG)
async def image(
    document: DocumentId,
    number: Number,
    request: Request,
    service: TheService,
    dpi: Annotated[Dpi, Query(description="pixels per inch")] = Dpi.USUAL,
) -> Response:
    """A page as PNG. Very large pages have fewer pixels per inch."""
    return await _cached(
        request,
        service,
        document,
        ("image", number, dpi.value),
        "image/png",
        lambda: service.look("image", document, number, dpi.value),
    )


async def _cached(
    request: Request,
    service: Service,
    document: str,
    what: tuple[object, ...],
    kind: str,
    make: Callable[[], Awaitable[bytes]],
) -> Response:
    """A response that is made once, and not sent to a client that has it."""
    tag = tag_of(service.intake.entry(document))
    headers = _CACHED | {"etag": f'"{tag}-{"-".join(map(str, what))}"'}
    if headers["etag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    key = (tag, *what)
    found = service.cache.get(key)
    if found is None:
        found = await unless_gone(request, make())
        service.cache.put(key, found)
    return Response(found, media_type=kind, headers=headers)
