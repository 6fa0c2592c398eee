"""What routes share: the service, ids in paths, streams of events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import StreamingResponse

from docpipe import codec
from docpipe.errors import DocpipeError
from docpipe.server.service import Service

STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "text/event-stream": {
                "schema": {
                    "type": "object",
                    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
                }
            }
        }
    }
}


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(_service)]


def events(stream: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(
        stream,
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


def event(name: str, data: bytes) -> bytes:
    """A server-sent event; `data` is JSON, which has no line breaks."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), data)


def problem_event(error: DocpipeError) -> bytes:
    told = {"code": error.code, "message": error.message, "hint": error.hint}
    return event("problem", codec.encode(told))
