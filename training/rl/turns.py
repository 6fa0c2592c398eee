"""Baselines for every turn, of our own: unbiased, as they know nothing of the turn's action.

Axes as in docpipe.training.rl.rollouts. They hold for forked rollouts too (`branches`).
"""

from __future__ import annotations

import numpy as np

from docpipe.training.rl.advantages import discounted_returns
from docpipe.training.rl.rollouts import Bools, Floats, Ints


def rloo_turns(
    rewards: Floats,
    turn_rewards: Floats | None = None,
    branches: Ints | None = None,
    taken: Bools | None = None,
) -> Floats:
    """Ours: RLOO for every turn, of what is still to be earned, unbiased with forks too.

    [..., Q, N] and [..., Q, N, T] to [..., Q, N, T]: A_it = G_it - mean_j G_jt, where G_it is the
    reward from turn t on and j runs over the rollouts that do not hold the sampled turn t of i.
    Without turn rewards and forks it is `rloo`. A fork makes several rollouts of one sampled turn:
    leaving out i alone would leave its own outcome in the baseline.
    """
    turns = _turns(turn_rewards, branches, taken)
    returns = returns_ahead(rewards, turn_rewards, turns, taken)
    free = others(branches, rewards.shape[-1], turns).astype(float)
    weights = free / np.maximum(free.sum(-1, keepdims=True), 1)
    return returns - _by_turn(weights, returns)


def spo_prefix(
    rewards: Floats,
    prefix_similarity: Floats,
    turn_rewards: Floats | None = None,
    branches: Ints | None = None,
    taken: Bools | None = None,
) -> Floats:
    """Ours, what the motivation of SPO asks for: a baseline for every turn, weighted by how alike
    two rollouts were when the turn began.

    rewards [..., Q, N], prefix_similarity [..., Q, T, N, N] to [..., Q, N, T]:
    A_it = G_it - sum_j w_ijt G_jt, w_ijt ~ s_ijt over the j that reached turn t and do not hold the
    sampled turn of i; where none is alike, the mean of `rloo_turns`. The weights know nothing of
    the action, so the gradient is unbiased; with few rollouts that are alike, the few rewards make
    it noisier than `rloo` (docs/results/advantages.md).
    """
    turns = prefix_similarity.shape[-3]
    returns = returns_ahead(rewards, turn_rewards, turns, taken)
    free = others(branches, rewards.shape[-1], turns)
    alike = np.where(free, np.maximum(prefix_similarity, 0.0), 0.0)
    if taken is not None:
        alike = alike * np.swapaxes(taken, -1, -2)[..., None, :]
    total = alike.sum(-1, keepdims=True)
    fallback = free / np.maximum(free.sum(-1, keepdims=True), 1)
    return returns - _by_turn(
        np.where(total > 0, alike / np.where(total > 0, total, 1), fallback), returns
    )


def returns_ahead(
    rewards: Floats, turn_rewards: Floats | None, turns: int, taken: Bools | None
) -> Floats:
    """What is earned from each turn on, [..., N, T]; after its last turn a rollout counts with that
    turn, so that one still going has something to be compared with."""
    if turn_rewards is None:
        return np.repeat(np.asarray(rewards, float)[..., None], turns, -1)
    returns = discounted_returns(rewards, turn_rewards, turns, taken=taken)
    if taken is None:
        return returns
    last = np.maximum(taken.sum(-1, keepdims=True) - 1, 0)
    return np.take_along_axis(returns, np.minimum(np.arange(turns), last), -1)


def others(branches: Ints | None, rollouts: int, turns: int) -> Bools:
    """Whether a baseline for turn t of i may use j: [..., T, N, N]; not with the same turn."""
    if branches is None:
        apart = ~np.eye(rollouts, dtype=bool)
        return np.broadcast_to(apart, (turns, rollouts, rollouts))
    by_turn = np.swapaxes(branches, -1, -2)
    return np.asarray(by_turn[..., :, None] != by_turn[..., None, :])


def _by_turn(weights: Floats, returns: Floats) -> Floats:
    """Means [..., N, T] of returns [..., N, T] with weights [..., T, N, N]."""
    by_turn = np.swapaxes(returns, -1, -2)
    return np.swapaxes((weights @ by_turn[..., None])[..., 0], -1, -2)


def _turns(*fields: Floats | Ints | Bools | None) -> int:
    return next((field.shape[-1] for field in fields if field is not None), 1)
