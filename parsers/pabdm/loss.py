"""What training minimises: CSL, and the losses it is compared with.

All work on log-probabilities of the right tokens at each position (B, n), whatever they were
computed from; n is a multiple of the block. Only masked positions count (of `autoregressive`, those
with a label).

CSL [C], for the masked positions m_1 < m_2 < … of a block with probabilities p_1, p_2, …:

    w_j = product over i < j of (1 if p_i >= high else p_i)
    m_j counts if p_i >= low for all i < j
    loss = mean over answers of  (sum of -w_j log p_j over those that count) / (how many count)

Weights have no gradient. Before a model is sure of first tokens, all but these are dropped: it must
be warm already. There is no schedule: what counts grows with the model's confidence.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from torch import Tensor

from docpipe.parsers.docfusion.loss import IGNORED


class Thresholds(NamedTuple):
    """Of CSL; no weight is below `least`."""

    high: float
    low: float
    least: float = 0.0


CSL: dict[Literal["paper", "code"], Thresholds] = {
    "paper": Thresholds(0.95, 0.95),  # its text has one threshold
    "code": Thresholds(0.95, 0.9),  # of the released code, in its last form
}


class Weights(NamedTuple):
    """`weights` and whether a position counts, `active`; (B, n) each."""

    weights: Tensor
    active: Tensor


def csl_weights(p: Tensor, mask: Tensor, block: int, thresholds: Thresholds) -> Weights:
    """Of positions with probabilities `p` of the right tokens."""
    high, low, least = thresholds
    p = p.detach().float()
    sure = torch.where(mask & (p < high), p, 1.0)
    weights = _before(sure, block).clamp_min(least)
    passed = _before(torch.where(mask & (p < low), 0.0, 1.0), block)
    return Weights(weights, mask & (passed > 0))


def csl(logp: Tensor, mask: Tensor, block: int, thresholds: Thresholds) -> Tensor:
    weights, active = csl_weights(logp.exp(), mask, block, thresholds)
    return _mean(logp, torch.where(active, weights, 0.0), active)


def suffix_ce(logp: Tensor, mask: Tensor) -> Tensor:
    """Every masked position counts alike: what CSL grew out of."""
    return _mean(logp, mask.float(), mask)


def bd3lm(logp: Tensor, mask: Tensor, weights: Tensor, labels: Tensor) -> Tensor:
    """BD3-LM's bound, for `bernoulli_noise` and its weights 1/t, a token."""
    total = (labels != IGNORED).sum()
    return -(logp * weights * mask).sum() / total.clamp_min(1)


def autoregressive(logp: Tensor, labels: Tensor) -> Tensor:
    """The mean over labels of plain next-token prediction."""
    known = labels != IGNORED
    return -(logp * known).sum() / known.sum().clamp_min(1)


def gold_log_probabilities(logits: Tensor, labels: Tensor) -> Tensor:
    """log p of each label (…,) by logits (…, V), in single precision; 0 where it is IGNORED."""
    known = labels != IGNORED
    targets = labels.masked_fill(~known, 0).unsqueeze(-1)
    found = logits.float().log_softmax(-1).gather(-1, targets).squeeze(-1)
    return torch.where(known, found, 0.0)


def active_per_block(active: Tensor, mask: Tensor, block: int) -> float:
    """How many positions of a block with masks count, on average: the health of CSL."""
    blocks = mask.view(len(mask), -1, block).any(2).sum()
    return float(active.sum() / blocks.clamp_min(1))


def _before(factors: Tensor, block: int) -> Tensor:
    """The product of the factors before each position in its block."""
    rows = factors.view(len(factors), -1, block)
    shifted = torch.cat((torch.ones_like(rows[..., :1]), rows[..., :-1]), -1)
    return shifted.cumprod(-1).view_as(factors)


def _mean(logp: Tensor, weights: Tensor, active: Tensor) -> Tensor:
    """The mean over answers of weighted means over what counts."""
    counts = active.sum(1).clamp_min(1)
    return -((logp * weights).sum(1) / counts).mean()
