"""Adding, listing and removing documents."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from docpipe.config import from_mapping
from docpipe.errors import ConfigError
from docpipe.library import Library
from docpipe.server.models import DocumentDetail, DocumentList, PageLayers
from docpipe.server.settings import Settings
from docpipe.server.uploads import safe_name
from tests.server.running import QUOTING, Running, serving, wait_for


def test_uploads_become_documents_and_each_failure_has_a_reason(
    files: dict[str, Path], tmp_path: Path
) -> None:
    with serving(tmp_path / "library") as server:
        for name in ("mill.pdf", "locked.pdf", "broken.pdf", "notes.pdf"):
            assert server.upload(files[name])["status"] == "queued"
        found = server.settled()
        reasons = {name: (item["status"], item["reason"]) for name, item in found.items()}
        assert reasons == {
            "mill.pdf": ("ok", None),
            "locked.pdf": ("failed", "needs_password"),
            "broken.pdf": ("failed", "damaged_unrecoverable"),
            "notes.pdf": ("failed", "not_a_pdf"),
        }
        assert "password" in found["locked.pdf"]["hint"]
        assert server.upload(files["mill.pdf"], "again.pdf")["status"] == "known"
        DocumentList.model_validate(server.client.get("/api/documents").json())

        locked = found["locked.pdf"]["id"]
        assert server.client.delete(f"/api/documents/{locked}").status_code == 204
        assert "locked.pdf" not in server.documents()
        wait_for(lambda: not (tmp_path / "library" / "uploads" / locked).exists())
    with serving(tmp_path / "library") as server:
        assert set(server.settled()) == {"mill.pdf", "broken.pdf", "notes.pdf"}


def test_what_waited_at_a_stop_is_read_after_the_next_start(
    files: dict[str, Path], tmp_path: Path
) -> None:
    with serving(tmp_path / "library") as server:
        for name in ("mill.pdf", "tax.pdf", "long.pdf"):
            server.upload(files[name])
    with serving(tmp_path / "library") as server:
        assert {item["status"] for item in server.settled().values()} == {"ok"}
        assert set(server.documents()) == {"mill.pdf", "tax.pdf", "long.pdf"}


def test_folders_given_at_start_are_read_and_stay_where_they_are(
    files: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "mill.pdf").write_bytes(files["mill.pdf"].read_bytes())
    (folder / "readme.txt").write_text("not a document")
    with serving(tmp_path / "library", folders=(folder,)) as server:
        wait_for(lambda: "mill.pdf" in server.documents())
        found = server.settled()
        assert set(found) == {"mill.pdf"}
        server.client.delete(f"/api/documents/{found['mill.pdf']['id']}")
        wait_for(lambda: not server.documents())
    assert (folder / "mill.pdf").exists()


def test_what_another_process_reads_is_seen(files: dict[str, Path], tmp_path: Path) -> None:
    with serving(tmp_path / "library") as server:
        Library.open(tmp_path / "library", config=QUOTING).ingest(files["mill.pdf"], jobs=1)
        wait_for(lambda: "mill.pdf" in server.documents())
        id = server.documents()["mill.pdf"]["id"]
        assert server.client.get(f"/api/documents/{id}/pages/1").status_code == 200


def test_limits_of_size_and_number(files: dict[str, Path], tmp_path: Path) -> None:
    with serving(tmp_path / "library", max_upload=1, max_documents=1) as server:
        for content, status, code in (
            (b"%PDF-" + b"x" * (2 << 20), 413, "too_large"),
            (b"", 422, "empty_file"),
        ):
            response = server.client.post("/api/documents?name=a.pdf", content=content)
            assert (response.status_code, response.json()["code"]) == (status, code)
        assert not any((tmp_path / "library" / "uploads").iterdir())
        server.upload(files["mill.pdf"])
        response = server.client.post("/api/documents?name=b.pdf", content=b"%PDF-")
        assert (response.status_code, response.json()["code"]) == (507, "library_full")


def test_details_layers_and_images_of_pages(server: Running) -> None:
    id = server.documents()["mill.pdf"]["id"]
    detail = DocumentDetail.model_validate(server.client.get(f"/api/documents/{id}").json())
    assert [(page.number, page.width, page.height) for page in detail.pages] == [
        (1, 300, 200),
        (2, 300, 200),
    ]
    page = PageLayers.model_validate(server.client.get(f"/api/documents/{id}/pages/2").json())
    assert [word[0] for word in page.words] == ["Its", "owner", "is", "Ada."]
    assert [block.order for block in page.blocks] == [1]
    image = server.client.get(f"/api/documents/{id}/pages/2/image?dpi=72")
    assert image.content.startswith(b"\x89PNG")
    assert image.headers["content-type"] == "image/png"
    again = server.client.get(
        f"/api/documents/{id}/pages/2/image?dpi=72",
        headers={"if-none-match": image.headers["etag"]},
    )
    assert (again.status_code, again.content) == (304, b"")
    for path in (f"{id}/pages/9", f"{id}/pages/9/image", "0" * 16, f"{'0' * 16}/pages/1"):
        response = server.client.get(f"/api/documents/{path}")
        assert response.status_code == 404, path
        assert response.json()["code"] in ("pages", "unknown_document")


def test_hidden_text_is_a_layer_of_its_own(server: Running) -> None:
    id = server.documents()["markup.pdf"]["id"]
    page = server.client.get(f"/api/documents/{id}/pages/1").json()
    assert "cannot see" in " ".join(hidden["text"] for hidden in page["hidden"])
    assert "cannot" not in {word[0] for word in page["words"]}


def test_exports_are_saved_and_never_shown(server: Running) -> None:
    id = server.documents()["markup.pdf"]["id"]
    for form, part in (("markdown", "bold"), ("html", "&lt;script&gt;"), ("text", "<script>")):
        response = server.client.get(f"/api/documents/{id}/export/{form}")
        assert part in response.text
        assert response.headers["content-disposition"].startswith("attachment")
    whole = server.client.get(f"/api/documents/{id}/export/json").json()
    assert whole["id"] == id


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a.pdf", "a.pdf"),
        ("", "document.pdf"),
        ("...", "document.pdf"),
        (".hidden.pdf", "hidden.pdf"),
        ("a\x00b\n\u202efdp.exe", "abfdp.exe"),
        ("Übung 3 – Lösung.pdf", "Übung 3 – Lösung.pdf"),
        ("x" * 500 + ".pdf", "x" * 120 + ".pdf"),
        ("文" * 200 + ".pdf", "文" * 66 + ".pdf"),
        ("😀" * 200 + ".pdf", "😀" * 50 + ".pdf"),
        ("文" * 200, "文" * 66),
        ('a:b*c?"d.pdf', "a_b_c__d.pdf"),
    ],
)
def test_hostile_names_become_safe_ones(given: str, safe: str) -> None:
    assert safe_name(given) == safe
    assert len(safe_name(given).encode()) < 255  # what file systems take


def test_progress_is_streamed(files: dict[str, Path], tmp_path: Path) -> None:
    with serving(tmp_path / "library") as server:
        states = []
        with server.client.stream("GET", "/api/events") as events:
            server.upload(files["long.pdf"])
            for line in events.iter_lines():
                if line.startswith("data: "):
                    states.append(json.loads(line.removeprefix("data: ")))
                if len(states) > 2 and not states[-1]["waiting"]:
                    break
    assert any(state["running"] and state["total"] == 1 for state in states)
    assert "long.pdf" in {state["name"] for state in states}


def test_a_disk_that_is_full_is_told(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    async def cut(*_: object) -> str:
        return full()

    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("docpipe.server.uploads._write", cut)
    response = server.client.post("/api/documents?name=a.pdf", content=b"%PDF-")
    assert (response.status_code, response.json()["code"]) == (507, "cannot_write")
    monkeypatch.undo()
    monkeypatch.setattr("docpipe.server.uploads.shutil.move", full)
    response = server.client.post("/api/documents?name=a.pdf", content=b"%PDF-")
    assert (response.status_code, response.json()["code"]) == (507, "cannot_write")


def test_what_is_too_much_is_refused_before_it_comes(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("docpipe.server.uploads._write", never)
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:  # the headers alone
        connection.sendall(
            b"POST /api/documents?name=a.pdf HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            b"content-length: %d\r\n\r\n" % (201 << 20)
        )
        answer = connection.makefile("rb").readline()
    assert b" 413 " in answer
    nearly_full = SimpleNamespace(free=10**6)
    monkeypatch.setattr("docpipe.server.uploads.shutil.disk_usage", lambda _: nearly_full)
    response = server.client.post("/api/documents?name=a.pdf", content=b"%PDF-")
    assert (response.status_code, response.json()["code"]) == (507, "cannot_write")


def test_a_password_given_later_opens_what_was_locked(
    files: dict[str, Path], tmp_path: Path
) -> None:
    with serving(tmp_path / "library") as server:
        server.upload(files["locked.pdf"])
        locked = server.settled()["locked.pdf"]
        assert (locked["reason"], locked["hint"]) == (
            "needs_password", "give the password with the button Password"
        )  # fmt: skip
        assert server.client.post("/api/passwords", json={"password": "no"}).status_code == 204
        assert server.settled()["locked.pdf"]["status"] == "failed"
        server.client.post("/api/passwords", json={"password": "secret"})
        wait_for(lambda: server.documents()["locked.pdf"]["status"] == "ok")
        image = server.client.get(f"/api/documents/{locked['id']}/pages/1/image")
        assert image.headers["content-type"] == "image/png"


def test_a_host_that_others_reach_needs_a_token(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "::", "192.168.1.4", "example.org"):
        with pytest.raises(ConfigError) as caught:
            Settings(library=tmp_path, host=host)
        assert caught.value.code == "needs_token"
    Settings(library=tmp_path, host="0.0.0.0", token="a long secret")
    with pytest.raises(ConfigError, match="short"):
        Settings(library=tmp_path, token="short")
    assert from_mapping({}) == Settings(library=tmp_path, host="::1").config


def test_the_api_describes_itself(server: Running) -> None:
    described = server.client.get("/api/openapi.json").json()
    assert "/api/documents/{document}/pages/{number}/image" in described["paths"]
    for path, operations in described["paths"].items():
        for name, operation in operations.items():
            assert operation.get("description"), f"{name} {path}"
    assert httpx.get(f"{server.url}/docs").status_code == 404  # it would load foreign scripts
