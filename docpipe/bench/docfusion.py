"""The bench `docfusion`: layout, text, formulas and tables off images.

Data: a folder with PDFs, or one that `docpipe data docfusion` wrote. `limit` is the number of
samples of each set:

    printed     printed lines in pieces, of that half of the PDFs that is held out, their text
                layer as the truth (where that is wrong, so is the truth)
    stored.…    by task, of the documents that are held out, as the parser labelled them
    text, formula, table, layout     synthetic, of the held-out profile (docs/docfusion-data.md)

Contestants: tesseract and rapidocr on text, told that each image is a line; `docfusion` where the
configuration has it as parser (`--set parser.name=docfusion --set parser.weights=FOLDER`).

Figures: those of training.docfusion.metrics, `teds` of tables besides; `cpu` seconds a sample.
Parts, both unless `parts` names one: `quality` as above, `throughput` see docfusion_speed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from docpipe.bench.docfusion_speed import throughput
from docpipe.bench.line_readers import (
    Contestant,
    DocFusionContestant,
    RapidLines,
    TesseractLines,
)
from docpipe.bench.parsing import TreeTooLargeError, teds
from docpipe.bench.result import Measured, Row
from docpipe.bench.task import Options
from docpipe.datasets.docfusion.printed import printed_pieces
from docpipe.datasets.docfusion.profiles import HELD_OUT, Split
from docpipe.datasets.docfusion.samples import TASKS, Sample
from docpipe.datasets.docfusion.stored import INDEX, StoredSamples
from docpipe.datasets.docfusion.synthetic import synthetic
from docpipe.errors import ConfigError, ModelError
from docpipe.training.docfusion.metrics import (
    Prediction,
    gold_cells,
    pooled,
    read_cells,
    sample_scores,
)

LIMIT = 100
PARTS = ("quality", "throughput")
MOST = 46
"""Characters of a piece of a printed line: eight pixels each on the strip of the small model."""

Read = list[tuple[Sample, Prediction]]


def run(data: Path, options: Options) -> Measured:
    """The parts that are asked for. Raises ConfigError, ModelError."""
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        raise ConfigError(f"no such part: {unknown[0]!r}", hint=f"parts: {', '.join(PARTS)}")
    parts = options.parts or PARTS
    measured = read_sets(data, options) if "quality" in parts else Measured([])
    weights = options.config.parser.options.get("weights")
    if "throughput" not in parts or options.config.parser.name != "docfusion" or not weights:
        return measured
    return Measured(measured.rows, measured.figures | throughput(Path(weights)), measured.notes)


def read_sets(data: Path, options: Options) -> Measured:
    """Read every sample with every contestant that can. Raises ConfigError, ModelError."""
    contestants, notes = make_contestants(options)
    sets = make_sets(data, options)
    rows: list[Row] = []
    figures: dict[str, float] = {}
    work = [
        (name, samples, who, contestant)
        for name, samples in sets.items()
        for who, contestant in contestants.items()
        if samples[0].task in contestant.tasks
    ]
    for name, samples, who, contestant in options.track(work):
        before = _cpu_seconds()
        read: Read = [(sample, contestant.predict(sample)) for sample in samples]
        spent = _cpu_seconds() - before
        prefix = f"{name}.{who}."
        rows += [_row(prefix, sample, prediction) for sample, prediction in read]
        figures |= {prefix + key: value for key, value in pooled(samples[0].task, read).items()}
        figures[prefix + "cpu"] = spent / len(samples)
    counts = ", ".join(f"{name} {len(samples)}" for name, samples in sets.items())
    return Measured(rows, figures, (*notes, f"samples: {counts}"))


def make_contestants(options: Options) -> tuple[dict[str, Contestant], list[str]]:
    """By name, and remarks on those left out."""
    contestants: dict[str, Contestant] = {"rapidocr": RapidLines()}
    notes: list[str] = []
    try:
        contestants["tesseract"] = TesseractLines()
    except ModelError as error:
        notes.append(f"without tesseract: {error.message}")
    stage = options.config.parser
    if stage.name != "docfusion":
        notes.append("without docfusion: the configuration has another parser")
        return contestants, notes
    if "weights" not in stage.options:
        raise ConfigError("the bench needs weights", hint="--set parser.weights=FOLDER")
    weights, beams = Path(stage.options["weights"]), int(stage.options.get("beams", 1))
    return {"docfusion": DocFusionContestant(weights, beams=beams)} | contestants, notes


def make_sets(data: Path, options: Options) -> dict[str, list[Sample]]:
    """The samples by name of the set; the synthetic ones are the first of the held-out profile.
    Raises ConfigError where `data` has neither PDFs nor samples."""
    count = options.limit or LIMIT
    split: Split = "held_out"
    sets = {"printed": printed_pieces(data, count, most=MOST, split=split, seed=options.seed)}
    if (data / INDEX).is_file():
        for task in TASKS:
            stored = StoredSamples(data, task, split)
            sets[f"stored.{task}"] = [stored[number] for number in range(min(count, len(stored)))]
    if not any(sets.values()):
        raise ConfigError(f"{data} has no printed lines and no samples", hint="see docs/data.md")
    for task in TASKS:
        sets[task] = [synthetic(task, HELD_OUT, number) for number in range(count)]
    return {name: samples for name, samples in sets.items() if samples}


def _row(prefix: str, sample: Sample, prediction: Prediction) -> Row:
    scores = sample_scores(sample, prediction)
    if sample.task == "table":
        scores |= _teds(sample, prediction)
    named = {prefix + key: round(value, 5) for key, value in scores.items()}
    info = {"gold": sample.text[:200], "read": prediction.text[:200]}
    return Row(prefix + sample.name, named, dict(info), sample.group)


def _teds(sample: Sample, prediction: Prediction) -> dict[str, float]:
    from docpipe.parsers.docfusion.tabular import to_html

    found = read_cells(prediction)
    try:
        value = teds(to_html(gold_cells(sample)), to_html(found) if found else "")
    except TreeTooLargeError:
        return {}
    return {} if value is None else {"teds": value}


def _cpu_seconds() -> float:
    """Of this process and of the programs that it ran."""
    times: Sequence[float] = os.times()
    return sum(times[:4])
