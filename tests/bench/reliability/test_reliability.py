"""The bench on a small folder: it finds nothing on sound ground, and something where it is not."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from docpipe.bench.reliability import PARTS, run
from docpipe.bench.reliability.command import Finished
from docpipe.bench.result import build_result
from docpipe.bench.task import Options
from docpipe.config import Config
from docpipe.errors import ConfigError
from tests.pdfs import write_pdf

JUDGE = """
def judge(check, result):
    wanted = check.get("error")
    return [] if wanted is None or wanted == result.get("error") else ["error"]
"""
CHECKS = {
    "locked.pdf": '{"error": "needs_password", "password": "key"}',
    "empty.pdf": '{"error": "empty_file"}',
    "wrong.pdf": '{"error": "no_pages"}',
    "marks.pdf": "{}",
    "loop.pdf": '{"max_seconds": 20}',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "robust"
    write_pdf(folder / "locked.pdf", ["secret"], password="key")
    (folder / "empty.pdf").touch()
    (folder / "wrong.pdf").write_text("no PDF at all")
    write_pdf(folder / "marks.pdf", ["<script>alert(1)</script>", "=1+1", "[a](javascript:b)"])
    write_pdf(folder / "loop.pdf", ["one", "two"])
    (folder / "check_result.py").write_text(JUDGE)
    lines = [f"{name}\tkind\t{check}\n" for name, check in CHECKS.items()]
    (folder / "manifest.tsv").write_text("file\tkind\tcheck_json\n" + "".join(lines))
    return folder


def summary(folder: Path, *parts: str, limit: int = 6) -> dict[str, float]:
    options = Options(limit=limit, parts=parts, config=Config(ocr_mode="off"))
    measured = run(folder, options)
    return build_result("reliability", measured, command="", seconds=0, seed=0).summary


def test_files_and_mutants_survive_sealed(folder: Path) -> None:
    found = summary(folder, "g1", "g2", "g4", "g5", "g8")
    expected = {
        "g1.survived": 1.0,
        "g1.mutants": 6.0,
        "g1.runs": 2.0,
        "g1.orderly_runs": 2.0,
        "g1.lost_controls": 0.0,
        "g1.crashes": 0.0,
        "g1.internal": 0.0,
        "g1.unclean": 0.0,
        "g2.loops_in_time": 1.0,
        "g2.killed_pages": 3.0,
        "g2.other_pages": 1.0,
        "g4.exact": 0.66667,
        "g4.files": 3.0,
        "g5.clean": 1.0,
        "g5.documents": 2.0,
        "g8.sockets": 0.0,
        "g8.ended": 0.0,
        "g8.files_outside": 0.0,
        "g8.files_left": 0.0,
        "g8.answers": 2.0,
    }
    assert {name: found[name] for name in expected} == expected
    assert found["g2.overshoot_s"] < 2.0
    assert 0 < found["g1.parent_peak_mb"] < 500


def test_what_is_done_is_not_done_again(folder: Path, tmp_path: Path) -> None:
    options = Options(parts=("g7",), config=Config(ocr_mode="off"), work=tmp_path)
    first = run(folder, options)
    result = tmp_path / "g7.json"
    result.write_bytes(result.read_bytes().replace(b'"clean_words":0.0', b'"clean_words":7.0'))
    assert run(folder, options).figures == first.figures | {"g7.clean_words": 7.0}
    with pytest.raises(ConfigError, match="other data, settings or versions"):
        run(folder, msgspec.structs.replace(options, seed=1))


def test_an_unknown_part_is_named(folder: Path) -> None:
    with pytest.raises(ConfigError, match="g11"):
        run(folder, Options(parts=("g11",)))


def test_hidden_text_is_found_and_kept_out(folder: Path) -> None:
    found = summary(folder, "g7")
    assert found["g7.kept_out"] == 1.0
    assert found["g7.found"] == 1.0


def test_a_traceback_or_a_signal_is_no_orderly_end() -> None:
    good = Finished(status=1, seconds=1.0, peak_mb=40, output="1 file failed")
    assert good.orderly
    assert not msgspec.structs.replace(good, output="Traceback (most recent call last):").orderly
    assert not msgspec.structs.replace(good, status=-9).orderly


@pytest.mark.slow
def test_memory_repeatability_and_fuzz(folder: Path) -> None:
    found = summary(folder, "g3", "g9", "g10")
    assert found["g3.eater_stopped"] == found["g3.eater_other_pages"] == 1.0
    assert found["g3.eater_peak_mb"] <= 512
    assert found["g3.growth_pages"] >= 1000
    assert found["g3.growth"] < 0.2
    assert found["g9.same"] == 1.0
    assert found["g10.survived"] == 1.0
    assert found["g10.lost_controls"] == found["g10.crashes"] == 0.0


def test_every_goal_has_its_part() -> None:
    assert list(PARTS) == [f"g{number}" for number in range(1, 11)]
