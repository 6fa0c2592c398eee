from __future__ import annotations

from pathlib import Path

from docpipe.bench.reliability.command import ingest, run, settings
from docpipe.config import Config, Limits, StageConfig, load
from tests.pdfs import write_pdf


def test_the_command_gets_the_configuration() -> None:
    config = Config(
        parser=StageConfig("pkg.module:Class", {"dpi": 200, "name_": 'with "quotes"'}),
        ocr_mode="off",
        limits=Limits(page_timeout=1.5, parse_memory=300),
    )
    assert settings(Config()) == []
    overrides = [argument.removeprefix("--set=") for argument in settings(config)]
    assert load(None, overrides) == config


def test_an_ingest_is_watched(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["one", "two"])
    (tmp_path / "empty.pdf").touch()
    done = ingest([path, tmp_path / "empty.pdf"], tmp_path / "lib", Config(ocr_mode="off"))
    assert done.finished.status == 1
    assert done.finished.orderly
    assert done.finished.peak_mb > 5
    good, empty = done.lines
    document = done.document(good)
    assert document is not None
    assert len(document.pages) == 2
    assert done.document(empty) is None


def test_a_command_that_goes_wrong_is_not_orderly() -> None:
    assert run(["ingest"]).status == 2
    assert not run(["ingest"]).orderly
    late = run(["--help"], timeout=0)
    assert late.status is None
    assert not late.orderly
