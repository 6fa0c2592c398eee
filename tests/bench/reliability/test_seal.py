from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from docpipe.bench.reliability.command import ingest
from docpipe.bench.reliability.seal import Seal
from docpipe.config import Config, StageConfig


@pytest.fixture
def seal(tmp_path: Path) -> Seal:
    return Seal(tmp_path / "seal", allowed=[tmp_path / "allowed"])


def python(seal: Seal, code: str) -> int:
    environment = os.environ | seal.environment
    return subprocess.run([sys.executable, "-c", code], env=environment, timeout=60).returncode


def test_local_work_is_no_event(seal: Seal, tmp_path: Path) -> None:
    code = f"""
import os, pathlib, socket, tempfile
socket.socketpair()
open(os.devnull, "w")
folder = pathlib.Path({str(tmp_path / "allowed")!r})
(folder / "sub").mkdir(parents=True)
(folder / "file").write_text("x")
(folder / "file").rename(folder / "other")
tempfile.TemporaryFile().write(b"x")
pathlib.Path({str(Path(__file__))!r}).read_text()
"""
    assert python(seal, code) == 0
    assert len(seal.events("start")) == 1
    assert not seal.events("network")
    assert not seal.events("file")
    assert not list(seal.leftovers())


def test_writing_elsewhere_is_an_event(seal: Seal, tmp_path: Path) -> None:
    (tmp_path / "allowed").mkdir()
    outside = tmp_path / "allowed" / ".." / "elsewhere"
    assert python(seal, f"import os; os.mkdir({str(outside)!r})") == 0
    assert python(seal, f"open({str(outside / 'file')!r}, 'a')") == 0
    events = seal.events("file")
    assert [event.split()[1] for event in events] == ["os.mkdir", "open"]
    assert str(tmp_path / "elsewhere" / "file") in events[1]


def test_what_is_left_at_home_is_found(seal: Seal) -> None:
    assert python(seal, "import os; os.system('echo x > $HOME/.trace')") == 0
    assert [path.name for path in seal.leftovers()] == [".trace"]


def test_a_network_socket_is_an_event_and_ends_the_process(seal: Seal) -> None:
    status = python(seal, "import socket; socket.socket()")
    assert len(seal.events("network")) == 1
    assert seal.events("start")[0].endswith("sealed") == (status < 0)


def test_helpers_in_other_languages_are_sealed_too(seal: Seal) -> None:
    code = """
import ctypes, os, sys
if os.fork() == 0:
    ctypes.CDLL(None).socket(2, 1, 0)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]) < 0)
"""
    status = python(seal, code)
    assert seal.events("start")[0].endswith("sealed") == (status == 1)


def test_ocr_reports_to_nobody(seal: Seal, tmp_path: Path) -> None:
    scan = tmp_path / "scan.png"
    image = Image.new("RGB", (400, 80), "white")
    ImageDraw.Draw(image).text((20, 20), "Nobody has to know", fill="black", font_size=30)
    image.save(scan, dpi=(150, 150))
    config = Config(ocr=StageConfig("ocr", {"engine": "rapidocr"}))
    done = ingest([scan], tmp_path / "allowed", config, environment=seal.environment)
    [line] = done.lines
    assert line.routes == {"ocr": 1}
    assert not seal.events("network")
    assert not seal.events("file")
    assert not list(seal.leftovers())
