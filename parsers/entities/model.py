"""A small transformer whose attention knows hop distances in the graph of nearest entities.

Attention gets a bias from the K-nearest-neighbour graph and is limited to a radius in it [P]; the
pair weight is by hop distance, and nothing is initialised from a document language model [R].
Sizes, the form of the bias, direction buckets and all defaults are [D].

Shapes: B pages, N entities of the longest page, C classes, H heads, d width.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import torch
from torch import Tensor, nn
from torch.nn import functional

from docpipe.errors import ConfigError
from docpipe.parsers.entities.encoders import TextEncoder
from docpipe.parsers.entities.features import FEATURE_SIZE
from docpipe.parsers.entities.graph import Nearness

HopMode = Literal["none", "scalar", "key"]

# Signed log buckets of an offset in page widths: 7 to either side and one for (almost) none.
_EDGES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
DIRECTIONS = 2 * len(_EDGES) + 1


class ModelConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sizes and switches, all [D].

    `neighbours` is K of the graph, `hop_cap` the largest hop distance told apart (at most 254),
    `radius` the largest one attended to, `directions` adds biases by horizontal and vertical
    offset, `attention` false leaves a perceptron per entity. `encoder` is "hashed" or the folder of
    a sentence-transformers model.
    """

    width: int = 96
    layers: int = 3
    heads: int = 4
    dropout: float = 0.1
    attention: bool = True
    hop_mode: HopMode = "scalar"
    radius: int | Literal["inf"] = 3
    directions: bool = True
    neighbours: int = 6
    hop_cap: int = 6
    nearness: Nearness = "gap"
    encoder: str = "hashed"
    buckets: int = 2**14
    gram_dropout: float = 0.15

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ConfigError(f"width {self.width} is no multiple of {self.heads} heads")
        if not 1 <= self.hop_cap <= 254:
            raise ConfigError(f"hop_cap {self.hop_cap} is not in 1..254")
        if self.radius != "inf" and not 1 <= self.radius <= self.hop_cap:
            raise ConfigError(
                f"radius {self.radius} is not in 1..hop_cap ({self.hop_cap})",
                hint='raise hop_cap, or radius = "inf" for no limit',
            )


# What the ablations switch; everything else is as in ModelConfig.
PRESETS: dict[str, dict[str, object]] = {
    "mlp": {"attention": False},
    "full": {"hop_mode": "none", "radius": "inf", "directions": False},
    "full_relative": {"hop_mode": "none", "radius": "inf"},
    "hop": {"radius": "inf", "directions": False},
    "hop_radius": {"directions": False},
    "hop_radius_relative": {},
}


class HopAttention(nn.Module):
    """Multi-head attention with a learned bias per hop distance and direction.

        e_ij = q_i . k_j / sqrt(d_h) + b_h[hop] + u_h[bucket dx] + v_h[bucket dy],   hop <= radius

    `hop_mode` "key" is another reading of hop attention: q_i . (k_j + t_h[hop]) / sqrt(d_h). All
    tables start at zero.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.dropout = config.dropout
        self.project = nn.Linear(config.width, 3 * config.width)
        self.out = nn.Linear(config.width, config.width)
        size = config.width if config.hop_mode == "key" else config.heads
        self.hop_mode = config.hop_mode
        self.hops = _zero_table(config.hop_cap + 2, size) if config.hop_mode != "none" else None
        self.across = _zero_table(DIRECTIONS, config.heads) if config.directions else None
        self.down = _zero_table(DIRECTIONS, config.heads) if config.directions else None

    def forward(self, x: Tensor, hops: Tensor, directions: Tensor, allowed: Tensor) -> Tensor:
        """(B, N, d) from x (B, N, d), hops, allowed (B, N, N) and directions (2, B, N, N)."""
        q, k, v = self.project(x).view(*x.shape[:2], 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        bias = self._bias(q, hops, directions).masked_fill(~allowed.unsqueeze(1), -torch.inf)
        dropout = self.dropout if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=dropout)
        out: Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return out

    def _bias(self, q: Tensor, hops: Tensor, directions: Tensor) -> Tensor:
        """(B, H, N, N), or a shape that broadcasts to it."""
        bias = q.new_zeros(q.shape[0], 1, q.shape[2], q.shape[2])
        if self.hops is not None and self.hop_mode == "scalar":
            bias = bias + self.hops(hops).permute(0, 3, 1, 2)
        elif self.hops is not None:
            table = self.hops.weight.view(-1, self.heads, q.shape[-1])
            per_hop = torch.einsum("bhnd,mhd->bhnm", q, table) / q.shape[-1] ** 0.5
            index = hops.unsqueeze(1).expand(-1, self.heads, -1, -1)
            bias = bias + per_hop.gather(3, index)
        if self.across is not None and self.down is not None:
            bias = bias + (self.across(directions[0]) + self.down(directions[1])).permute(
                0, 3, 1, 2
            )
        return bias


def _zero_table(rows: int, size: int) -> nn.Embedding:
    table = nn.Embedding(rows, size)
    nn.init.zeros_(table.weight)
    return table


class Block(nn.Module):
    """Pre-norm transformer block; a perceptron per entity where `config.attention` is off."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention = HopAttention(config) if config.attention else None
        self.before_attention = nn.LayerNorm(config.width) if config.attention else None
        self.feed = nn.Sequential(
            nn.LayerNorm(config.width),
            nn.Linear(config.width, 2 * config.width),
            nn.GELU(),
            nn.Dropout(config.dropout),
            nn.Linear(2 * config.width, config.width),
        )
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, hops: Tensor, directions: Tensor, allowed: Tensor) -> Tensor:
        if self.attention is not None and self.before_attention is not None:
            mixed = self.attention(self.before_attention(x), hops, directions, allowed)
            x = x + self.dropout(mixed)
        out: Tensor = x + self.dropout(self.feed(x))
        return out


class KnnFormer(nn.Module):
    """Entities of pages to class logits."""

    def __init__(self, config: ModelConfig, classes: int, encoder: TextEncoder) -> None:
        super().__init__()
        self.design = config  # transformers takes a `config` for its own and writes into it
        self.classes = classes
        self.encoder = encoder
        self.from_text = nn.Linear(encoder.dimension, config.width, bias=False)
        self.from_layout = nn.Linear(FEATURE_SIZE, config.width)
        self.norm = nn.LayerNorm(config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.head = nn.Sequential(nn.LayerNorm(config.width), nn.Linear(config.width, classes))
        edges = [*(-edge for edge in reversed(_EDGES)), *_EDGES]
        self.register_buffer("edges", torch.tensor(edges), persistent=False)

    def forward(
        self,
        rows: Tensor,
        offsets: Tensor,
        features: Tensor,
        centres: Tensor,
        hops: Tensor,
        mask: Tensor,
    ) -> Tensor:
        """Logits (B, N, C), those of padding without meaning.

        `rows` and `offsets` (B * N,) are the texts as the encoder wants them, `features` (B, N,
        FEATURE_SIZE), `centres` (B, N, 2) in page widths, `hops` (B, N, N) integers, `mask` (B, N)
        true where there is an entity.
        """
        text = self.encoder(rows, offsets).view(*mask.shape, -1)
        x = self.norm(self.from_text(text) + self.from_layout(features))
        hops = hops.long()
        allowed = mask.unsqueeze(1) | torch.eye(mask.shape[1], dtype=torch.bool, device=mask.device)
        if self.design.radius != "inf":
            allowed = allowed & (hops <= self.design.radius)
        directions = self.directions(centres)
        for block in self.blocks:
            x = block(x, hops, directions, allowed)
        logits: Tensor = self.head(x)
        return logits

    def directions(self, centres: Tensor) -> Tensor:
        """Bucket of the offset from entity i to j, across and down, (2, B, N, N) int64."""
        offsets = centres.unsqueeze(1) - centres.unsqueeze(2)
        edges = self.get_buffer("edges")
        return torch.bucketize(offsets.permute(3, 0, 1, 2).contiguous(), edges)

    def core_parameters(self) -> int:
        """Trainable parameters besides the text encoder's."""
        own = (
            {id(p) for p in self.encoder.parameters()}
            if isinstance(self.encoder, nn.Module)
            else set()
        )
        return sum(p.numel() for p in self.parameters() if p.requires_grad and id(p) not in own)
