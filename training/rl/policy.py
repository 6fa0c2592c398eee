"""What training asks of a policy, and what is kept of each decision.

A decision is made of choices, each one of several: the tokens that a language model writes, or what
a compact policy picks among candidates. Training needs their probabilities again, with gradient,
without going back from the decision to the choices: so a policy hands out with every decision the
choices that made it.

    decided = policy.sample(state, generator)       # a Decision for the agent, and its choices
    scores = policy.score([decided.choices, …])     # [B, L] log-probabilities, with gradient
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import msgspec
import torch
from torch import nn

from docpipe.agents.mmdocr1.state import Decision, State

C = TypeVar("C", bound="Choices")


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """The choices of one decision, in the order they were made. Each kind of policy derives its
    own, with all it takes to score them again (token ids, or candidates' features and the indices
    chosen); instances are pickled between processes.

    `logp` are their log-probabilities under the policy that made them; of a demonstration, which
    no policy made, it is empty.
    """

    logp: tuple[float, ...] = ()


class Decided(msgspec.Struct, Generic[C], frozen=True):
    """A decision and the choices that made it."""

    decision: Decision
    choices: C


class Scores(NamedTuple):
    """Of a batch of B decisions with L choices at most, all [B, L]: the log-probability of each
    choice, the entropy of what it was drawn from (nats), and True where there is a choice."""

    logp: torch.Tensor
    entropy: torch.Tensor
    mask: torch.Tensor


class TrainablePolicy(Protocol[C]):
    """A policy that can be trained. It keeps no state of a run between calls."""

    @property
    def model(self) -> nn.Module:
        """All that is trained: those of its parameters that require a gradient."""
        ...

    def sample(self, state: State, generator: torch.Generator | None) -> Decided[C]:
        """The next decision: drawn with `generator`, or the likeliest for None. Equal weights,
        states and generators give equal decisions."""
        ...

    def demonstrate(self, state: State, decision: Decision) -> C | None:
        """The choices that would make a decision of another policy in this state, to be imitated;
        None for one that this policy cannot make."""
        ...

    def score(self, choices: Sequence[C]) -> Scores:
        """Log-probabilities and entropies as `sample` draws, under the weights of now and with
        gradient. Weights unchanged, they agree with `Choices.logp` up to rounding."""
        ...

    def save(self, folder: Path) -> None:
        """Write what using the policy takes, apart from training."""
        ...


@runtime_checkable
class SamplesTogether(TrainablePolicy[C], Protocol[C]):
    """A policy that decides for several runs in less time than for one after the other."""

    def sample_all(
        self, states: Sequence[State], generators: Sequence[torch.Generator | None]
    ) -> list[Decided[C]]:
        """The next decision of each run, as `sample` makes it."""
        ...
