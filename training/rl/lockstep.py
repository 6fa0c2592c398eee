"""Rollouts side by side: in each turn all runs decide at once, with one pass of the model.

A run draws from its own generator, so it is the one that it would have been alone, but for the
rounding that the company brings into a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.policy import SamplesTogether
from docpipe.training.rl.rolling import Job, Run
from docpipe.training.rl.runs import Rollout


class Lockstep:
    """A Roller that makes `size` runs at once, each in an environment of its own."""

    def __init__(self, policy: SamplesTogether[Any], make: Callable[[], DocEnv], size: int) -> None:
        self._policy = policy
        self._envs = [make() for _ in range(size)]

    def roll(self, wanted: Sequence[Job]) -> Iterator[Rollout]:
        for start in range(0, len(wanted), len(self._envs)):
            yield from self._together(wanted[start : start + len(self._envs)])

    def _together(self, wanted: Sequence[Job]) -> Iterator[Rollout]:
        runs = [Run(env, job) for env, job in zip(self._envs, wanted, strict=False)]
        while going := [run for run in runs if not run.done]:
            with torch.no_grad():
                decided = self._policy.sample_all(
                    [run.state for run in going], [run.generator for run in going]
                )
            for run, made in zip(going, decided, strict=True):
                run.take(made)
        yield from (run.rollout() for run in runs)
