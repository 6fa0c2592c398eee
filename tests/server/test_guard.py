"""Who may ask, and what a browser may do with the answer."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from docpipe.server.app import create_app
from docpipe.server.guard import cookie_name
from docpipe.server.settings import Settings
from tests.server.running import Running, serving

TOKEN = 'correct horse; %41 "battery"'


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with serving(tmp_path_factory.mktemp("guarded") / "library", token=TOKEN) as running:
        yield running


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "", "[::2]:80"])
def test_other_host_names_are_refused(server: Running, host: str) -> None:
    response = httpx.get(f"{server.url}/api/documents", headers={"host": host})
    assert response.status_code in (400, 421)


@pytest.mark.parametrize("host", ["localhost:1234", "127.0.0.1", "[::1]:8765"])
def test_names_of_this_machine_are_served(server: Running, host: str) -> None:
    response = httpx.get(f"{server.url}/api/documents", headers={"host": host})
    assert response.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_what_other_sites_ask_for_is_refused(server: Running, headers: dict[str, str]) -> None:
    response = server.client.post("/api/documents?name=a.pdf", content=b"%PDF-", headers=headers)
    assert (response.status_code, response.json()["code"]) == (403, "wrong_origin")
    assert "a.pdf" not in server.documents()


def test_a_browser_is_confined(server: Running) -> None:
    for path in ("/", "/api/documents", "/static/nothing", "/api/nothing"):
        headers = server.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_the_answer_to_a_defect_is_confined_too(tmp_path: Path) -> None:
    app = create_app(Settings(library=tmp_path / "library"))

    @app.get("/api/defect")
    async def defect() -> None:
        raise ValueError("a secret of /home/somebody")

    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.get("/api/defect")

    response = asyncio.run(run())
    assert (response.status_code, response.json()["code"]) == (500, "internal")
    assert "secret" not in response.text
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-cache"


def test_wrong_tokens_are_answered_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docpipe.server.guard._WRONG", 0.05)
    monkeypatch.setattr("docpipe.server.guard._MOST_WRONG", 4)
    app = create_app(Settings(library=tmp_path / "library", token=TOKEN))
    app.state.service = None
    wrong: list[dict[str, Any]] = [
        {"url": "/api/documents", "headers": {"authorization": "Bearer wrong"}},
        {"url": "/api/documents", "headers": {"cookie": "docpipe_session=wrong"}},
    ]

    async def run() -> None:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://desk.lan") as client:

            async def statuses(count: int, given: list[dict[str, Any]]) -> list[int]:
                calls = (client.get(**given[at % len(given)]) for at in range(count))
                return sorted(response.status_code for response in await asyncio.gather(*calls))

            started = time.monotonic()
            assert await statuses(4, wrong) == [401] * 4
            assert time.monotonic() - started >= 4 * 0.05
            assert await statuses(7, wrong) == [401] * 4 + [429] * 3
            started = time.monotonic()
            assert await statuses(7, [{"url": "/api/documents"}]) == [401] * 7  # none at all
            assert time.monotonic() - started < 7 * 0.05

    asyncio.run(run())


def test_a_token_is_asked_for(guarded: Running) -> None:
    name = cookie_name(guarded.url.removeprefix("http://"))
    for headers in ({}, {"authorization": "Bearer wrong"}, {"cookie": f"{name}=wrong"}):
        for path in ("/api/documents", "/api/openapi.json", "/api/events"):
            response = httpx.get(guarded.url + path, headers=headers)
            assert (response.status_code, response.json()["code"]) == (401, "needs_token")
    assert httpx.get(f"{guarded.url}/").status_code == 200
    assert httpx.get(f"{guarded.url}/api/health").status_code == 200
    assert guarded.client.get("/api/documents").status_code == 200


def test_a_token_is_asked_for_below_a_mount_too(tmp_path: Path) -> None:
    app = create_app(Settings(library=tmp_path / "library", token=TOKEN))

    async def statuses(front: str, paths: list[str]) -> dict[str, int]:
        transport = httpx.ASGITransport(app, root_path="/docs")
        async with httpx.AsyncClient(transport=transport, base_url="http://desk.lan") as client:
            return {path: (await client.get(front + path)).status_code for path in paths}

    paths = [
        re.sub(r"{number}", "1", re.sub(r"{\w+}", "0" * 16, path))
        for path in app.openapi()["paths"]
    ]
    closed = [path for path in paths if path not in ("/api/health", "/api/session")]
    assert len(closed) > 8
    for front in ("/docs", ""):
        found = asyncio.run(statuses(front, [*closed, "/api/openapi.json", "/docs/api/documents"]))
        assert set(found.values()) == {401}, found
    found = asyncio.run(statuses("/docs", ["/", "/api", "/api/health", "/static/app.js"]))
    assert set(found.values()) == {200}, found


def test_a_token_becomes_a_cookie(guarded: Running) -> None:
    with httpx.Client(base_url=guarded.url) as browser:
        assert browser.post("/api/session", json={"token": "wrong"}).status_code == 403
        response = browser.post("/api/session", json={"token": TOKEN})
        assert response.status_code == 204
        cookie = response.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert TOKEN.split()[0] not in cookie  # other programs of this host get it, too
        assert browser.get("/api/documents").status_code == 200
        pair = response.headers["set-cookie"].partition(";")[0]
    headers = {"cookie": 'prefs={"a": 1}; ' + pair}  # with one that is no valid cookie
    assert httpx.get(f"{guarded.url}/api/documents", headers=headers).status_code == 200


def test_other_names_are_fine_where_a_token_is_asked_for(guarded: Running) -> None:
    assert guarded.client.get("/api/documents", headers={"host": "desk.lan"}).status_code == 200


def test_requests_are_small(server: Running) -> None:
    response = server.client.post("/api/ask", json={"question": "x" * (300 << 10)})
    assert (response.status_code, response.json()["code"]) == (413, "too_large")
    chunked = server.client.post("/api/ask", content=iter([b"{}"]))
    assert (chunked.status_code, chunked.json()["code"]) == (411, "no_length")


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/..%2fapp.py"]
)
def test_no_other_file_is_served(server: Running, path: str) -> None:
    assert server.client.get(path).status_code == 404


def test_errors_say_what_is_wrong(server: Running) -> None:
    for method, path, status in (
        ("GET", "/api/nothing", 404),
        ("PUT", "/api/ask", 405),
        ("GET", "/api/documents/not-an-id", 422),
        ("GET", "/api/documents?limit=0", 422),
    ):
        headers = {"content-length": "0"}
        response = server.client.request(method, path, headers=headers)
        assert response.status_code == status, path
        assert set(response.json()) == {"code", "message", "hint"}


def test_a_library_of_another_process_is_waited_for(files: dict[str, Path], tmp_path: Path) -> None:
    from docpipe.library.store import Store

    with serving(tmp_path / "library") as server:
        with Store(tmp_path / "library").locked():
            server.upload(files["mill.pdf"])
            from tests.server.running import wait_for

            wait_for(lambda: server.client.get("/api/reading").json()["problem"] is not None)
            problem = server.client.get("/api/reading").json()["problem"]
            assert problem["code"] == "locked"
        assert server.settled()["mill.pdf"]["status"] == "ok"
        assert server.client.get("/api/reading").json()["problem"] is None
