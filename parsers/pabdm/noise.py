"""Which tokens of an answer are hidden in training.

Shapes: B answers, n positions, S = n / block blocks; n is a multiple of the block. Labels are token
ids, IGNORED where there is nothing to learn (a prompt, padding).
"""

from __future__ import annotations

import torch
from torch import Tensor

from docpipe.parsers.docfusion.loss import IGNORED

LEAST = 1e-3


def times(rows: int, blocks: int, generator: torch.Generator | None = None) -> Tensor:
    """A time in [LEAST, 1) for each block, (rows, blocks), one in each of rows x blocks equal
    strata: the mean over a batch hardly varies [C]. Strata are dealt out at random [D]."""
    count = rows * blocks
    offsets = torch.rand(count, generator=generator)
    strata = torch.randperm(count, generator=generator)
    spread = (strata + offsets) / max(count, 1)
    return (LEAST + (1 - LEAST) * spread).view(rows, blocks)


def suffix_noise(labels: Tensor, block: int, generator: torch.Generator | None = None) -> Tensor:
    """True of the positions (B, n) to mask: the last ones of each block [C].

    At time t, min(block, floor(t (block + 1))) positions of a block are masked, so that every
    number from none to all is as likely; of these, positions without a label are left alone. An
    answer of which nothing would be masked has its last label masked.
    """
    rows, length = labels.shape
    drawn = times(rows, length // block, generator).to(labels.device)
    counts = (drawn * (block + 1)).floor().clamp(max=block)
    place = torch.arange(length, device=labels.device) % block
    known = labels != IGNORED
    mask = known & (place >= block - counts.repeat_interleave(block, 1))
    last = _last(known)
    return mask | (last & ~mask.any(1, keepdim=True))


def bernoulli_noise(
    labels: Tensor, block: int, generator: torch.Generator | None = None
) -> tuple[Tensor, Tensor]:
    """BD3-LM's noise: the mask (B, n), each label of a block hidden with the block's time t as
    probability, and the weights 1/t (B, n) of its loss."""
    rows, length = labels.shape
    drawn = times(rows, length // block, generator).repeat_interleave(block, 1)
    hidden = torch.rand(rows, length, generator=generator) < drawn
    return hidden.to(labels.device) & (labels != IGNORED), (1 / drawn).to(labels.device)


def with_endings(labels: Tensor, block: int, end: int) -> Tensor:
    """Answers (B, L) that end in IGNORED, filled up with `end` to a multiple of the block, each by
    itself; these tokens are learnt like others [C]. (B, n), n the longest of them."""
    lengths = (labels != IGNORED).sum(1)
    whole = -(-lengths // block) * block
    most = int(whole.max())
    filled = labels.new_full((len(labels), most), IGNORED)
    width = min(most, labels.shape[1])
    filled[:, :width] = labels[:, :width]
    place = torch.arange(most, device=labels.device)
    ending = (place >= lengths.unsqueeze(1)) & (place < whole.unsqueeze(1))
    return filled.masked_fill(ending, end)


def _last(known: Tensor) -> Tensor:
    """True of the last true value of each row."""
    after = known.flip(1).cumsum(1).flip(1)
    return known & (after == 1)
