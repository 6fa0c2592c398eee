"""The server stays quick while it reads, and alive whatever is uploaded."""

from __future__ import annotations

import csv
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from docpipe.config import from_mapping
from tests.pdfs import write_pdf
from tests.server.running import QUOTING, Running, commanded, serving, wait_for

CLIENTS, REQUESTS = 20, 200


@pytest.mark.slow
def test_requests_are_served_while_an_ingest_runs(files: dict[str, Path], tmp_path: Path) -> None:
    long = write_pdf(tmp_path / "long.pdf", [f"Page {n} of very many." for n in range(1, 2001)])
    with commanded(tmp_path / "library", "--jobs", "1") as server:
        server.upload(files["mill.pdf"])
        id = server.settled()["mill.pdf"]["id"]
        paths = [
            "/api/documents",
            "/api/reading",
            f"/api/documents/{id}",
            f"/api/documents/{id}/pages/2",
            f"/api/documents/{id}/pages/1/image",
            "/api/search?query=old+mill",
        ]
        for path in paths:
            server.client.get(path)  # the workers have started
        server.upload(long)
        wait_for(lambda: server.client.get("/api/reading").json()["pages"] > 0)
        seconds = times(server, [paths[at % len(paths)] for at in range(REQUESTS)], CLIENTS)
        alone = times(server, paths[:4] * 10, 1)
        assert server.client.get("/api/reading").json()["running"]
        print(
            f"{REQUESTS} requests of {CLIENTS} clients: {told(seconds)}; one client: {told(alone)}"
        )
        assert max(seconds) < 2
        assert statistics.median(alone) < 0.2


def times(server: Running, paths: list[str], clients: int) -> list[float]:
    """Seconds until each path was answered, none of them with an error."""

    def get(path: str) -> float:
        started = time.monotonic()
        assert server.client.get(path).status_code == 200, path
        return time.monotonic() - started

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(get, paths))


def told(seconds: list[float]) -> str:
    return f"median {statistics.median(seconds):.3f} s, longest {max(seconds):.3f} s"


@pytest.mark.slow
@pytest.mark.data
def test_hostile_files_leave_the_server_alive_with_a_reason_each(
    data: Path, tmp_path: Path
) -> None:
    folder = data / "robust"
    with (folder / "manifest.tsv").open() as lines:
        sizes = {
            row["file"]: (folder / row["file"]).stat().st_size
            for row in csv.DictReader(lines, delimiter="\t")
        }
    quick = from_mapping(
        {
            "agent": {"name": "tests.server.agents:QuotingAgent"},
            "ocr_mode": "off",
            "limits": {"page_timeout": 5, "document_timeout": 20},
        }
    )
    with serving(tmp_path / "library", config=quick) as server:
        empty = [name for name, size in sizes.items() if not size]
        for name in empty:
            response = server.client.post(f"/api/documents?name={name}", content=b"")
            assert (response.status_code, response.json()["code"]) == (422, "empty_file")
        for name in sorted(sizes.keys() - set(empty)):
            server.upload(folder / name)
        wait_for(lambda: not server.client.get("/api/reading").json()["waiting"], 900)
        found = server.client.get("/api/documents").json()["documents"]
        assert len(found) == len(sizes) - len(empty)
        assert {item["status"] for item in found} <= {"ok", "partial", "failed"}
        assert all(
            item["reason"] and item["message"] for item in found if item["status"] == "failed"
        )
        for item in found:
            if item["status"] == "failed":
                continue
            for path in ("", "/pages/1", "/pages/1/image?dpi=72"):
                response = server.client.get(f"/api/documents/{item['id']}{path}")
                assert response.status_code in (200, 504, 507), (item["name"], path, response.text)
        assert server.client.get("/api/health").status_code == 200


@pytest.mark.slow
def test_the_api_is_as_it_says(files: dict[str, Path], tmp_path: Path) -> None:
    schemathesis = pytest.importorskip("schemathesis")
    with serving(tmp_path / "library", config=QUOTING) as server:
        server.upload(files["mill.pdf"])
        server.settled()
        schema = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
        checked = 0
        for result in schema.get_all_operations():
            operation = result.ok()
            if operation.path in ("/api/events", "/api/session"):
                continue  # a stream without end; a cookie
            strategy = operation.as_strategy()
            from hypothesis import HealthCheck, Phase, given, settings

            @settings(
                max_examples=15,
                deadline=None,
                derandomize=True,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=strategy)
            def check(case: schemathesis.Case) -> None:
                case.call_and_validate(timeout=20)

            check()
            checked += 1
        assert checked >= 12
        assert server.client.get("/api/health").status_code == 200


@pytest.mark.slow
def test_a_server_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    long = write_pdf(tmp_path / "long.pdf", [f"Page {n} of many." for n in range(1, 601)])
    library = tmp_path / "library"
    with commanded(library, "--jobs", "1") as server:
        server.upload(long)
        wait_for(lambda: server.client.get("/api/reading").json()["pages"] > 50)
        server.kill()
        read = list((library / "work").glob("*/*.json"))
        assert read
        time.sleep(1)  # nothing goes on reading without the server
        assert len(list((library / "work").glob("*/*.json"))) <= len(read) + 2
    with commanded(library, "--jobs", "1") as server:
        found = server.settled()
        assert (found["long.pdf"]["status"], found["long.pdf"]["pages"]) == ("ok", 600)
