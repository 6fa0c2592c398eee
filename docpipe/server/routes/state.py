"""What the server is and does: health, about, session, progress."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from docpipe import __version__
from docpipe.errors import DocpipeError
from docpipe.parsers.entities.extraction import weights_folder
from docpipe.server.extraction import TITLES, choices
from docpipe.server.guard import TOO_MANY, cookie_name, same_secret, session_of
from docpipe.server.models import About, Health, Password, Reading, Schema, Session
from docpipe.server.routes.common import STREAM, TheService, event, events
from docpipe.server.settings import MAX_QUESTION, Settings

router = APIRouter(tags=["server"])
_ALIVE = 10.0  # seconds between signs of life


@router.get("/health")
async def health() -> Health:
    """That the server answers; needs no token."""
    return Health(version=__version__)


@router.get("/about")
async def about(service: TheService) -> About:
    """Limits, and which fields can be extracted."""
    settings = service.settings
    return About(
        version=__version__,
        library=settings.library.absolute().name,
        max_upload=settings.largest,
        max_documents=settings.max_documents,
        max_question=MAX_QUESTION,
        schemas=[
            Schema(name=name, title=TITLES[name], ready=_is_ready(settings, name))
            for name in choices(settings)
        ],
    )


@router.post("/session", status_code=204)
async def session(given: Session, request: Request, service: TheService) -> Response:
    """Exchange the token for a cookie, which pictures and event streams of a page need."""
    token = service.settings.token
    if token is not None and not same_secret(given.token, token):
        if not await request.app.state.tries.wrong():
            _, code, message, hint = TOO_MANY
            raise DocpipeError(message, code=code, hint=hint)
        raise DocpipeError("this is not the token", code="wrong_token", hint="copy it again")
    response = Response(status_code=204)
    if token is not None:
        name = cookie_name(request.headers.get("host", ""))
        response.set_cookie(name, session_of(token), httponly=True, samesite="strict", path="/")
    return response


@router.post("/passwords", status_code=204)
async def passwords(given: Password, service: TheService) -> Response:
    """Try a password on the documents that need one. It is kept until the server ends."""
    await service.unlock(given.password)
    return Response(status_code=204)


@router.get("/reading")
async def reading(service: TheService) -> Reading:
    """How far the reading of new files is."""
    return service.intake.reading()


@router.get("/events", response_class=StreamingResponse, responses=STREAM)
async def stream(request: Request, service: TheService) -> StreamingResponse:
    """Server-sent events `reading` (as `GET /reading`), whenever documents or progress change."""
    return events(_changes(service))


async def _changes(service: TheService) -> AsyncIterator[bytes]:
    async with contextlib.aclosing(service.intake.changes(_ALIVE)) as changes:
        async for changed in changes:
            state = service.intake.reading().model_dump_json().encode()
            yield event("reading", state) if changed else b": alive\n\n"


def _is_ready(settings: Settings, name: Any) -> bool:
    try:
        weights_folder(choices(settings)[name])
    except DocpipeError:
        return False
    return True
