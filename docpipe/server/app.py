"""The application: routes, errors and guard put together."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from starlette.types import ASGIApp

from docpipe import __version__
from docpipe.server import errors
from docpipe.server.guard import Guard, Tries
from docpipe.server.models import Problem
from docpipe.server.routes import asking, documents, pages, state
from docpipe.server.service import Service
from docpipe.server.settings import Settings

STATIC = Path(__file__).parent / "static"
_DESCRIPTION = (
    "Documents of a docpipe library: add them, look at their pages, ask them, extract fields. "
    "Boxes are in points with the origin at the top left of the page; pages count from 1. "
    "Where the server has a token, send it as `Authorization: Bearer …`."
)


class _Guarded(FastAPI):
    """The guard stands outside of all, so that answers to defects pass it, too."""

    def __init__(self, settings: Settings, **options: Any) -> None:
        super().__init__(**options)
        self.state.tries = Tries()
        self._settings = settings

    def build_middleware_stack(self) -> ASGIApp:
        return Guard(super().build_middleware_stack(), self._settings, self.state.tries)


def create_app(settings: Settings) -> FastAPI:
    """The ASGI application for a library. Its workers and its intake start with the lifespan."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with Service.running(settings) as service:
            app.state.service = service
            yield

    app = _Guarded(
        settings,
        title="docpipe",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses={"default": {"model": Problem}, 422: {"model": Problem}},
    )
    for router in (state.router, documents.router, pages.router, asking.router):
        app.include_router(router, prefix="/api")
    errors.install(app)

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    @app.get("/api", include_in_schema=False)
    async def reference() -> FileResponse:
        return FileResponse(STATIC / "api.html")

    app.mount("/static", StaticFiles(directory=STATIC))
    return app
