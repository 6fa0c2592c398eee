"""The bench `knnformer`: how well KNN-former labels entities, beside its floor, and what each of
its parts brings.

Data: the folder of sets that docs/data.md describes (sroie, cord-r, funsd). Gold boxes and texts;
entities without text are not scored; a field that stands once is right on any entity that carries
its value. Parts, all of them unless `parts` names some:

    floor      logistic regression on words, layout and the words of the nearest lines
    sroie      SROIE by companies that training has not seen, five parts
    small      the same, trained on 100 receipts, with and without matching
    cord       CORD-r, validation part, one-fields apart
    funsd      FUNSD, test part
    synthetic  made-up identity documents and invoices of designs that training has not seen
    ablation   FUNSD and one part of SROIE: attention, hops, radius, directions, K, losses

Every training is kept in the folder `work`, if one is given, and not done again. Figures are means
over the seeds, with `.sd` their standard deviation and, where a set has several, `.low` and `.high`
the 95 % interval over groups of documents (companies, forms).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from docpipe.bench.knnformer.plan import PARTS, runs_of
from docpipe.bench.knnformer.runs import Marked, Outcome, outcome
from docpipe.bench.result import Info, Measured, Row
from docpipe.bench.task import Options
from docpipe.errors import ConfigError

__all__ = ["PARTS", "run"]

_RESAMPLES = 1000
_DECODINGS = ("argmax", "matched")


def run(data: Path, options: Options) -> Measured:
    """Train and test what `options.parts` names. Raises ConfigError."""
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        raise ConfigError(f"no such part: {unknown[0]!r}", hint=f"parts: {', '.join(PARTS)}")
    runs = [each for part in options.parts or PARTS for each in runs_of(part)]
    found: dict[str, dict[int, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    for each in options.track(runs):
        found[each.name][each.seed].append(
            outcome(each, options.work, options.limit, data.resolve().parent)
        )
    rows = [
        _row(name, seed, outcomes)
        for name, seeds in found.items()
        for seed, outcomes in seeds.items()
    ]
    figures: dict[str, float] = {}
    for name, seeds in found.items():
        figures |= _spread(name, rows, list(seeds.values()), options.seed)
    return Measured(rows, figures, tuple(_table(found, figures)))


def _row(name: str, seed: int, outcomes: Sequence[Outcome]) -> Row:
    """Scores of a seed, the parts of the documents pooled."""
    first = outcomes[0]
    documents = [document for each in outcomes for document in each.documents]
    scores = _scores(documents, first)
    info: dict[str, Info] = {
        "documents": len(documents),
        "seconds": round(sum(each.seconds for each in outcomes), 1),
        "core_parameters": first.core_parameters,
    }
    named = {f"{name}.{figure}": value for figure, value in scores.items()}
    return Row(f"{name} seed {seed}", named, info, group=name)


def _scores(documents: Sequence[Marked], first: Outcome) -> dict[str, float]:
    scores: dict[str, float] = {}
    for decoding in _DECODINGS:
        counts = np.sum([getattr(document, decoding) for document in documents], axis=0)
        fields = {
            label: _f1(*counts[:, at])
            for at, label in enumerate(first.labels)
            if at and counts[1:, at].sum()
        }
        scores[f"{decoding}.micro"] = _f1(*counts[:, 1:].sum(axis=1))
        scores[f"{decoding}.macro"] = float(np.mean(list(fields.values())))
        ones = [fields[label] for label in first.ones if label in fields]
        if ones and len(ones) < len(fields):
            scores[f"{decoding}.ones_macro"] = float(np.mean(ones))
        if len(fields) < 8:
            scores |= {f"{decoding}.{label}": value for label, value in fields.items()}
    scores["argmax.violations"] = float(sum(document.broken[0] for document in documents))
    scores["matched.violations"] = float(sum(document.broken[1] for document in documents))
    names = sorted({name for document in documents for name in document.values})
    if names:
        each = {
            name: np.sum([d.values[name] for d in documents if name in d.values], axis=0)
            for name in names
        }
        scores["values.micro"] = _f1(*np.sum(list(each.values()), axis=0))
        scores |= {f"values.{name}": _f1(*counts) for name, counts in each.items()}
    return scores


def _f1(hits: float, found: float, wanted: float) -> float:
    return float(2 * hits / max(found + wanted, 1))


def _spread(
    name: str, rows: Iterable[Row], seeds: Sequence[Sequence[Outcome]], seed: int
) -> dict[str, float]:
    """Standard deviation over the seeds, and the interval of micro F1 over groups of documents."""
    figure = f"{name}.matched.micro"
    values = [row.scores[figure] for row in rows if row.group == name]
    spread = {f"{figure}.sd": float(np.std(values, ddof=1))} if len(values) > 1 else {}
    documents = [d for outcomes in seeds for each in outcomes for d in each.documents]
    bounds = _interval(documents, seed)
    if bounds is not None:
        spread |= {f"{figure}.low": bounds[0], f"{figure}.high": bounds[1]}
    return spread


def _interval(documents: Sequence[Marked], seed: int) -> tuple[float, float] | None:
    """95 % of micro F1 over documents drawn with replacement, those of a group together."""
    groups: dict[str, npt.NDArray[Any]] = defaultdict(lambda: np.zeros(3))
    for document in documents:
        groups[document.group] += np.array(document.matched)[:, 1:].sum(axis=1)
    if len(groups) < 2:
        return None
    counts = np.array([groups[name] for name in sorted(groups)])
    drawn = np.random.default_rng(seed).multinomial(
        len(counts), np.full(len(counts), 1 / len(counts)), size=_RESAMPLES
    )
    hits, found, wanted = (drawn @ counts).T
    low, high = np.quantile(2 * hits / np.maximum(found + wanted, 1), [0.025, 0.975])
    return float(low), float(high)


def _table(found: dict[str, dict[int, list[Outcome]]], figures: dict[str, float]) -> Iterable[str]:
    """The runs as a Markdown table, in percent."""
    yield "| run | seeds | micro, argmax | micro, matched | macro, matched | given twice |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, seeds in found.items():
        each = [_row(name, seed, outcomes).scores for seed, outcomes in seeds.items()]
        mean = {key: float(np.mean([scores[key] for scores in each])) for key in each[0]}
        micro, macro = mean[f"{name}.matched.micro"], mean[f"{name}.matched.macro"]
        spread = figures.get(f"{name}.matched.micro.sd")
        cells = (
            name,
            str(len(seeds)),
            f"{100 * mean[f'{name}.argmax.micro']:.1f}",
            f"{100 * micro:.1f}" + (f" ± {100 * spread:.1f}" if spread is not None else ""),
            f"{100 * macro:.1f}",
            " → ".join(f"{mean[f'{name}.{each}.violations']:.0f}" for each in _DECODINGS),
        )
        yield f"| {' | '.join(cells)} |"
