"""The data sources that a configuration names."""

from __future__ import annotations

import os
from pathlib import Path

from docpipe.datasets.docfusion.printed import printed_pieces
from docpipe.datasets.docfusion.profiles import PROFILES, Split
from docpipe.datasets.docfusion.public import DocLatex, DocLayNet, PubTabNet, UniMer
from docpipe.datasets.docfusion.samples import Sample, SampleSource, Task
from docpipe.datasets.docfusion.stored import StoredSamples
from docpipe.datasets.docfusion.synthetic import Limits, SyntheticSamples
from docpipe.errors import ConfigError
from docpipe.training.docfusion.settings import DataSettings, Lengths, Source


def open_source(source: Source, lengths: Lengths) -> SampleSource:
    """Raises ConfigError where there is no data, or none of this task."""
    folder = Path(os.environ.get("DOCPIPE_DATA", "")) / source.path
    found = _open(source, folder, lengths)
    if not len(found):
        raise ConfigError(f"{folder} has no samples for {source.task!r}")
    return found


def _open(source: Source, folder: Path, lengths: Lengths) -> SampleSource:
    match source.kind, source.task:
        case "stored", task:
            return StoredSamples(folder, task, _split(source))
        case "printed", "text":
            split = _split(source)
            return printed_pieces(folder, source.limit, most=lengths.text, split=split)
        case "doclaynet", "layout":
            return DocLayNet(folder, source.split)
        case "pubtabnet", "table":
            return PubTabNet(folder, source.split)
        case "unimer", "formula":
            images = folder / ("images" if source.split == "train" else source.split)
            return UniMer(folder / f"{source.split}.txt", images)
        case "doclatex", "table":
            return DocLatex(folder, "table")
        case "doclatex", "formula":
            return DocLatex(folder, "equation_1")
    raise ConfigError(f"source {source.kind!r} has no data for {source.task!r}")


def _split(source: Source) -> Split:
    if source.split not in PROFILES:
        raise ConfigError(
            f"source {source.kind!r} has no split {source.split!r}", hint="train or held_out"
        )
    return source.split


def evaluation_samples(settings: DataSettings, task: Task) -> list[Sample]:
    """Synthetic samples to evaluate on, the same whenever it is asked for: of the held-out profile,
    or the first ones trained on."""
    training = settings.training
    count = training.evaluation
    if training.on == "train" and training.pool:
        count = min(count, training.pool)
    source = SyntheticSamples(
        task,
        PROFILES[training.on],
        count,
        seed=settings.seed if training.on == "train" else 0,
        limits=limits_of(settings.lengths),
    )
    return [source[number] for number in range(count)]


def limits_of(lengths: Lengths) -> Limits:
    return Limits(lengths.text, lengths.formula, lengths.table, lengths.lines)
