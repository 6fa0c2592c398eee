"""`docpipe serve`: the address it tells, what it refuses, how it ends."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi")

Docpipe = Callable[..., Any]


def test_a_host_without_a_token_is_refused(docpipe: Docpipe, tmp_path: Path) -> None:
    run = docpipe("serve", "--host", "0.0.0.0", "--library", tmp_path / "library")
    assert run.code == 2
    assert "needs_token" in run.err
    assert not (tmp_path / "library").exists()


def test_a_port_in_use_and_a_missing_folder_are_told(docpipe: Docpipe, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = docpipe("serve", "--port", str(port), "--library", tmp_path / "library")
    assert run.code == 2
    assert f"port {port}" in run.err
    run = docpipe("serve", tmp_path / "nowhere", "--library", tmp_path / "library")
    assert run.code == 1
    assert "source_missing" in run.err


def test_a_folder_that_is_no_library_is_told(docpipe: Docpipe, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file.txt").touch()
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "library.json").write_text("{")
    for name, code in (("other", 2), ("damaged", 1)):
        run = docpipe("serve", "--port", "0", "--library", tmp_path / name)
        assert run.code == code, run.err
        assert "docpipe is at" not in run.out
        assert "Traceback" not in run.err


def test_a_server_that_does_not_start_is_a_failure(
    docpipe: Docpipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docpipe.server.run.Server.run", lambda self, sockets: None)
    assert docpipe("serve", "--port", "0", "--library", tmp_path / "library").code == 1


def test_the_browser_gets_no_token(
    docpipe: Docpipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []  # it would stand in the list of processes
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("docpipe.server.run.Server.run", lambda self, sockets: None)
    library = ("--library", tmp_path / "library")
    run = docpipe("serve", "--open", "--token", "correct horse", "--port", "0", *library)
    assert "#token=correct" in run.out
    assert len(opened) == 1
    assert "correct" not in opened[0]


def test_a_folder_is_served_until_it_is_interrupted(folder: Path, tmp_path: Path) -> None:
    from tests.server.running import commanded, wait_for

    with commanded(tmp_path / "library", str(folder), "--jobs", "1") as server:
        assert "<title>docpipe</title>" in httpx.get(server.url).text
        wait_for(lambda: "mill.pdf" in server.documents())
        found = server.settled()
        assert found["mill.pdf"]["status"] == "ok"
        assert {item["reason"] for item in found.values()} >= {"needs_password"}
        asked = {"question": "How many people did the Aldern mill employ?"}
        answer = server.client.post("/api/ask", json=asked).json()["answer"]
        assert {item["name"] for item in answer["evidence"]} == {"mill.pdf"}
        with server.client.stream("GET", "/api/events") as events:
            next(events.iter_lines())
