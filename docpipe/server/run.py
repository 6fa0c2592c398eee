"""Running the application."""

from __future__ import annotations

import socket

import uvicorn
from fastapi import FastAPI

_MOST = 1_000  # connections; more are answered 503


class Server(uvicorn.Server):
    """A server that ends the streams of events when it is to stop: they would never end."""

    def __init__(self, app: FastAPI) -> None:
        config = uvicorn.Config(
            app,
            log_level="warning",
            timeout_graceful_shutdown=5,
            server_header=False,
            limit_concurrency=_MOST,
        )
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._app.state.service.intake.close()
        await super().shutdown(sockets)
