"""The loop: imitate first, then roll out, judge and update; evaluate, log and keep checkpoints."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch

from docpipe.datasets.questions.record import GoldQuestion
from docpipe.stages import Embedder
from docpipe.training.rl import checkpoints
from docpipe.training.rl.batch import judge
from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.imitation import demonstrations
from docpipe.training.rl.log import Log, Row
from docpipe.training.rl.measures import measures, warnings
from docpipe.training.rl.policy import Choices, TrainablePolicy
from docpipe.training.rl.processes import Processes
from docpipe.training.rl.rolling import Job, jobs, seed_of
from docpipe.training.rl.runs import Rollout
from docpipe.training.rl.settings import Settings
from docpipe.training.rl.updates import Updater
from docpipe.training.rl.workers import Here, Roller

T = TypeVar("T")
Show = Callable[[int, Row, list[str]], None]
"""Told after each step how many are done, its row, and what looks wrong."""


class AgentTrainer:
    """Trains `policy` on `questions`; `evaluation` are those that it is measured on.

    Everything that chance decides follows from the seed and the number of the step: a run that was
    stopped and resumed ends on the CPU with the weights of one that was not."""

    def __init__(
        self,
        policy: TrainablePolicy[Any],
        env: DocEnv,
        questions: Sequence[GoldQuestion],
        evaluation: Sequence[GoldQuestion],
        settings: Settings,
        folder: Path,
        *,
        roller: Roller | None = None,
        embedder: Embedder | None = None,
        show: Show | None = None,
    ) -> None:
        self.settings, self._policy, self._env = settings, policy, env
        self._questions, self._evaluation = list(questions), list(evaluation)
        self._folder, self._embedder, self._show = folder, embedder, show
        self._processes = Processes()
        policy.model.to(self._processes.device)
        self._roller = roller or Here(policy, env)
        self.updater = Updater(policy, settings.training, settings.loss, self._processes)
        self.log = Log(folder, tensorboard=settings.training.tensorboard)
        self._demonstrated: list[list[Choices]] = []
        self._problem = ""

    @property
    def first(self) -> bool:
        """Whether this process is the one that writes."""
        return self._processes.first

    def train(self, checkpoint: Path | None = None) -> Row:
        """Run all steps that are left after the checkpoint; the last evaluation."""
        done = checkpoints.load(checkpoint, self._policy, self.updater) if checkpoint else 0
        if self._processes.first:
            self.log.begin(done)
        found = self.evaluate() if done in (0, self.settings.steps) else {}
        if not done:
            self._report({"step": 0.0, **found})
        for step in range(done + 1, self.settings.steps + 1):
            started = time.monotonic()
            row = self._step(step)
            if self._due(step, self.settings.training.evaluate_every):
                found = self.evaluate()
                row |= found
            self._report({"step": step, **row, "seconds": round(time.monotonic() - started, 3)})
            if self._due(step, self.settings.training.checkpoint_every):
                self._save(step)
        return found

    def evaluate(self) -> Row:
        """Measures of the likeliest runs over the evaluation's questions, as `eval_…`."""
        wanted = [Job(question, 0, None) for question in self._evaluation]
        found = measures(self._roll(wanted), self.settings.reward)
        return {f"eval_{name}": value for name, value in found.items() if name != "same"}

    def _step(self, step: int) -> Row:
        torch.manual_seed(seed_of(self.settings.seed, step))
        imitated = self.settings.imitated
        if step == imitated + 1:
            self.updater.begin()
        return self._imitate(step) if step <= imitated else self._reinforce(step)

    def _imitate(self, step: int) -> Row:
        imitation = self.settings.imitation
        assert imitation is not None
        if not self._demonstrated:
            self._demonstrated = demonstrations(self._policy, self._env, self._questions, imitation)
        chosen = _dealt(self._demonstrated, step - 1, imitation.batch, self.settings.seed)
        return self.updater.imitate(chosen, imitation.rate)

    def _reinforce(self, step: int) -> Row:
        settings, training = self.settings, self.settings.training
        number = step - settings.imitated
        questions = _dealt(self._questions, number - 1, training.questions, settings.seed)
        wanted = jobs(questions, training.group, settings.seed, step)
        rollouts = self._roll(wanted)
        if self._processes.first:
            self.log.keep(step, rollouts)
        judged = judge(rollouts, settings.reward, settings.advantage, self._embedder)
        rate = training.rate * min(1.0, number / max(training.warmup, 1))
        row = measures(rollouts, settings.reward) | {"rate": rate}
        if judged.weights is not None:
            row |= {"self_weight": judged.weights.self_weight, "cosine": judged.weights.cosine}
            if settings.advantage.name.startswith("spo"):
                self._problem = judged.weights.problem
        return row | self.updater.reinforce(judged, rate, seed_of(settings.seed, step))

    def _roll(self, wanted: Sequence[Job]) -> list[Rollout]:
        """The runs of all processes, each of which makes its share."""
        return self._processes.gather(list(self._roller.roll(self._processes.share(wanted))))

    def _due(self, step: int, every: int) -> bool:
        return step == self.settings.steps or (every > 0 and step % every == 0)

    def _report(self, row: Row) -> None:
        if not self._processes.first:
            return
        self.log.add(row)
        rows = [row for row in self.log.rows if "reward" in row]
        found = [*warnings(rows), *([self._problem] if self._problem else [])]
        if self._show is not None:
            self._show(int(row["step"]), row, found)

    def _save(self, step: int) -> None:
        if self._processes.first:
            checkpoints.save(self._folder, step, self._policy, self.updater)
        self._processes.wait()


def _dealt(items: Sequence[T], number: int, size: int, seed: int) -> list[T]:
    """Batch `number` of endless passes over the items, each pass shuffled anew; no item comes twice
    in a batch that is not larger than all."""
    size = min(size, len(items))
    per_pass = len(items) // size
    order = list(items)
    random.Random(seed_of(seed, number // per_pass)).shuffle(order)
    start = number % per_pass * size
    return order[start : start + size]
