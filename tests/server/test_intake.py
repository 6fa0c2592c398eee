"""The queue of new files: what goes wrong with one must not touch the others, or be lost."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import httpx
import pytest

from docpipe.config import from_mapping
from docpipe.errors import ConfigError, SchemaError
from docpipe.library import Library
from docpipe.server.disk import alone
from docpipe.server.settings import Settings
from tests.pdfs import write_pdf
from tests.server.running import QUOTING, Running, serving, wait_for

_DIES = """
import io, sys
from docpipe.server import reader
order = sys.stdin.buffer.read()
if b"deadly.pdf" in order:
    sys.exit(1)
sys.stdin = io.TextIOWrapper(io.BytesIO(order))
reader.main()
"""
_WAITS = """
import sys, pathlib, time
from docpipe.server import reader
while pathlib.Path(%r).exists():
    time.sleep(0.02)
reader.main()
"""


def is_idle(server: Running) -> bool:
    return not server.client.get("/api/reading").json()["waiting"]


def test_stray_files_among_the_uploads_do_no_harm(files: dict[str, Path], tmp_path: Path) -> None:
    uploads = tmp_path / "library" / "uploads"
    Library.create(tmp_path / "library", config=QUOTING)
    (uploads / ".cut-off").mkdir(parents=True)
    (uploads / ".DS_Store").touch()
    (uploads / "stray.txt").touch()
    with serving(tmp_path / "library") as server:
        assert not (uploads / ".cut-off").exists()
        server.upload(files["mill.pdf"])
        assert server.settled()["mill.pdf"]["status"] == "ok"


def test_the_list_changes_when_documents_do(files: dict[str, Path], tmp_path: Path) -> None:
    with serving(tmp_path / "library") as server:
        before = server.client.get("/api/reading").json()["changes"]
        states = []
        with server.client.stream("GET", "/api/events") as events:
            for number in range(6):
                server.upload(files["long.pdf"], f"{number}.pdf")
                server.upload(files["mill.pdf"], f"{number}.pdf")
            for line in events.iter_lines():
                if line.startswith("data: "):
                    states.append(json.loads(line.removeprefix("data: ")))
                    if states[-1]["changes"] > before and not states[-1]["waiting"]:
                        break
    assert len({state["changes"] for state in states}) < len(states)  # pages are no news of it
    shown = [state["pages"] for state in states if state["waiting"]]
    assert shown == sorted(shown)  # also from one round to the next


def test_the_intake_lives_on_after_a_failure(
    files: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    refresh = Library.refresh
    errors: list[Exception] = [SchemaError("the manifest is damaged"), OSError("a defect")]

    def fails(self: Library) -> None:
        if errors:
            raise errors.pop()
        refresh(self)

    with serving(tmp_path / "library") as server:
        monkeypatch.setattr(Library, "refresh", fails)
        with caplog.at_level(logging.CRITICAL, "docpipe.server.intake"):
            server.upload(files["mill.pdf"])
            wait_for(lambda: server.documents().get("mill.pdf", {}).get("status") == "ok")
    assert not errors


def test_a_file_that_ends_the_reader_is_given_up(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docpipe.server.intake._READER", _DIES)
    with serving(tmp_path / "library") as server:
        for name, path in (("deadly.pdf", files["long.pdf"]), ("tax.pdf", files["tax.pdf"])):
            server.upload(path, name)
        server.upload(files["mill.pdf"])
        wait_for(lambda: is_idle(server))
        found = server.documents()
        assert {name: item["status"] for name, item in found.items()} == {
            "deadly.pdf": "failed",
            "tax.pdf": "ok",
            "mill.pdf": "ok",
        }
        assert found["deadly.pdf"]["reason"] == "internal"
        assert server.client.delete(f"/api/documents/{found['deadly.pdf']['id']}").is_success
        assert set(server.documents()) == {"tax.pdf", "mill.pdf"}


def test_files_that_become_no_document_are_listed_with_the_reason(
    files: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "large.pdf").write_bytes(b"%PDF-1.7\n" + b"x" * (2 << 20))
    (folder / "letter.docx").write_bytes(b"PK")
    (folder / "link.pdf").symlink_to(files["mill.pdf"])
    config = from_mapping({"ocr_mode": "off", "limits": {"max_file_size": 1}})
    with serving(tmp_path / "library", folders=(folder,), config=config) as server:
        wait_for(lambda: len(server.documents()) == 3 and is_idle(server))
        assert {name: item["reason"] for name, item in server.documents().items()} == {
            "large.pdf": "too_large",
            "letter.docx": "not_a_pdf",
            "link.pdf": "symlink",
        }
        large = b"%PDF-" + b"x" * (2 << 20)
        response = server.client.post("/api/documents?name=a.pdf", content=large)
        assert (response.status_code, response.json()["code"]) == (413, "too_large")


def test_removed_while_it_is_read_and_added_again(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    monkeypatch.setattr("docpipe.server.intake._READER", _WAITS % os.fspath(gate))
    with serving(tmp_path / "library") as server:
        id = server.upload(files["mill.pdf"])["id"]
        wait_for(lambda: server.documents()["mill.pdf"]["status"] == "reading")
        assert server.client.delete(f"/api/documents/{id}").status_code == 204
        assert not server.documents()
        assert server.upload(files["mill.pdf"])["status"] == "queued"
        gate.unlink()
        assert server.settled()["mill.pdf"]["status"] == "ok"
        assert list((tmp_path / "library" / "uploads" / id).iterdir())


def test_what_is_removed_of_a_folder_stays_removed(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "mill.pdf").write_bytes(files["mill.pdf"].read_bytes())
    with monkeypatch.context() as patch:
        patch.setattr("docpipe.server.intake._READER", _WAITS % os.fspath(gate))
        with serving(tmp_path / "library", folders=(folder,)) as server:
            wait_for(lambda: server.documents().get("mill.pdf", {}).get("status") == "reading")
            key = server.documents()["mill.pdf"]["id"]
            assert server.client.delete(f"/api/documents/{key}").status_code == 204
            gate.unlink()
            wait_for(lambda: is_idle(server))
            assert not server.documents()
            wait_for(lambda: not list(Library.open(tmp_path / "library").documents()))
    (folder / "tax.pdf").write_bytes(files["tax.pdf"].read_bytes())
    with serving(tmp_path / "library", folders=(folder,)) as server:
        wait_for(lambda: "tax.pdf" in server.documents())
        assert set(server.settled()) == {"tax.pdf"}
    write_pdf(folder / "mill.pdf", ["Another mill."])  # changed: no longer what was removed
    with serving(tmp_path / "library", folders=(folder,)) as server:
        wait_for(lambda: "mill.pdf" in server.documents())
        assert set(server.settled()) == {"tax.pdf", "mill.pdf"}


def test_a_password_given_later_is_tried(files: dict[str, Path], tmp_path: Path) -> None:
    with serving(tmp_path / "library") as server:
        server.upload(files["locked.pdf"])
        assert server.settled()["locked.pdf"]["reason"] == "needs_password"
    with serving(tmp_path / "library", passwords=("secret",)) as server:
        wait_for(lambda: server.documents()["locked.pdf"]["status"] == "ok")


def test_one_server_for_a_library(tmp_path: Path) -> None:
    with serving(tmp_path / "library") as server:
        with pytest.raises(ConfigError) as caught, alone(Settings(library=tmp_path / "library")):
            pass
        assert caught.value.code == "locked"
        assert httpx.get(f"{server.url}/api/health").status_code == 200
    with alone(Settings(library=tmp_path / "library")):
        pass
