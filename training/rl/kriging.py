"""The best linear unbiased prediction of a state's value from the other rollouts: kriging.

SPO weights rewards by similarity as it is. Which weights are best depends on how much rewards of
similar rollouts really have in common, and geostatistics knows the answer (Krige 1951, Matheron
1963): estimate the covariance of rewards as a function of similarity, then predict. Ours.
"""

from __future__ import annotations

import numpy as np

from docpipe.errors import ConfigError
from docpipe.training.rl.rollouts import Bools, Floats, Ints
from docpipe.training.rl.turns import others, returns_ahead

SWEEPS = 60
NOISE_FLOOR = 0.05
TINY = 1e-12


def kriging(
    rewards: Floats,
    prefix_similarity: Floats | None = None,
    turn_rewards: Floats | None = None,
    branches: Ints | None = None,
    taken: Bools | None = None,
) -> Floats:
    """A_it = G_it - b_it, b_it the best linear prediction of G_t at the state of i from the others.

    rewards [..., Q, N], prefix_similarity [..., Q, T, N, N] (Gram matrices: cosines, or 1 for equal
    and 0 for different prefixes) to [..., Q, N, T]. G_it is what is earned from turn t on.

    Model: cov(G_i, G_j) = sum_u c_u s_iju + [i = j] c, so c_0 is the variance between questions,
    c_u what prefixes that are alike at turn u add, c the noise. With k_j = sum_{u<=t} c_u s_iju,
    K the covariance of the rollouts that do not hold the sampled turn of i, and m the mean:
    b_it = m + k' K^-1 (G_t - m). The mean and all c >= 0 are fitted, for every question, on the
    other questions of the batch (least squares on products of pairs, Haseman and Elston 1972), so
    the baseline knows nothing of the action and the gradient is unbiased.

    Without `prefix_similarity` prefixes are alike where they are the same sampled turns: for forks
    that is enough, and without forks what is left is the shrinkage of a question's mean to that of
    the batch, close to 2511.03710. Raises ConfigError for a batch of one question.
    """
    if rewards.ndim < 2 or rewards.shape[-2] < 2:
        raise ConfigError(
            "kriging needs two questions or more in a batch", hint="use rloo_turns for one"
        )
    alike = _alike(rewards, prefix_similarity, turn_rewards, branches, taken)
    turns, count = alike.shape[-3], rewards.shape[-1]
    usable = others(branches, count, turns)
    returns = returns_ahead(rewards, turn_rewards, turns, taken)
    baseline = np.empty(returns.shape)
    constant = turn_rewards is None and branches is None
    for turn in range(turns):
        if turn == 0 or not constant:
            values = returns[..., turn]
            mean, parts, noise = fit_covariance(values, alike)
            centred = values - mean[..., None]
            solved = _solve(alike, parts, noise, centred, usable[..., turn, :, :])
        known = np.einsum(
            "...u,...uij->...ij", parts[..., : turn + 1], alike[..., : turn + 1, :, :]
        )
        baseline[..., turn] = mean[..., None] + (known * solved).sum(-1)
    return returns - baseline


def fit_covariance(returns: Floats, similarity: Floats) -> tuple[Floats, Floats, Floats]:
    """For every question the mean, the c_u and the noise c of `kriging`, fitted on the others.

    returns [..., Q, N], similarity [..., Q, T, N, N] to [..., Q], [..., Q, T], [..., Q].
    """
    offset = returns.mean((-2, -1), keepdims=True)  # cancels but for rounding
    returns = returns - offset
    pairs = np.where(np.eye(returns.shape[-1], dtype=bool), 0.0, similarity)
    flat = pairs.reshape(*pairs.shape[:-2], -1)
    mean = _without_own(returns.mean(-1))
    square = _without_own((returns**2).mean(-1))
    total = square - mean**2
    both = np.einsum("...i,...j->...ij", returns, returns)
    products = _without_own(_dot(pairs, both), 2)
    sums = _without_own(_dot(pairs, returns[..., :, None] + returns[..., None, :]), 2)
    counts = _without_own(flat.sum(-1), 2)
    target = products - mean[..., None] * sums + (mean**2)[..., None] * counts
    normal = _without_own(flat @ np.swapaxes(flat, -1, -2), 3)
    parts = np.where(total[..., None] > TINY, _non_negative(normal, target), 0.0)
    noise = np.maximum(total - parts.sum(-1), NOISE_FLOOR * total) + TINY
    return mean + offset[..., 0], parts, noise


def _alike(
    rewards: Floats,
    similarity: Floats | None,
    turn_rewards: Floats | None,
    branches: Ints | None,
    taken: Bools | None,
) -> Floats:
    """The given similarities, or whether prefixes are the same sampled turns."""
    if similarity is not None:
        return np.asarray(similarity, float)
    given = next((field for field in (branches, turn_rewards, taken) if field is not None), None)
    turns, count = (1 if given is None else given.shape[-1]), rewards.shape[-1]
    same = ~others(branches, count, turns)[..., :-1, :, :]
    found = np.ones((*rewards.shape[:-1], turns, count, count))
    found[..., 1:, :, :] = same
    return found


def _solve(alike: Floats, parts: Floats, noise: Floats, centred: Floats, usable: Bools) -> Floats:
    """K^-1 (G - m) over the usable rollouts of each i, 0 elsewhere: [..., N, N], j last."""
    count = centred.shape[-1]
    unit = np.eye(count)
    covariance = np.einsum("...u,...uij->...ij", parts, alike) + noise[..., None, None] * unit
    both = usable[..., :, :, None] & usable[..., :, None, :]
    system = np.where(both, covariance[..., None, :, :], unit)
    right = np.where(usable, centred[..., None, :], 0.0)
    return np.asarray(np.linalg.solve(system, right[..., None])[..., 0])


def _without_own(values: Floats, axes: int = 1) -> Floats:
    """For every question the mean over the other questions; `axes` counts from Q to the end."""
    axis = values.ndim - axes
    others = values.sum(axis, keepdims=True) - values
    return np.asarray(others / (values.shape[axis] - 1))


def _dot(pairs: Floats, products: Floats) -> Floats:
    """Sums over i, j of pairs [..., T, N, N] times products [..., N, N]."""
    return np.asarray(np.einsum("...uij,...ij->...u", pairs, products))


def _non_negative(normal: Floats, target: Floats) -> Floats:
    """x >= 0 of least x'Ax/2 - b'x by coordinate descent: A [..., T, T], b [..., T]."""
    found = np.zeros(target.shape)
    diagonal = np.einsum("...uu->...u", normal)
    for _ in range(SWEEPS):
        for part in range(target.shape[-1]):
            weight = diagonal[..., part]
            slope = target[..., part] - np.einsum("...u,...u->...", normal[..., part, :], found)
            step = np.where(weight > TINY, slope / np.where(weight > TINY, weight, 1.0), 0.0)
            found[..., part] = np.maximum(found[..., part] + step, 0.0)
    return found
