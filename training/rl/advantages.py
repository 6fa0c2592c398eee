"""Advantages by published methods other than SPO (docpipe.training.rl.similarity has that).

R_i is the reward of rollout i of N of one question; axes as in docpipe.training.rl.rollouts.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from docpipe.training.rl.rollouts import Bools, Floats, Ints

Scale = Literal["none", "std"]
EPSILON = 1e-6


def reinforce(rewards: Floats) -> Floats:
    """No baseline (Williams 1992): A_i = R_i. [..., Q, N] to the same."""
    return np.asarray(rewards, float)


def dr_grpo(rewards: Floats) -> Floats:
    """Dr. GRPO (2503.20783): A_i = R_i - mean(R). [..., Q, N] to the same.

    The mean holds R_i itself, which shrinks the gradient by (N-1)/N and biases nothing else. What
    the SPO paper calls GRPO.
    """
    return np.asarray(rewards - rewards.mean(-1, keepdims=True))


def grpo(rewards: Floats) -> Floats:
    """GRPO (2402.03300): A_i = (R_i - mean(R)) / (std(R) + 1e-6). [..., Q, N] to the same.

    The deviation is the sample's (divided by N - 1), as trainers take it. It gives hard and easy
    questions more weight than middling ones: the direction of the summed gradient changes.
    """
    return dr_grpo(rewards) / (_deviation(rewards) + EPSILON)


def rloo(rewards: Floats) -> Floats:
    """RLOO (2402.14740): A_i = R_i - mean of the others' R, unbiased. [..., Q, N] to the same."""
    return rewards - leave_one_out(rewards)


def reinforce_pp(rewards: Floats) -> Floats:
    """REINFORCE++ (2501.03262): A_i = (R_i - mean) / (std + 1e-6), both over the whole batch.

    [..., Q, N] to the same. The paper's penalty per token for leaving the reference policy is part
    of the reward, so the caller's.
    """
    flat = rewards.reshape(*rewards.shape[:-2], -1)
    centred = (flat - flat.mean(-1, keepdims=True)) / (_deviation(flat) + EPSILON)
    return np.asarray(centred).reshape(rewards.shape)


def opo(rewards: Floats, lengths: Floats) -> Floats:
    """OPO (2505.23585): A_i = R_i - sum_j L_j R_j / sum_j L_j, L the lengths in tokens.

    [..., Q, N] twice to the same. The baseline of least variance if a rollout's squared score grows
    with its length; it holds R_i itself.
    """
    mean = (lengths * rewards).sum(-1, keepdims=True) / lengths.sum(-1, keepdims=True)
    return np.asarray(rewards - mean)


def gigpo(
    rewards: Floats,
    states: Ints,
    turn_rewards: Floats | None = None,
    taken: Bools | None = None,
    omega: float = 1.0,
    gamma: float = 0.95,
    scale: Scale = "none",
) -> Floats:
    """GiGPO (2505.10978): A_it = (R_i - mean)/F + omega (G_it - mean over equal states)/F.

    rewards [..., Q, N], states, turn_rewards, taken [..., Q, N, T] to [..., Q, N, T]. G_it is the
    reward from turn t on, each turn later discounted by gamma; the second mean is over all (j, k)
    of the question whose state is that of (i, t). F is 1, or the deviations with scale="std".
    """
    whole = dr_grpo(rewards) if scale == "none" else grpo(rewards)
    returns = discounted_returns(rewards, turn_rewards, states.shape[-1], gamma, taken)
    flat_states = states.reshape(*rewards.shape[:-1], -1)
    flat = returns.reshape(flat_states.shape)
    same = flat_states[..., :, None] == flat_states[..., None, :]
    if taken is not None:
        same &= taken.reshape(flat_states.shape)[..., None, :]
    count = np.maximum(same.sum(-1), 1)
    mean = (same * flat[..., None, :]).sum(-1) / count
    step = flat - mean
    if scale == "std":
        squares = (same * (flat[..., None, :] - mean[..., None]) ** 2).sum(-1)
        step /= np.sqrt(squares / np.maximum(count - 1, 1)) + EPSILON
    return np.asarray(whole[..., None] + omega * step.reshape(states.shape))


def gae(
    turn_rewards: Floats,
    values: Floats,
    taken: Bools | None = None,
    gamma: float = 1.0,
    lam: float = 0.95,
) -> Floats:
    """GAE over turns (1506.02438): A_t = sum_k (gamma lam)^k d_t+k, d_t = r_t + gamma V_t+1 - V_t.

    All [..., Q, N, T]; V is 0 after the last turn. Unbiased only for lam = 1 with a critic that has
    not seen the rollout, or with the true values.
    """
    rewards, value = (
        (turn_rewards, values)
        if taken is None
        else (np.where(taken, turn_rewards, 0.0), np.where(taken, values, 0.0))
    )
    found = np.zeros(value.shape)
    carried: Floats | float = 0.0
    following: Floats | float = 0.0
    for turn in reversed(range(value.shape[-1])):
        delta = rewards[..., turn] + gamma * following - value[..., turn]
        carried = delta + gamma * lam * carried
        found[..., turn] = carried
        following = value[..., turn]
    return found


def leave_one_out(rewards: Floats) -> Floats:
    """The mean over the others of the last axis; 0 for one alone."""
    others = max(rewards.shape[-1] - 1, 1)
    return np.asarray((rewards.sum(-1, keepdims=True) - rewards) / others)


def discounted_returns(
    rewards: Floats,
    turn_rewards: Floats | None,
    turns: int,
    gamma: float = 1.0,
    taken: Bools | None = None,
) -> Floats:
    """Rewards from each turn on, [..., Q, N, T]; without `turn_rewards` all of it is earned by the
    last turn taken."""
    if turn_rewards is None:
        shape = (*rewards.shape, turns)
        taken = np.ones(shape, bool) if taken is None else taken
        ahead = np.maximum(taken.sum(-1, keepdims=True) - 1 - np.arange(turns), 0)
        return np.where(taken, gamma**ahead * rewards[..., None], 0.0)
    earned = turn_rewards if taken is None else np.where(taken, turn_rewards, 0.0)
    found = np.empty(earned.shape)
    carried = np.zeros(earned.shape[:-1])
    for turn in reversed(range(turns)):
        carried = earned[..., turn] + gamma * carried
        found[..., turn] = carried
    return found


def _deviation(rewards: Floats) -> Floats:
    degrees = max(rewards.shape[-1] - 1, 1)
    centred = rewards - rewards.mean(-1, keepdims=True)
    return np.asarray(np.sqrt((centred**2).sum(-1, keepdims=True) / degrees))
