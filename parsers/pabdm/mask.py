"""Who sees whom: clean tokens x0, and tokens x_t of which some are masked.

The released code runs the model on [x_t; x0], 2n positions, and reads the first n [C]:

    x_t sees x_t     of its block, up to itself         (bidirectional: all of its block)
    x_t sees x0      of the blocks before
    x0  sees x0      up to itself                       (bidirectional: and the rest of its block)

As masks are ends of blocks and all is causal, a clean x_t has the very states of its x0, and a
masked one sees clean tokens up to the cut, then the masks between. So the masked runs alone, beside
one x0, give the same scores: `pack` lists them, `packed_mask` says what they see.

Blocks are counted from position 0, the prompt's first [C]. Where a number of `prefix` positions is
given, they are counted from behind it, and the prefix is causal in either mode [D]. Shapes: B
answers, n positions, m packed ones.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Packed(NamedTuple):
    """Positions of x_t that are computed, (B, m) each: `places` counts from 0; `cuts` is the number
    of clean tokens seen; `real` is false where a row has fewer than m; `masked` says which hold a
    mask, the others their own token."""

    places: Tensor
    cuts: Tensor
    real: Tensor
    masked: Tensor


def block_diffusion_mask(length: int, block: int, *, causal: bool = True) -> Tensor:
    """Whether the query (row) may see the key (column): (2n, 2n) of [x_t; x0]."""
    place = torch.arange(length)
    query, key = place.unsqueeze(1), place.unsqueeze(0)
    own = query // block == key // block
    upto = key <= query
    noisy = own & upto if causal else own
    clean = upto if causal else upto | own
    before = key // block < query // block
    nothing = torch.zeros(length, length, dtype=torch.bool)
    return torch.cat((torch.cat((noisy, before), 1), torch.cat((nothing, clean), 1)))


def pack(mask: Tensor, block: int, *, causal: bool = True) -> Packed:
    """The masked runs of `mask` (B, n); without `causal`, all of the blocks that have a mask, for
    their clean tokens see masks too."""
    rows, length = mask.shape
    blocks = mask.view(rows, -1, block)
    first = torch.where(blocks.any(2), blocks.long().argmax(2), block)  # (B, S)
    starts = torch.arange(0, length, block, device=mask.device)
    if causal:
        wanted, cuts = mask, starts + first
    else:
        wanted, cuts = blocks.any(2).repeat_interleave(block, 1), starts.expand(rows, -1)
    counts = wanted.sum(1)
    most = int(counts.max())
    places = (~wanted).long().argsort(stable=True, dim=1)[:, :most]
    real = torch.arange(most, device=mask.device) < counts.unsqueeze(1)
    return Packed(
        places,
        cuts.repeat_interleave(block, 1).gather(1, places),
        real,
        mask.gather(1, places) & real,
    )


def packed_mask(
    packed: Packed, length: int, block: int, *, prefix: int = 0, causal: bool = True
) -> Tensor:
    """(B, s, s) with s = prefix + n + m: who sees whom of [prefix; x0; packed]."""
    places, cuts, real, _ = packed
    rows, device = len(places), places.device
    place = torch.arange(-prefix, length, device=device)  # the answer begins at 0
    clean = place <= place.unsqueeze(1)
    if not causal:
        own = (place // block == place.unsqueeze(1) // block) & (place >= 0)
        clean = clean | (own & (place >= 0).unsqueeze(1))
    to_clean = place < cuts.unsqueeze(2)
    among = places.unsqueeze(1) // block == places.unsqueeze(2) // block
    if causal:
        among = among & (places.unsqueeze(1) <= places.unsqueeze(2))
    among = among & real.unsqueeze(1)
    among = among | torch.eye(places.shape[1], dtype=torch.bool, device=device)
    upper = torch.cat((clean, clean.new_zeros(len(place), places.shape[1])), 1)
    lower = torch.cat((to_clean, among), 2)
    return torch.cat((upper.expand(rows, -1, -1), lower), 1)
