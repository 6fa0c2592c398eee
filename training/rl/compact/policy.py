"""The compact policy as something that can be trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from docpipe import registry
from docpipe.agents.mmdocr1.compact import save_network, scores
from docpipe.agents.mmdocr1.compact_facts import Memory
from docpipe.agents.mmdocr1.compact_features import Scene, Situation
from docpipe.agents.mmdocr1.compact_network import CompactNetwork
from docpipe.agents.mmdocr1.compact_options import (
    Enough,
    Option,
    decision_of,
    follow,
    picks_of,
)
from docpipe.agents.mmdocr1.state import Decision, State
from docpipe.stages import Embedder
from docpipe.training.rl.policy import Choices, Decided, Scores

_MOST_SEEN = 50_000


class Picks(Choices, frozen=True, kw_only=True):
    """Of each pick what was known, what was allowed, and what was taken, as indices of options."""

    situations: tuple[Situation, ...]
    allowed: tuple[tuple[int, ...], ...]
    taken: tuple[int, ...]


class _Seen(NamedTuple):
    """What is known before a pick."""

    offered: tuple[Option, ...]
    allowed: tuple[int, ...]
    situation: Situation


class _Draft:
    """A decision that is being made."""

    def __init__(self, state: State, generator: torch.Generator | None) -> None:
        self.state, self._generator = state, generator
        self.seen: list[_Seen] = []
        self._picks: list[Option] = []
        self._taken: list[int] = []
        self._logp: list[float] = []

    def ended(self, see: Callable[[State, Sequence[Option]], _Seen]) -> bool:
        """Whether nothing more may be picked; else what is known now is added to `seen`."""
        if self._picks and isinstance(self._picks[-1], Enough):
            return True
        now = see(self.state, self._picks)
        if now.allowed:
            self.seen.append(now)
        return not now.allowed

    def take(self, logp: torch.Tensor) -> None:
        """Draw a pick by log-probabilities of the options, or take the likeliest. Padding is cut
        off: what is drawn depends on the length of a row."""
        logp = logp[: len(self.seen[-1].offered)]
        chosen = int(
            logp.argmax()
            if self._generator is None
            else torch.multinomial(logp.exp(), 1, generator=self._generator)
        )
        self._taken.append(chosen)
        self._logp.append(float(logp[chosen]))
        self._picks.append(self.seen[-1].offered[chosen])

    def decided(self) -> Decided[Picks]:
        picks = _picks(self.seen, self._taken, self._logp)
        return Decided(decision_of(self._picks, self.state), picks)


class TrainableCompact:
    """A CompactNetwork with memory enough for the documents of a training.

    What is known before a pick follows from the question, the queries and the pages read: it is
    kept, so that runs that begin alike cost the network alone. Readings are no part of it.
    """

    def __init__(self, embedder: Embedder, *, width: int = 96, vectors: int = 24) -> None:
        self.memory = Memory(embedder, documents=1000, texts=100_000)
        self.network = CompactNetwork(embedder.dimension, width=width, vectors=vectors)
        self._seen: dict[tuple[Any, ...], _Seen] = {}
        self._scenes: dict[tuple[Any, ...], Scene] = {}  # of states that are decided on now

    @property
    def model(self) -> CompactNetwork:
        return self.network

    def sample(self, state: State, generator: torch.Generator | None) -> Decided[Picks]:
        return self.sample_all([state], [generator])[0]

    def sample_all(
        self, states: Sequence[State], generators: Sequence[torch.Generator | None]
    ) -> list[Decided[Picks]]:
        """The next decisions of several runs, each pick of all with one pass of the network."""
        self._scenes.clear()
        drafts = [
            _Draft(state, generator) for state, generator in zip(states, generators, strict=True)
        ]
        while going := [draft for draft in drafts if not draft.ended(self._see)]:
            seen = [draft.seen[-1] for draft in going]
            with torch.inference_mode():
                logits = scores(
                    self.network, [now.situation for now in seen], [list(n.allowed) for n in seen]
                ).cpu()
                logp = logits.log_softmax(-1)
                for draft, row in zip(going, logp, strict=True):
                    draft.take(row)
        return [draft.decided() for draft in drafts]

    def demonstrate(self, state: State, decision: Decision) -> Picks | None:
        self._scenes.clear()
        wanted = picks_of(decision, self._see(state, []).offered, state)
        if not wanted:
            return None
        seen = [self._see(state, wanted[:at]) for at in range(len(wanted))]
        taken = [now.offered.index(option) for now, option in zip(seen, wanted, strict=True)]
        return _picks(seen, taken, [])

    def score(self, choices: Sequence[Picks]) -> Scores:
        rows = [len(made.taken) for made in choices]
        logits = scores(
            self.network,
            [situation for made in choices for situation in made.situations],
            [list(allowed) for made in choices for allowed in made.allowed],
        )
        taken = torch.tensor([at for made in choices for at in made.taken], device=logits.device)
        logp = logits.log_softmax(-1)
        chosen = logp.gather(-1, taken.unsqueeze(-1)).squeeze(-1)
        entropy = -(logp.exp() * logp.masked_fill(logp.isinf(), 0.0)).sum(-1)
        mask = torch.nn.utils.rnn.pad_sequence(
            [torch.ones(count, dtype=torch.bool) for count in rows], batch_first=True
        ).to(logits.device)
        return Scores(_by_decision(chosen, mask), _by_decision(entropy, mask), mask)

    def save(self, folder: Path) -> None:
        save_network(self.network, folder)

    def _see(self, state: State, picks: Sequence[Option]) -> _Seen:
        known = (state.question, *state.documents, *_done(state))
        key = (*known, *picks)
        if key not in self._seen:
            scene = self._scenes.get(known) or Scene(state, self.memory)
            self._scenes[known] = scene
            while len(self._seen) >= _MOST_SEEN:
                del self._seen[next(iter(self._seen))]
            self._seen[key] = _Seen(
                tuple(scene.offered),
                tuple(follow(picks, scene.offered, state)),
                scene.situation(picks),
            )
        return self._seen[key]


def compact(embedder: str = "minilm", width: int = 96, vectors: int = 24) -> TrainableCompact:
    """A compact policy for `docpipe train agent`: [policy] name = "compact"."""
    return TrainableCompact(registry.build("embedder", embedder), width=width, vectors=vectors)


def _done(state: State) -> Iterator[object]:
    """The actions of a run, and how much of its budget is left."""
    yield from (step.action for step in state.steps)
    yield state.budget


def _picks(seen: Sequence[_Seen], taken: Sequence[int], logp: Sequence[float]) -> Picks:
    return Picks(
        situations=tuple(now.situation for now in seen),
        allowed=tuple(now.allowed for now in seen),
        taken=tuple(taken),
        logp=tuple(logp),
    )


def _by_decision(values: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Values of all picks in a row, by decision: [B, L], 0 where there is none."""
    found = values.new_zeros(mask.shape)
    return found.masked_scatter(mask, values)
