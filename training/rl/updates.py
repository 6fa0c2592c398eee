"""Updates of a policy's weights from rollouts, and from demonstrations."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from docpipe.training.rl.batch import Judged
from docpipe.training.rl.losses import LossSettings, choice_weights, imitation_loss, policy_loss
from docpipe.training.rl.policy import Choices, TrainablePolicy
from docpipe.training.rl.processes import Processes
from docpipe.training.rl.runs import Rollout
from docpipe.training.rl.settings import TrainingSettings


class Updater:
    """Keeps the optimizer (AdamW) and the reference: the trained weights as they were when
    reinforcement began."""

    def __init__(
        self,
        policy: TrainablePolicy[Any],
        training: TrainingSettings,
        loss: LossSettings,
        processes: Processes,
    ) -> None:
        self._policy, self._training, self._loss = policy, training, loss
        self._processes = processes
        self.parameters = [p for p in policy.model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(
            self.parameters, lr=training.rate, weight_decay=training.weight_decay
        )
        self.reference: list[torch.Tensor] = []

    def begin(self) -> None:
        """Take the weights of now as the reference, and forget what imitation has gathered."""
        self.optimizer.state.clear()
        if self._loss.kl:
            self.reference = [parameter.detach().clone() for parameter in self.parameters]

    def reinforce(self, judged: Judged, rate: float, seed: int) -> dict[str, float]:
        """All passes over a step's rollouts. Means over updates are returned."""
        rows: list[dict[str, float]] = []
        for number in range(self._training.epochs):
            for part in _parts(len(judged.rollouts), self._training.minibatch, seed + number):
                rows.append(self._update(judged, part, rate))
        return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}

    def imitate(self, runs: Sequence[Sequence[Choices]], rate: float) -> dict[str, float]:
        """One update towards the demonstrated runs, every choice of them weighted alike."""
        self.optimizer.zero_grad()
        total = sum(len(scored) for scored in runs)
        sums = torch.zeros(1, device=self._processes.device)
        for part in _batches(self._processes.share(runs), self._training.micro_batch):
            scores = self._policy.score([choices for run in part for choices in run])
            weight = torch.full(scores.logp.shape[:1], 1.0, device=scores.logp.device)
            loss = imitation_loss(scores, weight / total)
            loss.backward()  # type: ignore[no-untyped-call]
            sums += loss.detach()
        (loss_sum,), norm = self._descend(sums, rate)
        return {"imitation_loss": loss_sum, "gradient": norm}

    def _update(self, judged: Judged, part: Sequence[int], rate: float) -> dict[str, float]:
        self.optimizer.zero_grad()
        lengths = [_choices(judged.rollouts[at]) for at in part]
        weights = dict(zip(part, choice_weights(lengths, self._loss), strict=True))
        sums = torch.zeros(4, device=self._processes.device)
        mine = [at for at in self._processes.share(part) if judged.rollouts[at].turns]
        for some in _batches(mine, self._training.micro_batch):
            sums += self._backward(judged, some, weights)
        (loss, kl, entropy, clipped), norm = self._descend(sums, rate)
        share = sum(weights[at] * length for at, length in zip(part, lengths, strict=True)) or 1.0
        return {
            "loss": loss,
            "kl": kl / share,
            "entropy": entropy / share,
            "clipped": clipped / share,
            "gradient": norm,
        }

    def _backward(
        self, judged: Judged, some: Sequence[int], weights: dict[int, float]
    ) -> torch.Tensor:
        """Add the gradient of some runs; the loss and what is logged of them, [4]."""
        rows = [(at, number) for at in some for number in range(judged.rollouts[at].length)]
        choices = [judged.rollouts[at].turns[number].choices for at, number in rows]
        reference = None
        if self.reference:
            with torch.no_grad(), swapped(self.parameters, self.reference):
                reference = self._policy.score(choices).logp
        scores = self._policy.score(choices)
        like = scores.logp.detach()
        loss = policy_loss(
            scores,
            behaviour_of(choices, like),
            reference,
            like.new_tensor([judged.advantages[at, number] for at, number in rows]),
            like.new_tensor([weights[at] for at, _ in rows]),
            self._loss,
        )
        loss.loss.backward()  # type: ignore[no-untyped-call]
        return torch.stack([loss.loss.detach(), *loss[1:]])

    def _descend(self, sums: torch.Tensor, rate: float) -> tuple[list[float], float]:
        """Step down the gradient of all processes; the sums over them, and the gradient's norm."""
        sums = self._processes.add_up(self.parameters, sums)
        norm = nn.utils.clip_grad_norm_(self.parameters, self._training.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        return sums.tolist(), float(norm)


@contextmanager
def swapped(parameters: Sequence[nn.Parameter], values: Sequence[torch.Tensor]) -> Iterator[None]:
    """Other values in the parameters for a while: of a model with adapters only theirs are kept."""
    own = [parameter.data for parameter in parameters]
    for parameter, value in zip(parameters, values, strict=True):
        parameter.data = value
    try:
        yield
    finally:
        for parameter, value in zip(parameters, own, strict=True):
            parameter.data = value


def behaviour_of(choices: Sequence[Choices], like: torch.Tensor) -> torch.Tensor:
    """The log-probabilities that choices were made with, [B, L] as scores are, 0 where there is no
    choice."""
    found = torch.zeros_like(like)
    for row, made in enumerate(choices):
        found[row, : len(made.logp)] = like.new_tensor(made.logp)
    return found


def _choices(rollout: Rollout) -> int:
    return sum(len(turn.choices.logp) for turn in rollout.turns)


def _parts(count: int, size: int, seed: int) -> Iterator[list[int]]:
    """The numbers below `count` in parts of `size`, shuffled; in one part, in order, for 0."""
    order = list(range(count))
    if size:
        random.Random(seed).shuffle(order)
    return iter(_batches(order, size or count))


def _batches(items: Sequence[Any], size: int) -> list[Any]:
    return [items[start : start + size] for start in range(0, len(items), size)]
