"""A plain transformer decoder: RMS norms before attention and SwiGLU, rotary positions.

Who sees whom is always said by a mask, for training packs runs of masks (see mask) and decoding
feeds several tokens at once. Shapes: R rows, T tokens, s keys, H heads, d width.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from docpipe.parsers.pabdm.config import PaBdmConfig

_BASE = 10_000.0


class Turns(NamedTuple):
    """Cosines and sines of rotary positions, (R, 1, T, d / H / 2)."""

    cos: Tensor
    sin: Tensor


class Store(NamedTuple):
    """Keys and values of one layer by position, (R, H, room, d / H) each, written in place."""

    keys: Tensor
    values: Tensor

    def write(self, keys: Tensor, values: Tensor, places: Tensor, upto: int) -> Store:
        """Store those of T tokens at `places` (R, T); the first `upto` of all there are."""
        where = places[:, None, :, None].expand_as(keys)
        self.keys.scatter_(2, where, keys.to(self.keys.dtype))  # autocast may have narrowed them
        self.values.scatter_(2, where, values.to(self.values.dtype))
        return Store(self.keys[:, :, :upto], self.values[:, :, :upto])

    def select(self, rows: list[int]) -> Store:
        return Store(self.keys[rows], self.values[rows])

    def with_room(self, places: int, more: int) -> Store:
        """Itself, or one with room for `more` than so many places."""
        lacking = places - self.keys.shape[2]
        if lacking <= 0:
            return self
        grown = (functional.pad(part, (0, 0, 0, lacking + more)) for part in self)
        return Store(*grown)


class Fed(NamedTuple):
    """What the tokens of a forward share: rotary positions, who sees whom (R, 1, T, s), and, where
    keys are stored, their `places` (R, T)."""

    turns: Turns
    allowed: Tensor
    places: Tensor


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, fed: Fed, store: Store | None) -> Tensor:
        parts = self.qkv(x).view(*x.shape[:2], 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, keys, values = parts.unbind(0)
        query, keys = turned(query, fed.turns), turned(keys, fed.turns)
        if store is not None:
            keys, values = store.write(keys, values, fed.places, fed.allowed.shape[-1])
        mixed = functional.scaled_dot_product_attention(query, keys, values, fed.allowed)
        out: Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return out


class Layer(nn.Module):
    def __init__(self, config: PaBdmConfig) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(config.width)
        self.attention = Attention(config.width, config.heads)
        self.mlp_norm = nn.RMSNorm(config.width)
        self.gate_up = nn.Linear(config.width, 2 * config.feed_forward, bias=False)
        self.down = nn.Linear(config.feed_forward, config.width, bias=False)

    def forward(self, x: Tensor, fed: Fed, store: Store | None) -> Tensor:
        x = x + self.attention(self.attention_norm(x), fed, store)
        gate, up = self.gate_up(self.mlp_norm(x)).chunk(2, -1)
        out: Tensor = x + self.down(functional.silu(gate) * up)
        return out


class Decoder(nn.Module):
    def __init__(self, config: PaBdmConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = nn.RMSNorm(config.width)
        self._size = (config.heads, config.width // config.heads)

    def forward(
        self, x: Tensor, places: Tensor, allowed: Tensor, stores: list[Store] | None = None
    ) -> Tensor:
        """States (R, T, d) of embeddings `x` at `places` (R, T) that see `allowed` (R, T, s): each
        other, or what lies at the first s places of `stores` once they are stored."""
        fed = Fed(turns_of(places, self._size[1]), allowed.unsqueeze(1), places)
        for at, layer in enumerate(self.layers):
            x = layer(x, fed, stores[at] if stores else None)
        out: Tensor = self.norm(x)
        return out

    def stores(self, rows: int, room: int, like: Tensor) -> list[Store]:
        """Empty ones for `room` places."""
        heads, dim = self._size
        return [
            Store(like.new_zeros(rows, heads, room, dim), like.new_zeros(rows, heads, room, dim))
            for _ in self.layers
        ]


def turns_of(places: Tensor, dim: int) -> Turns:
    rates = _BASE ** (-torch.arange(0, dim, 2, device=places.device) / dim)
    angles = places[:, None, :, None] * rates
    return Turns(angles.cos(), angles.sin())


def turned(x: Tensor, turns: Turns) -> Tensor:
    """Each half of the channels (R, H, T, d / H) turned with the other; of the type of `x`, whose
    precision turning by single precision would raise."""
    first, second = x.chunk(2, -1)
    cos, sin = turns
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1).to(x.dtype)
