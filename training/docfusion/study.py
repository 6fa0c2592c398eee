"""Is GK-CEL better than cross-entropy? One command that trains every arm alike and compares.

    python -m docpipe.training.docfusion.study CONFIG OUT --minutes 120

All runs have the same steps, data order and, of one seed, initial weights: as many steps as the
minutes allow, by the time that steps take here. Arms: CE, GK-CEL (sigma 1.5 and others), fixed
Gaussian labels (is it smoothing?), CE with location tokens weighted 0.3 (is it their smaller
gradient?); each with exact and jittered boxes, since synthetic labels have no noise of their own.

OUT/study.json has a row per run: its figures, the plain cross-entropy of held-out targets (GK-CEL
is below it by construction, so losses of arms do not compare) and the share of location tokens in
the gradient of the output layer. OUT/study.md has means and deviations over seeds. Finished runs
are not done again; those of other settings stop the study.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec
import torch
from torch import Tensor

from docpipe.datasets.docfusion.samples import Task
from docpipe.parsers.docfusion.loss import IGNORED
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.weights import load
from docpipe.training.docfusion.arms import (
    affordable,
    means,
    run_once,
    study_command,
    study_parser,
    with_steps,
    write_study,
)
from docpipe.training.docfusion.data import Collator, Encoder
from docpipe.training.docfusion.losses import is_location, token_losses
from docpipe.training.docfusion.settings import LossSettings, Settings, load_settings
from docpipe.training.docfusion.sources import evaluation_samples
from docpipe.training.train_docfusion import train

JITTER = 2  # bins
ARMS: dict[str, LossSettings] = {
    "ce": LossSettings(kind="cross_entropy"),
    "gk_cel": LossSettings(kind="gk_cel"),
    "ce_weight_0.3": LossSettings(kind="cross_entropy", location_weight=0.3),
    "soft": LossSettings(kind="soft"),
    "gk_cel_sigma_0.75": LossSettings(kind="gk_cel", sigma=0.75),
    "gk_cel_sigma_3": LossSettings(kind="gk_cel", sigma=3.0, kernel=17),
}
_BATCH = 8


class Run(msgspec.Struct, frozen=True):
    """One training; `figures` by task and name."""

    arm: str
    jitter: int
    seed: int
    steps: int
    figures: dict[str, float]


def study(
    settings: Settings,
    folder: Path,
    *,
    minutes: float,
    seeds: int = 3,
    arms: Sequence[str] = tuple(ARMS),
    jitters: Sequence[int] = (0, JITTER),
) -> list[Run]:
    """Train and measure all runs within about `minutes`; those in `folder` count as done."""
    planned = [(arm, j, seed) for seed in range(1, seeds + 1) for j in jitters for arm in arms]
    steps = affordable(train, settings, folder, minutes / len(planned))
    runs: list[Run] = []
    for arm, jitter, seed in planned:
        runs.append(_run(settings, folder, arm, jitter, seed, steps))
        write_study(folder, runs, table(runs))
    return runs


def _run(settings: Settings, folder: Path, arm: str, jitter: int, seed: int, steps: int) -> Run:
    out = folder / "runs" / f"{arm}-jitter{jitter}-seed{seed}"
    loss = msgspec.structs.replace(ARMS[arm], jitter=jitter, ctc=settings.loss.ctc)
    own = with_steps(msgspec.structs.replace(settings, seed=seed, loss=loss), steps)

    def run() -> Run:
        card = train(own, out)
        return Run(arm, jitter, seed, card.steps, card.evaluation | held_out_losses(out, own))

    return run_once(out, own, Run, run)


def held_out_losses(folder: Path, settings: Settings) -> dict[str, float]:
    """Plain cross-entropy of the targets of each task, and of a page's location tokens the share
    in the gradient of the output layer under the loss trained with."""
    model, vocabulary = load(folder)
    encode, collate = Encoder(model.config, vocabulary), Collator(vocabulary)
    figures: dict[str, float] = {}
    for task in settings.tasks:
        samples = evaluation_samples(settings, task)
        losses: list[Tensor] = []
        for start in range(0, len(samples), _BATCH):
            batch = collate([encode(sample) for sample in samples[start : start + _BATCH]])
            with torch.no_grad():
                losses.append(_losses(model, batch, LossSettings(kind="cross_entropy"))[0])
            if task == "layout" and not start:
                figures["location_gradient"] = location_share(model, batch, settings.loss)
        figures[f"{task}_cross_entropy"] = float(torch.cat(losses).mean())
    return figures


def location_share(model: DocFusion, batch: dict[str, Tensor], loss: LossSettings) -> float:
    """The norm of the output layer's gradient from location tokens, over that and the text's."""
    weight = model.language_model.lm_head.weight
    losses, located = _losses(model, batch, loss)
    weights = torch.where(located, loss.location_weight, 1.0)
    norms = [
        float(
            torch.autograd.grad((losses * weights)[which].sum(), weight, retain_graph=True)[
                0
            ].norm()
        )
        for which in (located, ~located)
    ]
    return norms[0] / max(sum(norms), 1e-12)


def _losses(
    model: DocFusion, batch: dict[str, Tensor], loss: LossSettings
) -> tuple[Tensor, Tensor]:
    """The loss of each target, and which are location tokens."""
    labels = batch["labels"]
    output = model(batch["pixels"], batch["prompt"], labels)
    counts = labels != IGNORED
    targets = labels[counts]
    losses = token_losses(output.logits[counts], targets, model.config, loss)
    return losses, is_location(targets, model.config)


FIGURES: tuple[str, ...] = (
    "eval_layout_f1_50",
    "eval_layout_f1_75",
    "eval_layout_f1_90",
    "eval_layout_offset",
    "eval_text_ned",
    "eval_formula_exact",
    "eval_table_cell_f1",
    "eval_table_parses",
    "layout_cross_entropy",
    "text_cross_entropy",
    "location_gradient",
)


def table(runs: Sequence[Run]) -> str:
    """Mean ± standard deviation over seeds as Markdown, a row for each arm."""
    groups: defaultdict[tuple[str, ...], list[dict[str, float]]] = defaultdict(list)
    for run in runs:
        groups[run.arm, str(run.jitter)].append(run.figures)
    return means(("arm", "jitter"), groups, FIGURES)


def single_task(settings: Settings, task: Task) -> Settings:
    """The study on one task alone: the paper's claim is about the mix."""
    stages = tuple(msgspec.structs.replace(s, tasks={task: 1.0}) for s in settings.stages[-1:])
    return msgspec.structs.replace(settings, stages=stages)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = study_parser("Compare GK-CEL with cross-entropy.", ARMS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--layout-only", action="store_true", help="boxes alone, no task mix")

    def run(given: argparse.Namespace) -> str:
        settings = load_settings(given.config)
        if given.layout_only:
            settings = single_task(settings, "layout")
        return table(
            study(settings, given.out, minutes=given.minutes, seeds=given.seeds, arms=given.arms)
        )

    return study_command(parser, run, arguments)


if __name__ == "__main__":
    sys.exit(main())
