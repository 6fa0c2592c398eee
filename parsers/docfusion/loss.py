"""Cross-entropy that knows that neighbouring location tokens are nearly right (GK-CEL).

    Q_t = sum over |d| <= (k - 1) / 2 of exp(-d² / (2 sigma²)) p_{t + d}     location target t [P]
    Q_t = p_t                                                                any other target
    loss = mean of -log Q over the targets that count

p is the softmax over the whole vocabulary; the kernel's peak is 1 and it ends where the location
tokens do. sigma = 1.5 and k = 9 [C]. Computed as the log of a sum of exponentials over the k
neighbours, which is the same as the paper's convolution over the vocabulary. As Q >= p, the loss is
never above cross-entropy: compare models by cross-entropy, not by this.

Shapes: (..., V) logits, (...) targets.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

IGNORED = -100


class Losses(NamedTuple):
    """`total` is what to minimise; `location` and `text` are its means over the targets of each
    sort (nan where there is none), without gradient."""

    total: Tensor
    location: Tensor
    text: Tensor


def smoothed_log_probability(
    logits: Tensor, targets: Tensor, locations: tuple[int, int], sigma: float, kernel: int
) -> Tensor:
    """log Q of each target. `locations` are the first location token and the one after the last;
    targets must be tokens."""
    first, end = locations
    logp = logits.log_softmax(-1)
    plain = logp.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    if kernel == 1:
        return plain
    near = torch.arange(kernel, device=logits.device) - kernel // 2
    places = targets.unsqueeze(-1) + near
    inside = (places >= first) & (places < end)
    weights = (near**2 / (-2.0 * sigma**2)).to(logp.dtype)
    mass = logp.gather(-1, places.clamp(0, logits.shape[-1] - 1)) + weights
    spread = mass.masked_fill(~inside, -torch.inf)
    is_location = (targets >= first) & (targets < end)
    # Rows of text have no neighbour inside: their sum would be log 0, and its gradient no number.
    spread = torch.where(is_location.unsqueeze(-1), spread, torch.zeros_like(spread))
    return torch.where(is_location, spread.logsumexp(-1), plain)


def gk_cel(
    logits: Tensor,
    targets: Tensor,
    locations: tuple[int, int],
    *,
    sigma: float = 1.5,
    kernel: int = 9,
    pad: int = 1,
) -> Losses:
    """GK-CEL over the targets that are neither `pad` nor IGNORED; 0 without any.

    `kernel` 1 is plain cross-entropy.
    """
    counts = (targets != pad) & (targets != IGNORED)
    logits, targets = logits[counts], targets[counts]
    losses = -smoothed_log_probability(logits, targets, locations, sigma, kernel)
    is_location = (targets >= locations[0]) & (targets < locations[1])
    apart = losses.detach()
    return Losses(
        losses.sum() / max(len(losses), 1), apart[is_location].mean(), apart[~is_location].mean()
    )


def cross_entropy(logits: Tensor, targets: Tensor, *, pad: int = 1) -> Tensor:
    """Plain cross-entropy over the same targets."""
    known = targets.masked_fill(targets == pad, IGNORED)
    return functional.cross_entropy(logits.flatten(0, -2), known.flatten(), ignore_index=IGNORED)


def ctc(frames: Tensor, targets: Tensor, classes: int, *, blank: int = 1) -> Tensor:
    """Connectionist temporal classification of the text in `targets` (B, L), for training only [D].

    `frames` are (B, T, classes) scores; only targets from 4 to `classes` count, so specials and
    location tokens are passed over. Sequences that the frames are too few for add nothing.
    """
    counts = (targets > 3) & (targets < classes)
    lengths = counts.sum(-1)
    return functional.ctc_loss(
        frames.log_softmax(-1).transpose(0, 1),
        targets[counts],
        torch.full_like(lengths, frames.shape[1]),
        lengths,
        blank=blank,
        zero_infinity=True,
    )
