"""Rollouts of the compact policy side by side: all runs pick at once, with one pass of the network.

A run draws from its own generator, so it is the one that it would have been alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch

from docpipe.training.rl.compact.policy import TrainableCompact
from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.rolling import Job
from docpipe.training.rl.runs import Rollout, Turn


class Lockstep:
    """A Roller that makes `size` runs at once, each in an environment of its own."""

    def __init__(self, policy: TrainableCompact, make: Callable[[], DocEnv], size: int) -> None:
        self._policy = policy
        self._envs = [make() for _ in range(size)]

    def roll(self, wanted: Sequence[Job]) -> Iterator[Rollout]:
        for start in range(0, len(wanted), len(self._envs)):
            yield from self._together(wanted[start : start + len(self._envs)])

    def _together(self, wanted: Sequence[Job]) -> Iterator[Rollout]:
        runs = [_Run(env, job) for env, job in zip(self._envs, wanted, strict=False)]
        while going := [run for run in runs if not run.done]:
            decided = self._policy.sample_all(
                [run.state for run in going], [run.generator for run in going]
            )
            for run, made in zip(going, decided, strict=True):
                outcome = run.env.step(made.decision)
                run.turns.append(Turn(made.choices, outcome.step, outcome.rewards))
                run.done = outcome.done
        for run in runs:
            job = run.job
            yield Rollout(job.question.id, job.number, tuple(run.turns), run.env.trajectory)


class _Run:
    def __init__(self, env: DocEnv, job: Job) -> None:
        self.env, self.job = env, job
        self.state = env.reset(job.question)
        self.generator = None if job.seed is None else torch.Generator().manual_seed(job.seed)
        self.turns: list[Turn] = []
        self.done = False
