"""Does CSL lengthen what can be kept of a step? One command that trains every arm alike.

    python -m docpipe.training.pabdm.study CONFIG OUT --minutes 120
    docpipe bench pabdm --data PDFS --work OUT/runs -o RESULT.json

First a warm start is trained to predict the next token, for a third of the minutes (or the weights
are taken that CONFIG's `[model] init` names). From it all arms go on for the same number of steps,
as many as the rest of the minutes allow; of one seed, they see the same samples in the same order:

    next        the next token: what the others have to keep up with
    suffix_ce   runs of masks, all of equal weight
    csl         the same runs, weighted and gated by confidence (thresholds of the code)
    csl_paper   with the one threshold of the paper
    bd3lm       bidirectional blocks, any tokens masked

Three seeds of the first three and one of the others; with --full three of all, and each of them
with blocks of 8 and 32 besides. OUT/runs has the models, OUT/study.json a row per run with the
figures of its evaluation and the positions that counted in its last steps, OUT/study.md means and
deviations over seeds. Finished runs are not done again; those of other settings stop the study.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from docpipe.training.docfusion.arms import (
    affordable,
    is_done,
    means,
    run_once,
    study_command,
    study_parser,
    with_steps,
    write_study,
)
from docpipe.training.pabdm.settings import (
    LossSettings,
    Phase,
    Settings,
    StartSettings,
    load_settings,
)
from docpipe.training.run_folder import METRICS
from docpipe.training.train_pabdm import train

WARM = 1 / 3
SEEDS = 3


class Arm(NamedTuple):
    """What is minimised; `seeds` unless all have as many."""

    phase: Phase
    loss: LossSettings = LossSettings()
    seeds: int = SEEDS


ARMS: dict[str, Arm] = {
    "next": Arm(Phase(1.0, "next")),
    "suffix_ce": Arm(Phase(1.0, "suffix_ce")),
    "csl": Arm(Phase(1.0, "csl")),
    "csl_paper": Arm(Phase(1.0, "csl"), LossSettings(csl="paper"), 1),
    "bd3lm": Arm(Phase(1.0, "bd3lm"), seeds=1),
}
BLOCKS = (8, 32)


class Planned(NamedTuple):
    """A run to do; `block` None is that of the configuration."""

    arm: str
    seed: int
    block: int | None = None

    @property
    def name(self) -> str:
        return f"{self.group}-seed{self.seed}"

    @property
    def group(self) -> str:
        return self.arm if self.block is None else f"{self.arm}-block{self.block}"


class Run(msgspec.Struct, frozen=True):
    """One training; `active` is the mean number of positions of a block that counted at its end."""

    group: str
    seed: int
    steps: int
    figures: dict[str, float]
    active: float


def plan(arms: Sequence[str], *, full: bool = False) -> list[Planned]:
    """The runs of a study, all arms of a seed before the next seed."""
    found: list[Planned] = []
    for seed in range(1, SEEDS + 1):
        for name in arms:
            if full or seed <= ARMS[name].seeds:
                found.append(Planned(name, seed))
            if full and name != "next":
                found += [Planned(name, seed, block) for block in BLOCKS]
    return found


def study(
    settings: Settings,
    folder: Path,
    *,
    minutes: float,
    arms: Sequence[str] = tuple(ARMS),
    full: bool = False,
) -> list[Run]:
    """Train all runs within about `minutes`; those in `folder` count as done."""
    warm = _warm(settings, folder, minutes * WARM)
    left = minutes if settings.model.init else minutes * (1 - WARM)
    planned = plan(arms, full=full)
    timed = _settings(settings, warm, Planned("suffix_ce", 1))
    steps = affordable(train, timed, folder, left / len(planned))
    runs: list[Run] = []
    for one in planned:
        runs.append(_run(settings, folder / "runs" / one.name, warm, one, steps))
        write_study(folder, runs, table(runs))
    return runs


def _warm(settings: Settings, folder: Path, minutes: float) -> Path:
    """The folder of the weights that all arms begin with."""
    if settings.model.init:
        return Path(settings.model.init)
    out = folder / "warm"
    training = msgspec.structs.replace(settings.training, steps=0, minutes=minutes)
    own = msgspec.structs.replace(settings, training=training, phases=(Phase(1.0, "next"),))
    if not is_done(out, own):
        train(own, out)
    return out


def _settings(settings: Settings, warm: Path, planned: Planned) -> Settings:
    """Of a run: its loss from the warm start on, and the last stage of the curriculum alone."""
    arm = ARMS[planned.arm]
    return msgspec.structs.replace(
        settings,
        seed=planned.seed,
        model=StartSettings(init=str(warm), block=planned.block),
        stages=settings.stages[-1:],
        phases=(arm.phase,),
        loss=msgspec.structs.replace(arm.loss, ctc=settings.loss.ctc),
    )


def _run(settings: Settings, out: Path, warm: Path, planned: Planned, steps: int) -> Run:
    own = with_steps(_settings(settings, warm, planned), steps)

    def run() -> Run:
        card = train(own, out)
        return Run(planned.group, planned.seed, card.steps, card.evaluation, _active(out))

    return run_once(out, own, Run, run)


def _active(folder: Path) -> float:
    """The last that the log of a run says of the positions that counted."""
    lines = (folder / METRICS).read_bytes().splitlines()
    found = [row["active_per_block"] for row in map(msgspec.json.decode, lines)
             if "active_per_block" in row]  # fmt: skip
    return float(found[-1]) if found else 0.0


FIGURES = (
    "eval_text_ned",
    "eval_text_tokens_per_forward",
    "eval_table_cell_f1",
    "eval_table_tokens_per_forward",
    "eval_formula_ned",
    "eval_formula_tokens_per_forward",
    "active per block",
)


def table(runs: Sequence[Run]) -> str:
    """Mean ± standard deviation over seeds as Markdown, a row for each arm."""
    groups: defaultdict[tuple[str, ...], list[dict[str, float]]] = defaultdict(list)
    for run in runs:
        groups[(run.group,)].append(run.figures | {"active per block": run.active})
    return means(("arm",), groups, FIGURES)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = study_parser("Compare ways to train PA-BDM.", ARMS)
    parser.add_argument("--full", action="store_true", help="all seeds, and other blocks")

    def run(given: argparse.Namespace) -> str:
        settings = load_settings(given.config)
        return table(
            study(settings, given.out, minutes=given.minutes, arms=given.arms, full=given.full)
        )

    return study_command(parser, run, arguments)


if __name__ == "__main__":
    sys.exit(main())
