"""Rolling policies out: groups of runs for each question, in this process or in several.

Each run draws from a generator of its own, seeded by the training, the step, the question and its
number: it repeats itself whatever ran before it, beside it or in which process, so nothing about
chance needs to be kept for resuming.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec
import torch

from docpipe.datasets.questions.record import GoldQuestion
from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.policy import TrainablePolicy
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


def roll_out(policy: TrainablePolicy[Any], env: DocEnv, job: Job) -> Rollout:
    """One run. A decision without choices, such as a Finish where a prompt grew too long, is a step
    that training does not see; its reward falls to the turn before."""
    generator = None if job.seed is None else torch.Generator().manual_seed(job.seed)
    state, turns, done = env.reset(job.question), [], False
    while not done:
        with torch.no_grad():
            decided = policy.sample(state, generator)
        outcome = env.step(decided.decision)
        done = outcome.done
        if decided.choices.logp:
            turns.append(Turn(decided.choices, outcome.step, outcome.rewards))
        elif turns:
            turns[-1] = _with(turns[-1], outcome.rewards)
    return Rollout(job.question.id, job.number, tuple(turns), env.trajectory)


def roll_out_all(
    policy: TrainablePolicy[Any],
    env: DocEnv,
    wanted: Sequence[Job],
    done: Callable[[int], None] = lambda _: None,
) -> Iterator[Rollout]:
    """The runs in the order of the jobs; `done` is told how many there are so far."""
    for count, job in enumerate(wanted, 1):
        yield roll_out(policy, env, job)
        done(count)


def seed_of(*parts: object) -> int:
    """A seed that depends on all parts, the same on every machine."""
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1  # torch takes 63 bits


def _with(turn: Turn, rewards: dict[str, float]) -> Turn:
    names = {*turn.rewards, *rewards}
    both = {name: turn.rewards.get(name, 0.0) + rewards.get(name, 0.0) for name in names}
    return msgspec.structs.replace(turn, rewards=both)
