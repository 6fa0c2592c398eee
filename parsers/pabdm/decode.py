"""From a context to answers: one loop for every policy and every model, many rows at once.

Each step feeds, for each row, what became final since the last step and a window of masks behind
it. Keys of final tokens stay; those of masks are written over by the next step, so final tokens are
fed again as themselves [R]. Rows go on at their own pace and leave when they end.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from docpipe.parsers.pabdm.backbone import Context
from docpipe.parsers.pabdm.policies import Guess, Policy, Window


class Generated(NamedTuple):
    """An answer without its end, and a log-probability for each token. `complete` is false where
    the longest length cut it off. `steps` has how many tokens each forward kept, those cut off at
    the end taken from the last one; `fed` counts the positions that were computed."""

    ids: list[int]
    scores: list[float]
    complete: bool
    steps: list[int]
    fed: int


class Decoded(NamedTuple):
    """Answers in the order of the rows; `forwards` of the model for all of them together."""

    answers: list[Generated]
    forwards: int
    seconds: float


@dataclass
class _Row:
    number: int
    kept: int
    pending: list[int]
    window: Window
    out: list[Guess] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    fed: int = 0
    ended: bool = False


@torch.inference_mode()
def decode(context: Context, policy: Policy, longest: int) -> Decoded:
    """Answers of at most `longest` tokens."""
    started = time.perf_counter()
    rows = [
        _Row(number, context.length, [last], _masks(policy, longest))
        for number, last in enumerate(context.last)
    ]
    done: dict[int, Generated] = {}
    forwards = 0
    while rows:
        guesses = _step(context, policy, rows)
        forwards += 1
        for row, own in zip(rows, guesses, strict=True):
            _advance(row, own, policy, context.end_id, longest)
        going = [at for at, row in enumerate(rows) if not row.ended and len(row.out) < longest]
        if len(going) < len(rows):
            left = {row.number for row in (rows[at] for at in going)}
            done |= {row.number: _generated(row) for row in rows if row.number not in left}
            rows = [rows[at] for at in going]
            context.select(going)
    answers = [done[number] for number in range(len(done))]
    return Decoded(answers, forwards, time.perf_counter() - started)


def _step(context: Context, policy: Policy, rows: Sequence[_Row]) -> list[list[Guess]]:
    """Guesses for the windows of all rows, or for what follows where a policy has none."""
    lengths = [len(row.pending) + len(row.window) for row in rows]
    ids = torch.full((len(rows), max(lengths)), context.mask_id)
    for at, row in enumerate(rows):
        known = [context.mask_id if guess is None else guess.id for guess in row.window]
        ids[at, : lengths[at]] = torch.tensor(row.pending + known)
    kept = torch.tensor([row.kept for row in rows])
    logits = context.step(ids, kept, _seen(policy, rows, ids.shape[1]))
    scores, best = logits.float().log_softmax(-1).max(-1)
    guesses: list[list[Guess]] = []
    for at, row in enumerate(rows):
        first = len(row.pending) - (policy.size == 0)  # without a window: behind the last token
        own = slice(first, lengths[at])
        guesses.append(list(map(Guess, best[at, own].tolist(), scores[at, own].tolist())))
    return guesses


def _seen(policy: Policy, rows: Sequence[_Row], width: int) -> Tensor:
    """How many positions each token sees, (R, T): up to itself, or all of its block."""
    kept = torch.tensor([[row.kept] for row in rows])
    place = torch.arange(width).expand(len(rows), -1)
    if policy.causal:
        return kept + place + 1
    final = torch.tensor([[len(row.pending)] for row in rows])
    whole = final + torch.tensor([[len(row.window)] for row in rows])
    return kept + torch.where(place < final, final, torch.where(place < whole, whole, place + 1))


def _advance(row: _Row, guesses: Sequence[Guess], policy: Policy, end: int, longest: int) -> None:
    """Take over what the policy keeps; what is final comes out and is fed next."""
    row.fed += len(row.pending) + len(row.window)
    row.kept += len(row.pending)
    row.pending = []
    if not row.window and policy.size:  # a full block was fed by itself
        row.steps.append(0)
        row.window = _masks(policy, longest - len(row.out))
        return
    before = _known(row.window)
    row.window = policy.advance(row.window, guesses)
    kept = len(_known(row.window)) - len(before)
    final = _known(row.window)
    if len(final) < len(row.window):
        row.steps.append(kept)
        return
    whole = next((at for at, guess in enumerate(final) if guess.id == end), len(final))
    row.ended = whole < len(final)
    cut = min(whole, longest - len(row.out))
    row.steps.append(max(kept - (len(final) - cut), 0))
    row.out += final[:cut]
    row.pending = [guess.id for guess in final]
    row.window = [] if policy.apart else _masks(policy, longest - len(row.out))


def _known(window: Window) -> list[Guess]:
    return [guess for guess in window if guess is not None]


def _masks(policy: Policy, room: int) -> Window:
    return [None] * min(policy.size, room)


def _generated(row: _Row) -> Generated:
    ids, scores = [guess.id for guess in row.out], [guess.score for guess in row.out]
    return Generated(ids, scores, row.ended, row.steps, row.fed)
