"""The bench docfusion: what is read, by whom, and what comes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pymupdf
import pytest
import torch

from docpipe.bench import docfusion, docfusion_speed
from docpipe.bench.docfusion import make_contestants, make_sets, run
from docpipe.bench.line_readers import DocFusionContestant, RapidLines
from docpipe.bench.result import build_result
from docpipe.bench.task import Options
from docpipe.config import Config, StageConfig
from docpipe.datasets.docfusion.profiles import HELD_OUT
from docpipe.datasets.docfusion.samples import TASKS, Sample, Task
from docpipe.datasets.docfusion.stored import split_of_group, write_index, write_samples
from docpipe.datasets.docfusion.synthetic import synthetic
from docpipe.errors import ConfigError
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.presets import tiny
from docpipe.parsers.docfusion.weights import save, shipped
from docpipe.training.docfusion.metrics import Prediction


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for number in range(4):  # some of them are held out
        with pymupdf.open() as pdf:
            page = pdf.new_page()
            for row in range(9):
                page.insert_text((72, 90 + 16 * row), f"Line {row} of the report", fontsize=11)
            pdf.save(tmp_path / f"report{number}.pdf")
    return tmp_path


class Perfect:
    tasks = TASKS

    def predict(self, sample: Sample) -> Prediction:
        return Prediction(sample.text, sample.boxes)


class Blind:
    tasks: tuple[Task, ...] = ("text",)

    def predict(self, sample: Sample) -> Prediction:
        return Prediction()


def test_figures_of_every_set_and_contestant(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rivals: dict[str, Any] = {"perfect": Perfect(), "blind": Blind()}
    monkeypatch.setattr(docfusion, "make_contestants", lambda options: (rivals, ["a remark"]))
    measured = run(data, Options(limit=3, parts=("quality",)))
    result = build_result("docfusion", measured, command="", seconds=1.0, seed=0)
    summary = result.summary
    assert summary["printed.perfect.ned"] == summary["printed.perfect.cer"] == 0
    assert summary["printed.blind.ned"] == summary["text.blind.cer"] == 1
    assert summary["text.perfect.bleu"] == pytest.approx(1, abs=0.01)
    assert summary["formula.perfect.exact"] == summary["formula.perfect.looks"] == 1
    assert summary["table.perfect.teds"] == summary["table.perfect.cell_f1"] == 1
    assert summary["layout.perfect.f1_90"] == summary["layout.perfect.precision_75"] == 1
    assert "layout.blind.f1_90" not in summary
    assert result.notes[0] == "a remark"
    assert "printed 3" in result.notes[1]
    assert len(result.documents) == 3 * (5 + 2)


def test_sets_are_the_same_for_a_seed(data: Path) -> None:
    first, again = (make_sets(data, Options(limit=2, seed=1)) for _ in range(2))
    assert list(first) == ["printed", *TASKS]
    assert [s.name for s in first["printed"]] == [s.name for s in again["printed"]]
    assert first["text"][0].text == synthetic("text", HELD_OUT, 0).text


def test_labelled_pages_are_read_where_the_folder_has_them(tmp_path: Path) -> None:
    made = [synthetic("layout", HELD_OUT, number) for number in range(40)]
    write_index(write_samples(made, tmp_path), tmp_path)
    sets = make_sets(tmp_path, Options(limit=2))
    assert set(sets) == {*TASKS, "stored.layout"}
    assert all(split_of_group(sample.group) == "held_out" for sample in sets["stored.layout"])


def test_the_model_reads_every_task(tmp_path: Path) -> None:
    config = tiny()
    vision = msgspec.structs.replace(config.vision, dims=(8, 16, 16), heads=(1, 2, 2))
    text = msgspec.structs.replace(
        config.text, width=16, layers=1, heads=2, feed_forward=16, targets=12
    )
    torch.manual_seed(0)
    save(tmp_path, DocFusion(msgspec.structs.replace(config, vision=vision, text=text)))
    contestant = DocFusionContestant(tmp_path)
    for task in TASKS:
        prediction = contestant.predict(synthetic(task, HELD_OUT, 0))
        assert prediction.boxes == () if task != "layout" else prediction.text == ""


def test_rapidocr_reads_a_line() -> None:
    samples = [synthetic("text", HELD_OUT, number) for number in (2, 8, 11)]
    read = [RapidLines().predict(sample).text for sample in samples]
    assert sum(sample.text == said for sample, said in zip(samples, read, strict=True)) >= 2


def test_who_takes_part_follows_the_configuration(tmp_path: Path) -> None:
    _, notes = make_contestants(Options())
    assert any("without docfusion" in note for note in notes)
    stage = StageConfig("docfusion", {})
    with pytest.raises(ConfigError, match="needs weights"):
        make_contestants(Options(config=Config(parser=stage)))


def test_throughput_by_batch_and_threads(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docfusion_speed, "_SAMPLES", 1)
    monkeypatch.setattr(docfusion_speed, "_ROUNDS", 1)
    monkeypatch.setattr(docfusion_speed, "THREADS", (1,))  # two that wait on one core take ages
    stage = StageConfig("docfusion", {"weights": str(shipped())})
    config = msgspec.structs.replace(Config(), parser=stage)
    threads = torch.get_num_threads()
    figures = run(data, Options(config=config, parts=("throughput",))).figures
    assert torch.get_num_threads() == threads
    assert {"throughput.page.threads1", "throughput.text.batch16.threads1"} <= set(figures)
    assert len(figures) == 2 * 4 + 1
    assert min(figures.values()) > 0


def test_unknown_parts_are_refused(data: Path) -> None:
    with pytest.raises(ConfigError, match="no such part: 'beauty'"):
        run(data, Options(parts=("beauty",)))
