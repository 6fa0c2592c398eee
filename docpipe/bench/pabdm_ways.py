"""Ways to decode a model in the bench `pabdm`, and what each costs."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Sequence
from itertools import cycle, islice
from typing import NamedTuple

from docpipe.datasets.docfusion.samples import Sample
from docpipe.parsers.pabdm.decode import Decoded, Generated
from docpipe.parsers.pabdm.model import PaBdm
from docpipe.parsers.pabdm.policies import FixedBlocks, NextToken, Policy, Prefixes
from docpipe.training.docfusion.metrics import Prediction
from docpipe.training.pabdm.prediction import Predictor, tokens_per_forward

TAUS = (0.7, 0.9, 0.95, 0.99)
ALL_TAUS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
ALL_BLOCKS = (8, 16, 32)
STEPWISE = 2.0  # a tau that no probability reaches
TOGETHER = 16
ALONE = 8  # samples that are timed one by one
REPEATS = 3


class Way(NamedTuple):
    """A policy with its name; `kind` is what it is called without its settings."""

    kind: str
    policy: Policy

    @property
    def name(self) -> str:
        if isinstance(self.policy, Prefixes | FixedBlocks) and self.kind != "stepwise":
            return f"{self.kind} {self.policy.size} {self.policy.tau:g}"
        return self.kind


def ways_of(model: PaBdm, *, full: bool = False) -> list[Way]:
    """Those that fit what a model was trained for."""
    config = model.config
    taus = ALL_TAUS if full else TAUS
    blocks = [block for block in ALL_BLOCKS if full and block < config.block] + [config.block]
    match config.mode:
        case "next":
            return [Way("next", NextToken())]
        case "bidirectional":
            return [
                Way(kind, FixedBlocks(config.block, tau, causal=False, apart=kind == "fixed"))
                for tau in taus
                for kind in ("fixed", "fused")
            ]
        case "causal":
            return [
                Way("stepwise", Prefixes(1, STEPWISE)),
                *(Way("prefixes", Prefixes(b, tau)) for b in blocks for tau in taus),
                *(Way("fixed", FixedBlocks(b, tau)) for b in blocks for tau in taus),
                *(Way("fused", FixedBlocks(b, tau, apart=False)) for b in blocks for tau in taus),
            ]


class Outcome(NamedTuple):
    """What is read of each sample, what decoding it took, and the figures of its cost."""

    predictions: list[Prediction]
    answers: list[Generated]
    figures: dict[str, float]


def measure(model: PaBdm, way: Way, samples: Sequence[Sample], timed: Sequence[Sample]) -> Outcome:
    """Of all `samples`; seconds are those of `timed`."""
    together = Predictor(model, way.policy, batch=TOGETHER)
    predictions = together.predict(samples)
    decoded = together.decoded
    answers = [answer for batch in decoded for answer in batch.answers]
    tokens = max(sum(len(answer.ids) for answer in answers), 1)
    figures = {
        "tpf": tokens_per_forward(decoded),
        "fed": sum(answer.fed for answer in answers) / tokens,
    } | kept(decoded)
    alone = Predictor(model, way.policy, batch=1)
    figures["tps_1"], figures["prefill"] = _timed(alone, timed[:ALONE])
    figures["tps_16"], _ = _timed(together, list(islice(cycle(timed), TOGETHER)))
    return Outcome(predictions, answers, figures)


def kept(decoded: Sequence[Decoded]) -> dict[str, float]:
    """Shares of forwards by how many tokens they kept."""
    counts = Counter(step for batch in decoded for answer in batch.answers for step in answer.steps)
    total = max(counts.total(), 1)
    return {f"kept_{number}": counts[number] / total for number in sorted(counts)}


def _timed(predictor: Predictor, samples: Sequence[Sample]) -> tuple[float, float]:
    """Tokens a second while decoding, and milliseconds for the rest of a sample."""
    rates: list[float] = []
    others: list[float] = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        predictor.predict(samples)
        whole = time.perf_counter() - started
        seconds = sum(batch.seconds for batch in predictor.decoded)
        tokens = sum(len(answer.ids) for batch in predictor.decoded for answer in batch.answers)
        rates.append(tokens / max(seconds, 1e-9))
        others.append(1000 * (whole - seconds) / len(samples))
    return statistics.median(rates), statistics.median(others)
