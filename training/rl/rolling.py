"""Rolling policies out: groups of runs for each question, in this process or in several.

Each run draws from a generator of its own, seeded by the training, the step, the question and its
number: it repeats itself whatever ran before it, beside it or in which process, so nothing about
chance needs to be kept for resuming.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec
import torch

from docpipe.datasets.questions.record import GoldQuestion
from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.policy import Decided, TrainablePolicy
from docpipe.training.rl.runs import Rollout, Turn


class Job(msgspec.Struct, frozen=True):
    """A run to be made: `number` of those of a question, `seed` what it draws from (None: always
    the likeliest)."""

    question: GoldQuestion
    number: int
    seed: int | None


def jobs(questions: Iterable[GoldQuestion], size: int, *salt: object) -> list[Job]:
    """`size` runs for each question, those of a question one after the other."""
    return [
        Job(question, number, seed_of(*salt, question.id, number))
        for question in questions
        for number in range(size)
    ]


class Run:
    """A run under way. A decision without choices, such as a Finish where a prompt grew too long,
    is a step that training does not see; its reward falls to the turn before."""

    def __init__(self, env: DocEnv, job: Job) -> None:
        self._env, self._job = env, job
        self.state = env.reset(job.question)
        self.generator = None if job.seed is None else torch.Generator().manual_seed(job.seed)
        self.done = False
        self._turns: list[Turn] = []

    def take(self, decided: Decided[Any]) -> None:
        """Carry out a decision."""
        outcome = self._env.step(decided.decision)
        self.done = outcome.done
        if decided.choices.logp:
            self._turns.append(Turn(decided.choices, outcome.step, outcome.rewards))
        elif self._turns:
            self._turns[-1] = _with(self._turns[-1], outcome.rewards)

    def rollout(self) -> Rollout:
        """The run, once it is done."""
        id, number = self._job.question.id, self._job.number
        return Rollout(id, number, tuple(self._turns), self._env.trajectory)


def roll_out(policy: TrainablePolicy[Any], env: DocEnv, job: Job) -> Rollout:
    """One run by itself."""
    run = Run(env, job)
    while not run.done:
        with torch.no_grad():
            run.take(policy.sample(run.state, run.generator))
    return run.rollout()


def seed_of(*parts: object) -> int:
    """A seed that depends on all parts, the same on every machine."""
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1  # torch takes 63 bits


def _with(turn: Turn, rewards: dict[str, float]) -> Turn:
    names = {*turn.rewards, *rewards}
    both = {name: turn.rewards.get(name, 0.0) + rewards.get(name, 0.0) for name in names}
    return msgspec.structs.replace(turn, rewards=both)
