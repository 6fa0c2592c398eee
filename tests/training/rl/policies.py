"""A small trainable policy for tests: a table of logits, a row for every turn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

from docpipe.agents.mmdocr1.state import Decision, State
from docpipe.records import Action, Finish, Malformed, PageRequest, Read, Search
from docpipe.training.rl.policy import Choices, Decided, Scores

KINDS = ("search", "first", "second", "finish", "babble")


class Chosen(Choices, frozen=True, kw_only=True):
    turn: int
    chosen: int


class TablePolicy:
    """Chooses among KINDS by the number of the turn alone: to search for the question, to read
    pages 1 or 2 of the first document, to finish, or to write nonsense."""

    def __init__(self, turns: int = 4) -> None:
        self.table = nn.Embedding(turns, len(KINDS))
        nn.init.zeros_(self.table.weight)

    @property
    def model(self) -> nn.Module:
        return self.table

    def sample(self, state: State, generator: torch.Generator | None) -> Decided[Chosen]:
        turn = len(state.steps)
        logp = torch.log_softmax(self.table.weight[turn], -1)
        chosen = (
            int(logp.argmax())
            if generator is None
            else int(torch.multinomial(logp.exp(), 1, generator=generator))
        )
        made = Chosen(turn=turn, chosen=chosen, logp=(float(logp[chosen]),))
        return Decided(Decision(action(KINDS[chosen], state)), made)

    def demonstrate(self, state: State, decision: Decision) -> Chosen | None:
        for chosen, kind in enumerate(KINDS[:4]):
            if action(kind, state) == decision.action or (
                kind == "finish" and isinstance(decision.action, Finish)
            ):
                return Chosen(turn=len(state.steps), chosen=chosen)
        return None

    def score(self, choices: Sequence[Chosen]) -> Scores:
        turns = torch.tensor([made.turn for made in choices])
        logp = torch.log_softmax(self.table(turns), -1)
        chosen = torch.tensor([[made.chosen] for made in choices])
        entropy = -(logp.exp() * logp).sum(-1, keepdim=True)
        return Scores(logp.gather(1, chosen), entropy, torch.ones(len(choices), 1, dtype=bool))

    def save(self, folder: Path) -> None:
        (folder / "table.json").write_text(json.dumps(self.table.weight.tolist()))


def action(kind: str, state: State) -> Action:
    match kind:
        case "search":
            return Search((state.question,))
        case "first" | "second":
            page = 1 + (kind == "second")
            return Read((PageRequest(state.documents[0], (page,), state.question),))
        case "finish":
            return Finish("enough")
        case _:
            return Malformed("nonsense")
