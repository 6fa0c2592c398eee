"""The MCP server, through the package's own client."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from docpipe.cli.mcp import _in_time
from docpipe.config import from_mapping
from docpipe.errors import DocpipeError
from docpipe.library import Library
from docpipe.server.mcp import _Current, create_server
from tests.pdfs import write_pdf
from tests.server.running import QUOTING


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mcp")
    write_pdf(folder / "in" / "mill.pdf", ["The old mill was built in 1871.", "Its owner is Ada."])
    (folder / "in" / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    Library.create(folder / "library", config=QUOTING).ingest(folder / "in", jobs=1)
    return folder / "library"


def call(root: Path, tool: str, **arguments: Any) -> Any:
    """The result of a tool, called in this process."""

    async def run() -> Any:
        server = create_server(Library.open(root, config=QUOTING))
        async with Client(server) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(run())


def test_the_tools_are_described_and_read_only(root: Path) -> None:
    async def run() -> Any:
        async with Client(create_server(Library.open(root))) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in asyncio.run(run())}
    assert set(tools) == {"documents", "search", "read_page", "ask", "extract"}
    assert all(tool.description for tool in tools.values())
    assert all(tool.annotations.read_only_hint for tool in tools.values())


def test_documents_are_listed_with_reasons(root: Path) -> None:
    found = call(root, "documents").structured_content
    assert {item["name"]: item["reason"] for item in found["documents"]} == {
        "mill.pdf": None,
        "broken.pdf": "damaged_unrecoverable",
    }


def test_search_and_pages_give_places(root: Path) -> None:
    [place] = call(root, "search", query="old mill built", limit=1).structured_content["found"]
    assert (place["name"], place["page"]) == ("mill.pdf", 1)
    assert place["regions"][0]["box"]
    page = call(root, "read_page", document="mill.pdf", page=2).structured_content
    assert page["text"] == "Its owner is Ada."


def test_an_answer_has_evidence(root: Path) -> None:
    asked = call(root, "ask", question="When was the old mill built?").structured_content
    assert "1871" in asked["answer"]["text"]
    assert asked["answer"]["evidence"][0]["quote"] == "The old mill was built in 1871."


def test_errors_are_told_in_words(root: Path) -> None:
    for tool, arguments, part in (
        ("read_page", {"document": "mill.pdf", "page": 9}, "no page 9"),
        ("read_page", {"document": "other.pdf", "page": 1}, "no document is called"),
        ("extract", {"document": "mill.pdf", "schema": "configured"}, "no fields of your own"),
    ):
        result = call(root, tool, **arguments)
        assert result.is_error
        assert part in result.content[0].text
        assert "Traceback" not in result.content[0].text


def test_what_is_read_meanwhile_is_found(tmp_path: Path) -> None:
    library = Library.create(tmp_path / "library", config=QUOTING)
    library.ingest(write_pdf(tmp_path / "mill.pdf", ["The old mill was built in 1871."]), jobs=1)

    async def run() -> list[str]:
        async with Client(create_server(Library.open(library.root, config=QUOTING))) as client:
            await client.call_tool("search", {"query": "mill"})
            tax = write_pdf(tmp_path / "tax.pdf", ["The tax return is due in May."])
            await asyncio.to_thread(library.ingest, tax, jobs=1)
            found = await client.call_tool("search", {"query": "tax return", "limit": 1})
            return [place["name"] for place in found.structured_content["found"]]

    assert asyncio.run(run()) == ["tax.pdf"]


def test_calls_side_by_side_take_turns(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = 0
    most = 0
    search = Library.search

    def watched(self: Library, *arguments: Any) -> Any:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.05)
        try:
            return search(self, *arguments)
        finally:
            inside -= 1

    monkeypatch.setattr(Library, "search", watched)

    async def run() -> list[Any]:
        async with Client(create_server(Library.open(root, config=QUOTING))) as client:
            calls = [client.call_tool("search", {"query": "mill"}) for _ in range(4)]
            return await asyncio.gather(*calls)

    assert all(not result.is_error for result in asyncio.run(run()))
    assert most == 1


def test_a_call_that_takes_too_long_does_not_hold_all_others(root: Path) -> None:
    limits = {"answer_timeout": 0.2}
    config = from_mapping({"limits": limits, "ocr_mode": "off"})
    current = _Current(Library.open(root, config=config))
    with current.held():
        found: list[str] = []

        def second() -> None:
            try:
                with current.held():
                    found.append("held")
            except DocpipeError as error:
                found.append(error.code)

        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert found == ["busy"]
    with current.held():
        pass


def test_an_answer_is_bounded_in_time() -> None:
    assert _in_time(from_mapping({})).agent.options == {"seconds": 180.0}
    own = from_mapping({"agent": {"seconds": 5}})
    assert _in_time(own) == own
    assert _in_time(QUOTING) == QUOTING  # an agent of others may not know the option


def test_nothing_is_found_in_an_empty_library(tmp_path: Path) -> None:
    Library.create(tmp_path / "library", config=QUOTING)
    assert call(tmp_path / "library", "search", query="mill").structured_content == {"found": []}


def test_the_command_serves_on_stdin_and_stdout(root: Path) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "docpipe", "mcp", "--library", str(root)]
    )

    async def run() -> Any:
        async with Client(stdio_client(parameters)) as client:
            return await client.call_tool("search", {"query": "owner"})

    assert asyncio.run(run()).structured_content["found"][0]["page"] == 2
