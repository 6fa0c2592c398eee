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
from docpipe.parsers.entities.graph import SIDES, Nearness

HopMode = Literal["none", "scalar", "key"]

# Signed log buckets of an offset in page widths: 7 to either side and one for (almost) none.
_EDGES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
DIRECTIONS = 2 * len(_EDGES) + 1


class ModelConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sizes and switches, all [D].

    `neighbours` is K of the graph, `hop_cap` the largest hop distance told apart (at most 254),
    `radius` the largest one attended to, `directions` adds biases by horizontal and vertical
    offset, `sides` adds what the nearest entities to the left, right, above and below are,
    `attention` false leaves a perceptron per entity. `encoder` is "hashed" or the folder of a
    sentence-transformers model. In training a share `gram_dropout` of the n-grams and a share
    `blank` of whole texts is left out.
    """

    width: int = 96
    layers: int = 3
    heads: int = 4
    dropout: float = 0.2
    attention: bool = True
    hop_mode: HopMode = "scalar"
    radius: int | Literal["inf"] = 3
    directions: bool = True
    sides: bool = True
    neighbours: int = 6
    hop_cap: int = 6
    nearness: Nearness = "gap"
    encoder: str = "hashed"
    buckets: int = 2**13
    gram_dropout: float = 0.4
    blank: float = 0.0

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


class PairBias(nn.Module):
    """What attention adds to the logit of a pair, for all layers at once: one learned number per
    hop distance and per bucket of the offset across and down, for each head of each layer, and
    -inf beyond the radius. All tables start at zero.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.layers, self.heads, self.radius = config.layers, config.heads, config.radius
        size = config.layers * config.heads
        self.hops = _zero_table(config.hop_cap + 2, size) if config.hop_mode == "scalar" else None
        self.across = _zero_table(DIRECTIONS, size) if config.directions else None
        self.down = _zero_table(DIRECTIONS, size) if config.directions else None

    def forward(self, hops: Tensor, directions: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        """(B, H, N, N) per layer from hops (B, N, N), directions (2, B, N, N) and mask (B, N)."""
        bias = torch.zeros(*hops.shape, self.layers * self.heads, device=hops.device)
        if self.hops is not None:
            bias = bias + self.hops(hops)
        if self.across is not None and self.down is not None:
            bias = bias + self.across(directions[0]) + self.down(directions[1])
        allowed = mask.unsqueeze(1) | torch.eye(mask.shape[1], dtype=torch.bool, device=mask.device)
        if self.radius != "inf":
            allowed = allowed & (hops <= self.radius)
        bias = bias.masked_fill(~allowed.unsqueeze(-1), -torch.inf).permute(0, 3, 1, 2)
        return bias.contiguous().chunk(self.layers, 1)


class HopAttention(nn.Module):
    """Multi-head attention with a learned bias per hop distance and direction.

        e_ij = q_i . k_j / sqrt(d_h) + b_h[hop] + u_h[bucket dx] + v_h[bucket dy],   hop <= radius

    The three tables are in PairBias. `hop_mode` "key" is another reading of hop attention:
    q_i . (k_j + t_h[hop]) / sqrt(d_h), with a table of this layer.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.project = nn.Linear(config.width, 3 * config.width)
        self.out = nn.Linear(config.width, config.width)
        self.keys = (
            _zero_table(config.hop_cap + 2, config.width) if config.hop_mode == "key" else None
        )

    def forward(self, x: Tensor, hops: Tensor, bias: Tensor) -> Tensor:
        """(B, N, d) from x (B, N, d), hops (B, N, N) and bias (B, H, N, N)."""
        q, k, v = self.project(x).view(*x.shape[:2], 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if self.keys is not None:
            bias = bias + self._key_bias(self.keys.weight, q, hops)
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        out: Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return out

    def _key_bias(self, weight: Tensor, q: Tensor, hops: Tensor) -> Tensor:
        table = weight.view(-1, self.heads, q.shape[-1])
        per_hop = torch.einsum("bhnd,mhd->bhnm", q, table) / q.shape[-1] ** 0.5
        bias: Tensor = per_hop.gather(3, hops.unsqueeze(1).expand(-1, self.heads, -1, -1))
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

    def forward(self, x: Tensor, hops: Tensor, bias: Tensor | None) -> Tensor:
        if self.attention is not None and self.before_attention is not None and bias is not None:
            mixed = self.attention(self.before_attention(x), hops, bias)
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
        self.from_sides = (
            nn.Linear(len(SIDES) * config.width, config.width) if config.sides else None
        )
        self.bias = PairBias(config) if config.attention else None
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
        sides: Tensor,
        mask: Tensor,
    ) -> Tensor:
        """Logits (B, N, C), those of padding without meaning.

        `rows` and `offsets` (B * N,) are the texts as the encoder wants them, `features` (B, N,
        FEATURE_SIZE), `centres` (B, N, 2) in page widths, `hops` (B, N, N) integers, `sides` (B, N,
        4) the neighbours on each side (see graph.nearest_on_sides), `mask` (B, N) true where there
        is an entity.
        """
        text = self.encoder(rows, offsets).view(*mask.shape, -1)
        x = self.norm(self.from_text(text) + self.from_layout(features))
        if self.from_sides is not None:
            x = x + self.from_sides(beside(x, sides))
        hops = hops.long()
        biases = (
            self.bias(hops, self.directions(centres), mask)
            if self.bias is not None
            else (None,) * len(self.blocks)
        )
        for block, bias in zip(self.blocks, biases, strict=True):
            x = block(x, hops, bias)
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


def beside(x: Tensor, sides: Tensor) -> Tensor:
    """Of x (B, N, d), the vectors of the neighbours on the four sides after one another, zeros for
    none, (B, N, 4 d)."""
    batch, n, width = x.shape
    padded = functional.pad(x, (0, 0, 0, 1))  # index -1 is the row of zeros
    at = torch.where(sides < 0, n, sides).flatten(1).unsqueeze(-1).expand(-1, -1, width)
    return padded.gather(1, at).view(batch, n, -1)
