"""The loss of a policy: PPO's clipped surrogate with a penalty for leaving a reference.

    L = sum_k w_k ( -min(r_k A_k, clip(r_k, 1 - low, 1 + high) A_k) + beta KL_k - eta H_k )

over all choices k of a batch: r_k the ratio of probabilities now and when the choice was made
(PPO, arXiv 1707.06347), KL_k = exp(d) - d - 1 with d = log pi_ref - log pi, an unbiased estimate
that is never negative ("k3", Schulman 2020), H_k the entropy. The weights w_k say what a mean is
taken over; as they are fixed for the whole batch, its gradient is the sum of those of its parts,
however it is divided among passes and processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
import torch

from docpipe.training.rl.policy import Scores

Aggregation = Literal["trajectory", "token", "constant"]


class LossSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`kl` and `entropy` are beta and eta. With 0 for `kl` no reference is kept.

    `per` says how choices are weighted: "trajectory" gives each trajectory the same weight and its
    choices equal shares (GRPO), "token" all choices of the batch the same (DAPO, arXiv 2503.14476),
    "constant" divides by `constant` choices a trajectory (Dr. GRPO, arXiv 2503.20783).
    """

    clip_low: float = 0.2
    clip_high: float = 0.2
    kl: float = 0.005
    entropy: float = 0.0
    per: Aggregation = "trajectory"
    constant: int = 256


class Loss(NamedTuple):
    """The loss, and without gradient what to log: sums over choices, weighted as the loss is."""

    loss: torch.Tensor
    kl: torch.Tensor
    entropy: torch.Tensor
    clipped: torch.Tensor


def choice_weights(lengths: Sequence[int], settings: LossSettings) -> list[float]:
    """The weight of each choice of a trajectory, from the number of choices of all trajectories of
    the batch."""
    count, total = max(len(lengths), 1), max(sum(lengths), 1)
    match settings.per:
        case "trajectory":
            return [1.0 / (count * max(length, 1)) for length in lengths]
        case "token":
            return [1.0 / total] * len(lengths)
        case "constant":
            return [1.0 / (count * settings.constant)] * len(lengths)


def policy_loss(
    scores: Scores,
    behaviour: torch.Tensor,
    reference: torch.Tensor | None,
    advantages: torch.Tensor,
    weights: torch.Tensor,
    settings: LossSettings,
) -> Loss:
    """The part of some decisions: `behaviour` and `reference` [B, L] are log-probabilities under
    the policy that made the choices and under the reference, `advantages` and `weights` [B]."""
    mask = scores.mask
    shares = weights[:, None] * mask
    ratio = torch.exp(torch.where(mask, scores.logp - behaviour, 0.0))
    low, high = 1.0 - settings.clip_low, 1.0 + settings.clip_high
    gain = torch.minimum(ratio * advantages[:, None], ratio.clamp(low, high) * advantages[:, None])
    entropy = (shares * torch.where(mask, scores.entropy, 0.0)).sum()
    loss = -(shares * gain).sum() - settings.entropy * entropy
    divergence = torch.zeros_like(loss)
    if reference is not None:
        divergence = (shares * k3(torch.where(mask, reference - scores.logp, 0.0))).sum()
        loss = loss + settings.kl * divergence
    clipped = (shares * ((ratio < low) | (ratio > high))).sum()
    return Loss(loss, divergence.detach(), entropy.detach(), clipped)


def k3(difference: torch.Tensor) -> torch.Tensor:
    """exp(d) - d - 1 of d = log pi_ref - log pi."""
    return torch.expm1(difference) - difference


def imitation_loss(scores: Scores, weights: torch.Tensor) -> torch.Tensor:
    """Minus the weighted log-likelihood of demonstrations; `weights` [B]."""
    return -(weights[:, None] * torch.where(scores.mask, scores.logp, 0.0)).sum()
