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
    tps_1, tps_16 tokens a second, one crop at a time (the first 8) or 16 together, taken again
                  where there are fewer; the median of three runs, images and prompts not counted
    prefill       milliseconds for image and prompt of a crop
    kept_N        share of the forwards that kept N tokens

At equal quality, half of the samples decide which way to take, and figures are of the others:

    best/REFERENCE SPEED/set/model/way/…
                  of each kind of way the fastest, by tpf or tps_1, whose ned is at most half a
                  point above that of the reference: the model's own `stepwise`, or the model of
                  the same seed that decodes `next`
    gain/set/model/prefixes over KIND/tpf
                  how many times the tokens a forward of the other kind, both as chosen by tpf among
                  those as good as stepwise; ned is the difference; with `_low` and `_high`, 95 %
                  paired bootstrap bounds

Parts: the sets by name, `engines` (tesseract, rapidocr and DocFusion, see the bench docfusion, on
text and printed), and `full` for more thresholds and blocks; all but `full` where none is named.
Threads are those of torch: set OMP_NUM_THREADS.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import torch

from docpipe.bench import docfusion
from docpipe.bench.line_readers import Contestant
from docpipe.bench.pabdm_equal import Tried, at_equal_quality, halves
from docpipe.bench.pabdm_ways import Way, measure, ways_of
from docpipe.bench.result import Measured, Row
from docpipe.bench.task import Options
from docpipe.datasets.docfusion.printed import printed_pieces
from docpipe.datasets.docfusion.profiles import HELD_OUT
from docpipe.datasets.docfusion.samples import Sample, Task
from docpipe.datasets.docfusion.synthetic import synthetic
from docpipe.errors import ConfigError
from docpipe.parsers.docfusion.folder import CONFIG_FILE
from docpipe.parsers.pabdm.model import PaBdm
from docpipe.parsers.pabdm.weights import load
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
_RANDOM = msgspec.structs.replace(HELD_OUT, random_share=1.0)

Samples = dict[str, list[Sample]]


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
        own, one = _tried(name, sets[name], who, model, way)
        rows += own
        tried.append(one)
    notes = [
        f"samples: {', '.join(f'{name} {len(own)}' for name, own in sets.items())}",
        f"threads: {torch.get_num_threads()}",
    ]
    if ENGINES in parts:
        contestants, more = docfusion.make_contestants(options)
        rows += _engine_rows(sets, contestants)
        notes += more
    costs = {
        f"{t.set}/{t.model}/{t.way.name}/{key}": value
        for t in tried
        for key, value in t.figures.items()
    }
    compared = at_equal_quality(tried, seed=options.seed)
    return Measured(rows, costs | compared, tuple(notes))


def _tried(
    name: str, samples: list[Sample], who: str, model: PaBdm, way: Way
) -> tuple[list[Row], Tried]:
    groups = [sample.group or sample.name for sample in samples]
    _, told = halves(groups)
    found = measure(model, way, samples, [samples[at] for at in told] or samples)
    prefix = f"{name}/{who}/{way.name}"
    rows = _rows(prefix, samples, found.predictions)
    one = Tried(
        name,
        who,
        way,
        groups,
        [row.scores[f"{prefix}/ned"] for row in rows],
        [len(answer.ids) for answer in found.answers],
        [len(answer.steps) for answer in found.answers],
        found.figures,
    )
    return rows, one


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
