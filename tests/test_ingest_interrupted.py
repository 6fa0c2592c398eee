"""An ingest that is killed or interrupted loses nothing."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.libraries import contents, ingest
from tests.pdfs import write_pdf

# Where the tests run in the background, children inherit that interrupts are ignored.
_SCRIPT = """
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
from tests.libraries import ingest
ingest(Path(sys.argv[1]), Path(sys.argv[2]), jobs=2)
"""


def start(folder: Path, root: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _SCRIPT, str(folder), str(root)]
    return subprocess.Popen(command, cwd=Path(__file__).parent.parent, stderr=subprocess.PIPE)


@pytest.fixture(scope="module")
def slow_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slow")
    for name in "abcd":
        pages = ["SLOW", f"page of {name}", "SCAN", "FAIL" if name == "b" else "quick"]
        write_pdf(folder / f"{name}.pdf", pages)
    return folder


@pytest.fixture(scope="module")
def unbroken(slow_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("unbroken")
    ingest(slow_folder, root, jobs=2)
    return {k: v for k, v in contents(root).items() if not k.startswith("work/")}


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_ingest_resumes_to_the_same_bytes(
    slow_folder: Path, unbroken: dict[str, bytes], tmp_path: Path, seed: int
) -> None:
    for delay in (random.Random(seed).uniform(1.0, 3.0), 1.2):
        process = start(slow_folder, tmp_path / "lib")
        time.sleep(delay)
        process.kill()
        process.communicate()
    ingest(slow_folder, tmp_path / "lib", jobs=2)
    found = contents(tmp_path / "lib")
    assert {k: v for k, v in found.items() if not k.startswith("work/")} == unbroken


def test_an_interrupt_ends_workers_and_keeps_what_was_done(
    slow_folder: Path, unbroken: dict[str, bytes], tmp_path: Path
) -> None:
    write_pdf(tmp_path / "in" / "z.pdf", ["HANG"])
    process = start(tmp_path / "in", tmp_path / "lib")
    deadline = time.monotonic() + 20
    while not list((tmp_path / "lib" / "work").glob("*/head.json")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.3)
    workers = _children(process.pid)
    assert workers
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


def _children(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
