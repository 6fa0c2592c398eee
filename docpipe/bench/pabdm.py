"""The bench `pabdm`: ways of training and of decoding that write several tokens a step, compared.

Data: a folder with PDFs, of which half are held out; `--work` names the folder with the weights,
one subfolder each (`OUT/runs` of training.pabdm.study, or the parent of a single model). `limit` is
the number of samples of each set:

    text, table, formula     synthetic, of the held-out profile (docs/docfusion-data.md)
    random                   lines of random characters and numbers: nothing to guess by
    printed                  pieces of printed lines of the PDFs, their text layer as the truth

Every model is decoded in every way that fits it. Figures are named set/model/way/figure, where a
way is `next`, `stepwise` (runs of masks, token by token) or a policy with block and tau, such as
`prefixes 16 0.95`; `fixed` are blocks fed once more by themselves, `fused` with the next block:

    ned, …        of training.docfusion.metrics, ned also of the LaTeX of tables
    tpf           tokens a forward, those that only feed a finished block counted
    fed           positions computed for a token
    tps_1, tps_16 tokens a second, one crop or 16 at a time; the median of three runs on up to 8
                  samples, images and prompts not counted
    prefill       milliseconds for image and prompt of a crop
    kept_N        share of the forwards that kept N tokens

`equal/…`: of each model and policy the fastest way whose ned is at most half a point above that of
the first model that decodes `next`, or else of its own `stepwise`.

Parts: the sets by name, `engines` (tesseract, rapidocr and DocFusion, see the bench docfusion, on
text and printed), and `full` for more thresholds, blocks and `fused` ones beside them; all but
`full` where none is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from docpipe.bench import docfusion
from docpipe.bench.line_readers import Contestant
from docpipe.bench.pabdm_ways import Way, measure, ways_of
from docpipe.bench.result import Measured, Row
from docpipe.bench.task import Options
from docpipe.datasets.docfusion.printed import printed_pieces
from docpipe.datasets.docfusion.profiles import HELD_OUT
from docpipe.datasets.docfusion.samples import Sample, Task
from docpipe.datasets.docfusion.synthetic import synthetic
from docpipe.errors import ConfigError
from docpipe.parsers.pabdm.model import PaBdm
from docpipe.parsers.pabdm.weights import CONFIG_FILE, load
from docpipe.training.docfusion.metrics import Prediction, edit_distance, sample_scores

LIMIT = 50
SETS: dict[str, Task] = {
    "text": "text",
    "table": "table",
    "formula": "formula",
    "random": "text",
    "printed": "text",
}
ENGINES, FULL = "engines", "full"
_WORSE = 0.005  # of ned: what counts as equal quality
_RANDOM = msgspec.structs.replace(HELD_OUT, random_share=1.0)

Samples = dict[str, list[Sample]]


class Tried(NamedTuple):
    """A way of decoding a model on a set, and what came of it."""

    set: str
    model: str
    way: Way
    figures: dict[str, float]


def run(data: Path, options: Options) -> Measured:
    """Decode every model in every way that fits it. Raises ConfigError, ModelError."""
    parts = _parts(options)
    models = find_models(options.work)
    sets = make_sets(data, options, parts)
    work = [
        (name, who, model, way)
        for name in sets
        for who, model in models.items()
        for way in ways_of(model, full=FULL in parts)
    ]
    rows: list[Row] = []
    tried: list[Tried] = []
    for name, who, model, way in options.track(work):
        predictions, figures = measure(model, way, sets[name])
        own = _rows(f"{name}/{who}/{way.name}", sets[name], predictions)
        figures["ned"] = sum(next(iter(row.scores.values())) for row in own) / len(own)
        rows += own
        tried.append(Tried(name, who, way, figures))
    notes = [f"samples: {', '.join(f'{name} {len(own)}' for name, own in sets.items())}"]
    if ENGINES in parts:
        contestants, more = docfusion.make_contestants(options)
        rows += _engine_rows(sets, contestants)
        notes += more
    costs = {
        f"{name}/{who}/{way.name}/{key}": value
        for name, who, way, figures in tried
        for key, value in figures.items()
        if key != "ned"
    }
    return Measured(rows, costs | at_equal_quality(tried), tuple(notes))


def find_models(work: Path | None) -> dict[str, PaBdm]:
    """The models in the subfolders, by name. Raises ConfigError where there is none."""
    folders = sorted(path.parent for path in (work or Path()).glob(f"*/{CONFIG_FILE}"))
    if work is None or not folders:
        raise ConfigError(
            "the bench needs models", hint="--work FOLDER, with one in each subfolder"
        )
    return {folder.name: load(folder) for folder in folders}


def make_sets(data: Path, options: Options, parts: frozenset[str]) -> Samples:
    """Samples by the name of the set. Raises ConfigError where no set has any."""
    count = options.limit or LIMIT
    sets: Samples = {}
    for name in (name for name in SETS if name in parts):
        if name == "printed":
            sets[name] = printed_pieces(
                data, count, most=docfusion.MOST, split="held_out", seed=options.seed
            )
        else:
            profile = _RANDOM if name == "random" else HELD_OUT
            sets[name] = [synthetic(SETS[name], profile, number) for number in range(count)]
    found = {name: samples for name, samples in sets.items() if samples}
    if not found:
        raise ConfigError(f"{data} has no printed lines", hint="see docs/data.md")
    return found


def at_equal_quality(tried: list[Tried]) -> dict[str, float]:
    """The fastest way of each model and kind of way that reads as well as its reference."""
    figures: dict[str, float] = {}
    for name, who, kind in dict.fromkeys((t.set, t.model, t.way.kind) for t in tried):
        if kind in ("next", "stepwise"):
            continue
        limit = _reference(tried, name, who)
        good = [
            t
            for t in tried
            if (t.set, t.model, t.way.kind) == (name, who, kind)
            and t.figures["ned"] <= limit + _WORSE
        ]
        if good:
            best = max(good, key=lambda t: t.figures["tpf"])
            prefix = f"equal/{name}/{who}/{best.way.name}"
            wanted = ("ned", "tpf", "fed", "tps_1", "tps_16")
            figures |= {f"{prefix}/{key}": best.figures[key] for key in wanted}
    return figures


def _reference(tried: list[Tried], name: str, model: str) -> float:
    """The ned to keep up with: of next-token decoding, or of the model token by token."""
    own = [t for t in tried if t.set == name]
    plain = [t for t in own if t.way.kind == "next"]
    stepwise = [t for t in own if t.way.kind == "stepwise" and t.model == model]
    found = plain[:1] or stepwise
    return found[0].figures["ned"] if found else 0.0


def _rows(prefix: str, samples: list[Sample], predictions: list[Prediction]) -> list[Row]:
    return [_row(prefix, sample, read) for sample, read in zip(samples, predictions, strict=True)]


def _row(prefix: str, sample: Sample, read: Prediction) -> Row:
    scores = {"ned": edit_distance(sample.text, read.text)} | sample_scores(sample, read)
    named = {f"{prefix}/{key}": round(value, 5) for key, value in scores.items()}
    info = {"gold": sample.text[:200], "read": read.text[:200]}
    return Row(f"{prefix}/{sample.name}", named, dict(info), sample.group)


def _engine_rows(sets: Samples, contestants: dict[str, Contestant]) -> Iterator[Row]:
    for name in ("text", "printed"):
        for who, contestant in contestants.items():
            for sample in sets.get(name, []):
                yield _row(f"{name}/{who}/as it is", sample, contestant.predict(sample))


def _parts(options: Options) -> frozenset[str]:
    """Those to do. Raises ConfigError for an unknown one."""
    known = {*SETS, ENGINES, FULL}
    if unknown := set(options.parts) - known:
        raise ConfigError(f"unknown part {min(unknown)!r}", hint=f"parts: {', '.join(known)}")
    named = set(options.parts)
    return frozenset(named if named - {FULL} else known - {FULL} | named)
