"""Answers, search and extraction over HTTP."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from docpipe.config import from_mapping
from docpipe.errors import ConfigError, DocpipeError
from docpipe.library import Library
from docpipe.records import Chunk, Document, Hit, Issue, Span
from docpipe.server.desk import Desk
from docpipe.server.models import Asked, ExtractionResult, SearchResult
from docpipe.server.service import Cache, Service
from docpipe.server.settings import Settings
from docpipe.server.watched import WatchedAgent
from docpipe.testing.fakes import FakeLibrary
from docpipe.workers import Outcome
from tests.server.agents import QuotingAgent
from tests.server.running import QUOTING, Running, serving

WHEN = "When was the old mill built?"


def events_of(text: str) -> list[tuple[str, dict[str, object]]]:
    parts = [part.split("\n") for part in text.strip().split("\n\n")]
    return [
        (name.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
        for name, data in parts
    ]


def test_an_answer_comes_with_boxes_on_the_right_words(server: Running) -> None:
    asked = Asked.model_validate(server.client.post("/api/ask", json={"question": WHEN}).json())
    assert asked.answer.answerable
    assert "1871" in asked.answer.text
    [evidence] = asked.answer.evidence
    assert (evidence.name, evidence.page) == ("mill.pdf", 1)
    page = server.client.get(f"/api/documents/{evidence.document}/pages/1").json()
    x0, y0, x1, y1 = evidence.regions[0].box
    inside = [w[0] for w in page["words"] if x0 <= (w[1] + w[3]) / 2 <= x1 and y0 <= w[4] <= y1 + 3]
    assert "1871." in inside
    assert [step.action for step in asked.steps] == ["search", "finish"]


def test_a_refusal_says_why(server: Running) -> None:
    asked = server.client.post("/api/ask", json={"question": "unknown thing"}).json()
    assert asked["answer"]["answerable"] is False
    assert asked["answer"]["text"]


def test_steps_stream_before_the_answer(server: Running) -> None:
    response = server.client.post("/api/ask/stream", json={"question": WHEN})
    assert response.headers["content-type"].startswith("text/event-stream")
    events = events_of(response.text)
    names = [name for name, _ in events]
    assert names[-1] == "answer"
    assert set(names[:-1]) == {"step"}
    assert events[0][1]["action"] == "search"
    Asked.model_validate(events[-1][1])


def test_only_some_documents_are_asked(server: Running) -> None:
    tax = server.documents()["tax.pdf"]["id"]
    asked = server.client.post("/api/ask", json={"question": "mill", "documents": [tax]}).json()
    assert {item["name"] for item in asked["answer"]["evidence"]} <= {"tax.pdf"}
    wrong = server.client.post("/api/ask", json={"question": "mill", "documents": ["0" * 16]})
    assert (wrong.status_code, wrong.json()["code"]) == (404, "unknown_document")
    assert server.client.post("/api/ask", json={"question": "  "}).status_code == 422


def test_a_client_that_goes_ends_its_work(files: dict[str, Path], tmp_path: Path) -> None:
    slow = from_mapping({"agent": {"name": "tests.server.agents:SlowAgent"}, "ocr_mode": "off"})
    with serving(tmp_path / "library", config=slow) as server:
        server.upload(files["mill.pdf"])
        server.settled()
        with server.client.stream("POST", "/api/ask/stream", json={"question": "mill"}) as events:
            first = next(line for line in events.iter_lines() if line.startswith("event"))
            assert first == "event: step"
        started = time.monotonic()  # the only worker for questions must be free again
        with server.client.stream("POST", "/api/ask/stream", json={"question": "mill"}) as events:
            next(line for line in events.iter_lines() if line.startswith("event"))
            assert time.monotonic() - started < 10
            found = server.client.get("/api/search", params={"query": "mill"})  # meanwhile
            assert found.json()["found"][0]["name"] == "mill.pdf"


def test_an_answer_may_take_as_long_as_is_set(files: dict[str, Path], tmp_path: Path) -> None:
    slow = from_mapping(
        {
            "agent": {"name": "tests.server.agents:SlowAgent"},
            "ocr_mode": "off",
            "limits": {"answer_timeout": 1.0},
        }
    )
    with serving(tmp_path / "library", config=slow) as server:
        server.upload(files["mill.pdf"])
        server.settled()
        response = server.client.post("/api/ask", json={"question": "mill"})
        assert (response.status_code, response.json()["code"]) == (504, "timeout")
        assert "limits.answer_timeout" in response.json()["hint"]


def test_nothing_is_found_in_an_empty_library(tmp_path: Path) -> None:
    with serving(tmp_path / "library") as server:
        response = server.client.get("/api/search", params={"query": "mill"})
        assert (response.status_code, response.json()) == (200, {"found": []})
        asked = server.client.post("/api/ask", json={"question": "mill"})
        assert str(tmp_path) not in asked.text


def test_what_failed_for_lack_of_time_is_not_tried_at_once_again(tmp_path: Path) -> None:
    calls: list[str] = []

    class Late:
        async def call(self, work: str, name: str, *_: object, timeout: float) -> Outcome:
            calls.append(name)
            return Outcome(issue=Issue("page", "timeout", f"{tmp_path / 'library'} is slow"))

    Library.create(tmp_path / "library", config=QUOTING)
    service = Service(Settings(library=tmp_path / "library", config=QUOTING), tmp_path)
    service._desk = cast(Desk, Late())

    async def run() -> list[str]:
        messages = []
        for _ in range(3):
            with pytest.raises(DocpipeError) as caught:
                await service.look("image", "0" * 16, 1, 110)
            messages.append(caught.value.message)
        with pytest.raises(DocpipeError):
            await service.look("image", "0" * 16, 2, 110)
        return messages

    assert asyncio.run(run()) == ["library is slow"] * 3  # and where it lies is not told
    assert calls == ["image", "image"]


def test_too_many_that_wait_are_sent_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docpipe.server.desk._MOST_WAITING", 2)
    desk = Desk(QUOTING.limits, tmp_path / "log")
    free = threading.Event()
    monkeypatch.setattr(desk, "_perform", lambda task: free.wait(20))

    async def run() -> str:
        calls = [asyncio.create_task(desk.call("think", "ready", timeout=9)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(DocpipeError) as caught:
            await desk.call("think", "ready", timeout=9)
        free.set()
        await asyncio.gather(*calls)
        await desk.call("think", "ready", timeout=9)  # there is room again
        return caught.value.code

    assert asyncio.run(run()) == "busy"
    desk.close()


def test_steps_are_told_of_documents_that_are_gone() -> None:
    told: list[dict[str, object]] = []
    hit = Hit(Chunk("gone#p2/c1", "gone", (Span("p2/text1", 0, 4),), "text"), 1.0, "fake")

    class Emptied(FakeLibrary):
        def search(self, *_: object, **__: object) -> list[Hit]:
            return [hit]

        def document(self, id: str) -> Document:
            raise ConfigError("removed", code="unknown_document")

    agent = WatchedAgent(QuotingAgent(), told.append, lambda id: id)
    with pytest.raises(ConfigError):  # by the agent, which opens it, not by who watches
        agent.run("unlike anything", Emptied([]))
    assert told[0]["observation"] == "gone, page 2"


def test_search_gives_places(server: Running) -> None:
    found = SearchResult.model_validate(
        server.client.get("/api/search", params={"query": "tax return"}).json()
    ).found
    assert (found[0].name, found[0].page) == ("tax.pdf", 1)
    assert found[0].regions


def test_extraction_without_weights_says_so(files: dict[str, Path], tmp_path: Path) -> None:
    config = from_mapping(
        {"entities": {"schema": "receipt", "weights": str(tmp_path / "none")}, "ocr_mode": "off"}
    )
    Library.create(tmp_path / "library", config=QUOTING).ingest(files["mill.pdf"], jobs=1)
    with serving(tmp_path / "library", config=config) as server:
        id = server.documents()["mill.pdf"]["id"]
        asked = {"schema": "receipt", "documents": [id]}
        response = server.client.post("/api/extract", json=asked)
        assert (response.status_code, response.json()["code"]) == (503, "no_weights")
        asked = {"schema": "configured", "documents": [id]}
        response = server.client.post("/api/extract", json=asked)
        assert (response.status_code, response.json()["code"]) == (404, "unknown_schema")
        schemas = server.client.get("/api/about").json()["schemas"]
        assert not next(each["ready"] for each in schemas if each["name"] == "receipt")


def test_fields_come_with_places_and_as_a_spreadsheet(
    files: dict[str, Path], tmp_path: Path
) -> None:
    schema = tmp_path / "own.toml"
    schema.write_text('[[field]]\nname = "fake"\n')
    config = from_mapping(
        {
            "entities": {"schema": str(schema), "name": "tests.server.agents:YearClassifier"},
            "ocr_mode": "off",
        }
    )
    with serving(tmp_path / "library", config=config) as server:
        server.upload(files["mill.pdf"])
        id = server.settled()["mill.pdf"]["id"]
        asked = {"schema": "configured", "documents": [id]}
        result = ExtractionResult.model_validate(
            server.client.post("/api/extract", json=asked).json()
        )
        [field] = result.results[0].fields
        assert (field.name, field.value) == ("fake", "1871.")
        assert field.regions[0].page == 1
        table = server.client.post("/api/extract", json=asked | {"format": "csv"})
        assert table.headers["content-type"].startswith("text/csv")
        assert "mill.pdf,,ok,,1871." in table.text
        page = server.client.get(f"/api/documents/{id}/pages/1").json()
        assert [item["name"] for item in page["fields"]] == ["fake"]
        both = asked | {"documents": ["0" * 16, id]}
        results = server.client.post("/api/extract", json=both).json()["results"]
        assert [(each["status"], each["reason"]) for each in results] == [
            ("failed", "unknown_document"),
            ("ok", None),
        ]
        assert results[1]["fields"]
        table = server.client.post("/api/extract", json=both | {"format": "csv"})
        assert "failed,unknown_document" in table.text


def test_a_question_that_nobody_waits_for_is_not_begun(
    files: dict[str, Path], tmp_path: Path
) -> None:
    Library.create(tmp_path / "library", config=QUOTING).ingest(files["mill.pdf"], jobs=1)
    trace = tmp_path / "gone.trace"
    code = (
        "import pathlib, sys; from docpipe.server import inside; "
        "from tests.server.running import QUOTING; "
        "place = inside.Place(pathlib.Path(sys.argv[1]), QUOTING); "
        "print('answered', inside.ask(place, 'mill', None, pathlib.Path(sys.argv[2])))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "library"), str(trace)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert (run.returncode, run.stdout) == (0, ""), run.stderr
    assert not trace.exists()


def test_steps_written_in_parts_are_told_whole(tmp_path: Path) -> None:
    class Slow:
        _scratch = tmp_path

        async def think(self, name: str, question: str, documents: None, trace: Path) -> bytes:
            for part in (b'{"a"', b':1}\n{"b":', b"2}\n"):
                with trace.open("ab") as out:
                    out.write(part)
                await asyncio.sleep(0.2)
            return b"{}"

    async def told() -> list[tuple[str, bytes]]:
        return [part async for part in Service.ask(cast(Service, Slow()), "mill", None)]

    steps = [("step", b'{"a":1}'), ("step", b'{"b":2}')]
    assert asyncio.run(told()) == [*steps, ("answer", b"{}")]


def test_a_defect_ends_an_answer_with_a_problem(
    server: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(*_: object) -> AsyncIterator[tuple[str, bytes]]:
        yield "step", b"{}"
        raise RuntimeError("at /a/path")

    monkeypatch.setattr(Service, "ask", fails)
    with caplog.at_level(logging.CRITICAL, "docpipe.server.routes.asking"):
        response = server.client.post("/api/ask/stream", json={"question": WHEN})
    name, told = events_of(response.text)[-1]
    assert (name, told["code"]) == ("problem", "internal")
    assert "/a/path" not in response.text


def test_what_is_larger_than_the_cache_leaves_the_rest() -> None:
    cache = Cache(10)
    cache.put(("small",), b"1234")
    cache.put(("large",), b"x" * 11)
    assert cache.get(("small",)) == b"1234"
    assert cache.get(("large",)) is None
