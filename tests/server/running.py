"""A server that runs in a thread, as `docpipe serve` runs it."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from docpipe.config import Config, from_mapping
from docpipe.server.app import create_app
from docpipe.server.run import Server
from docpipe.server.settings import Settings

QUOTING = from_mapping({"agent": {"name": "tests.server.agents:QuotingAgent"}, "ocr_mode": "off"})
_PATIENCE = 60.0


class Running:
    """A running server: its address, and a client for it."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url
        self.kill: Callable[[], None] = lambda: None
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self.client = httpx.Client(base_url=url, timeout=30, headers=headers)

    def upload(self, path: Path, name: str | None = None) -> dict[str, Any]:
        response = self.client.post(
            "/api/documents", params={"name": name or path.name}, content=path.read_bytes()
        )
        assert response.status_code == 202, response.text
        return response.json()  # type: ignore[no-any-return]

    def documents(self) -> dict[str, dict[str, Any]]:
        """The documents by name."""
        found = self.client.get("/api/documents").json()["documents"]
        return {item["name"]: item for item in found}

    def settled(self) -> dict[str, dict[str, Any]]:
        """The documents by name, when all have been read."""
        wait_for(self._is_idle)
        return self.documents()

    def _is_idle(self) -> bool:
        state = self.client.get("/api/reading").json()
        assert not state["problem"] or state["problem"]["code"] == "locked", state["problem"]
        return not state["waiting"]


def wait_for(condition: Callable[[], bool], patience: float = _PATIENCE) -> None:
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


@contextlib.contextmanager
def serving(library: Path, *, config: Config = QUOTING, **options: Any) -> Iterator[Running]:
    """A server for a library, until the block ends."""
    settings = Settings(library=library, config=config, jobs=1, **options)
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(create_app(settings))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    running = Running(f"http://127.0.0.1:{listener.getsockname()[1]}", settings.token)
    try:
        wait_for(lambda: server.started)
        yield running
    finally:
        running.client.close()
        server.should_exit = True
        thread.join()
        listener.close()


@contextlib.contextmanager
def commanded(library: Path, *options: str) -> Iterator[Running]:
    """A server started by `docpipe serve`, in a process of its own."""
    command = [sys.executable, "-m", "docpipe", "serve", "--library", str(library), "--port", "0"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = process.stdout.readline()
        running = Running(address.split()[3])
        running.kill = process.kill
        try:
            wait_for(lambda: _answers(running))
            yield running
        finally:
            running.client.close()
            process.send_signal(signal.SIGINT)
            process.wait(20)


def _answers(running: Running) -> bool:
    try:
        return running.client.get("/api/health").status_code == 200
    except httpx.TransportError:
        return False
