"""SPO: a baseline weighted by the similarity of rollouts, as published and in variants of our own.

SPO is here Similarity-based Policy Optimization of MM-Doc-R1 (2604.13579), not Single-stream
(2509.13232), Segment (2505.23564) or Self-Play Preference Optimization. Axes as in
docpipe.training.rl.rollouts.
"""

from __future__ import annotations

import msgspec
import numpy as np

from docpipe.training.rl.rollouts import Bools, Floats

UNIFORM = 1e-3
SELF_WEIGHT = 0.5


def spo(rewards: Floats, similarity: Floats) -> Floats:
    """SPO (2604.13579): A_i = R_i - sum_j w_ij R_j, w_ij = s_ij / sum_k s_ik, j = i included.

    rewards [..., Q, N], similarity [..., Q, N, N] (cosines of embeddings of whole rollouts) to
    [..., Q, N]. The weights look at the whole of rollout i, its actions too, so the baseline
    depends on the action: the gradient is biased. Including i shrinks the advantage by 1 - w_ii;
    one that is like no other gets almost none. Where the paper is silent: cosines below 0 count as
    0, and a row without any weight is uniform.
    """
    return rewards - _weighted(_linear(similarity), rewards)


def spo_leave_one_out(rewards: Floats, similarity: Floats) -> Floats:
    """Ours: as `spo` without j = i. [..., Q, N]. Keeps the scale of the gradient, not its
    direction: the weights still depend on the action."""
    return rewards - _weighted(_linear(_without_self(similarity)), rewards)


def spo_softmax(
    rewards: Floats, similarity: Floats, temperature: float = 0.05, include_self: bool = False
) -> Floats:
    """Ours: as `spo` with w_ij = exp(s_ij / temperature) / sum_k exp(s_ik / temperature), which
    tells apart cosines that all lie near 1. [..., Q, N]. Biased as `spo` is, and more so."""
    scores = np.asarray(similarity, float) / temperature
    if not include_self:
        scores = np.where(_identity(scores), -np.inf, scores)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return rewards - _weighted(weights / weights.sum(-1, keepdims=True), rewards)


# ── Similarities ────────────────────────────────────────────────────────────────────────────────


def cosine_similarity(embeddings: Floats) -> Floats:
    """Cosines of all pairs: [..., N, d] to [..., N, N]; 0 for a vector without length."""
    length = np.linalg.norm(embeddings, axis=-1, keepdims=True)
    unit = embeddings / np.where(length > 0, length, 1.0)
    return np.asarray(unit @ np.swapaxes(unit, -1, -2))


def rollout_similarity(turn_embeddings: Floats, taken: Bools | None = None) -> Floats:
    """Cosines of whole rollouts, each the mean of its turns: [..., N, T, d] to [..., N, N].

    Embed a turn's action and observation without the prompt that all share: it makes every cosine
    nearly 1, and an embedder that cuts long texts sees nothing else.
    """
    if taken is not None:
        turn_embeddings = turn_embeddings * taken[..., None]
    return cosine_similarity(turn_embeddings.sum(-2))


def prefix_similarity(turn_embeddings: Floats, taken: Bools | None = None) -> Floats:
    """Cosines of what came before each turn: [..., N, T, d] to [..., T, N, N], 1 at the first."""
    if taken is not None:
        turn_embeddings = turn_embeddings * taken[..., None]
    before = np.cumsum(turn_embeddings, axis=-2)[..., :-1, :]
    found = cosine_similarity(np.moveaxis(before, -2, -3))
    first = np.ones((*found.shape[:-3], 1, *found.shape[-2:]))
    return np.concatenate([first, found], axis=-3)


class WeightReport(msgspec.Struct, frozen=True):
    """What to log of SPO's weights: means over rollouts of w_ii and of sum_j w_ij^2 (1/N when
    uniform), the mean cosine of different rollouts, and what is wrong, if anything."""

    self_weight: float
    concentration: float
    cosine: float
    problem: str = ""


def report_weights(similarity: Floats) -> WeightReport:
    """Judge the weights that `spo` makes of a similarity [..., N, N]."""
    weights = _linear(similarity)
    count = weights.shape[-1]
    own = float(weights[..., np.arange(count), np.arange(count)].mean())
    apart = ~np.eye(count, dtype=bool)
    problem = ""
    if own > SELF_WEIGHT:
        problem = f"a rollout's own weight is {own:.2f}: most of its advantage is lost"
    elif np.abs(weights - 1 / count).max() < UNIFORM:
        problem = "the weights are uniform: SPO is GRPO without the division here"
    return WeightReport(
        own, float((weights**2).sum(-1).mean()), float(similarity[..., apart].mean()), problem
    )


# ── Weights ─────────────────────────────────────────────────────────────────────────────────────


def _linear(similarity: Floats) -> Floats:
    weights = np.maximum(similarity, 0.0)
    total = weights.sum(-1, keepdims=True)
    uniform = 1.0 / similarity.shape[-1]
    return np.where(total > 0, weights / np.where(total > 0, total, 1.0), uniform)


def _identity(square: Floats) -> Bools:
    return np.broadcast_to(np.eye(square.shape[-1], dtype=bool), square.shape)


def _without_self(similarity: Floats) -> Floats:
    """0 on the diagonal; a row that would be empty is uniform over the others."""
    apart = np.where(_identity(similarity), 0.0, np.maximum(similarity, 0.0))
    alone = apart.sum(-1, keepdims=True) == 0
    return np.where(alone & ~_identity(similarity), 1.0, apart)


def _weighted(weights: Floats, rewards: Floats) -> Floats:
    return np.asarray((weights @ rewards[..., None])[..., 0])
