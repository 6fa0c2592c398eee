"""Train an agent's policy: configuration -> questions -> policy -> trainer -> model card.

    python -m docpipe.training.train_agent training/configs/agent-toy.toml OUT

writes into OUT: the policy as its `save` writes it, model_card.json, metrics.jsonl (a line for each
step), rollouts/ (trajectories as JSON Lines, a file for each step), and checkpoints/, from which
--resume goes on. Several processes: `accelerate launch --num-processes N -m
docpipe.training.train_agent …`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from docpipe import registry
from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.lockstep import Lockstep
from docpipe.training.rl.log import Row
from docpipe.training.rl.parts import Parts, make_parts
from docpipe.training.rl.policy import SamplesTogether, TrainablePolicy
from docpipe.training.rl.settings import Settings, load_settings
from docpipe.training.rl.trainer import AgentTrainer, Show
from docpipe.training.rl.workers import Roller, Workers
from docpipe.training.run_folder import last_checkpoint, run_script, versions, write_run


class ModelCard(msgspec.Struct, frozen=True):
    """What a reader must know of a trained policy. `before` and `evaluation` are what the likeliest
    runs earn over the evaluation's questions at first and at last."""

    command: str
    settings: Settings
    parameters: int
    trained_parameters: int
    questions: int
    before: Row
    evaluation: Row
    minutes: float
    versions: dict[str, str]


def train(
    settings: Settings,
    folder: Path,
    *,
    resume: bool = False,
    command: str = "",
    show: Show | None = None,
) -> ModelCard:
    """Train, evaluate and write everything into `folder`. Raises ConfigError, ModelError.

    On the CPU a run that was stopped and resumed ends with the weights of one that was not.
    `minutes` are those of the run since it was last started.
    """
    started = time.monotonic()
    parts = make_parts(settings)
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        trainer = make_trainer(settings, folder, parts, stack, show)
        last = Path(last_checkpoint(folder)) if resume else None
        evaluation = trainer.train(last)
    weights = list(parts.policy.model.parameters())
    card = ModelCard(
        command=command,
        settings=settings,
        parameters=sum(p.numel() for p in weights),
        trained_parameters=sum(p.numel() for p in weights if p.requires_grad),
        questions=len(parts.questions),
        before=trainer.log.before(evaluation),
        evaluation=evaluation if trainer.first else {},
        minutes=round((time.monotonic() - started) / 60, 2),
        versions=versions(),
    )
    if trainer.first:
        parts.policy.save(folder)
        write_run(folder, card, trainer.log.rows)
    return card


def make_trainer(
    settings: Settings, folder: Path, parts: Parts, stack: ExitStack, show: Show | None
) -> AgentTrainer:
    """The trainer, its workers running until the stack is closed."""
    training = settings.training
    roller: Roller | None = None
    if training.workers:
        make = partial(policy_and_env, settings)
        roller = stack.enter_context(Workers(parts.policy, make, training.workers))
    elif isinstance(parts.policy, SamplesTogether):
        roller = Lockstep(parts.policy, parts.env.twin, training.together)
    name = settings.advantage.embedder
    return AgentTrainer(
        parts.policy,
        parts.env,
        parts.questions,
        parts.evaluation,
        settings,
        folder,
        roller=roller,
        embedder=registry.build("embedder", name) if name else None,
        show=show,
    )


def policy_and_env(settings: Settings) -> tuple[TrainablePolicy[Any], DocEnv]:
    """What a worker rolls out with."""
    parts = make_parts(settings)
    return parts.policy, parts.env


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""

    def run(config: Path, out: Path, resume: bool, command: str) -> Row:
        settings = load_settings(config)
        card = train(settings, out, resume=resume, command=command, show=_told)
        return card.evaluation  # the first process has it

    return run_script("agent", run, arguments)


def _told(step: int, row: Row, problems: list[str]) -> None:
    """A line on stderr for each step; stdout is for the result."""
    figures = "  ".join(f"{name} {value:.4g}" for name, value in row.items())
    print("  ".join([figures, *problems]), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
