"""The decoder: BART's, with keys and values kept from one step to the next.

Attribute names are those of the public checkpoint. Shapes: B sequences, T tokens, S source
positions, H heads, d width.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from docpipe.parsers.docfusion.config import TextConfig

OFFSET = 2  # rows of BART's position tables that no position uses


class Keys(NamedTuple):
    """Keys and values of one attention, (B, H, T, d / H) each."""

    keys: Tensor
    values: Tensor

    def select(self, rows: Tensor) -> Keys:
        return Keys(self.keys[rows], self.values[rows])


class Cache(NamedTuple):
    """What decoding goes on from: by layer, keys of the images and of the tokens so far.

    There may be several sequences of tokens for each image, one after the other: the beams of a
    search share the keys of their image.
    """

    image: list[Keys]
    tokens: list[Keys]

    @property
    def length(self) -> int:
        """Number of tokens so far."""
        return self.tokens[0].keys.shape[2] if self.tokens else 0

    def select(self, rows: Tensor, *, image: bool = True) -> Cache:
        """The cache of these sequences, and with `image` of these images."""
        kept = [keys.select(rows) for keys in self.image] if image else self.image
        return Cache(kept, [keys.select(rows) for keys in self.tokens])


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.k_proj = nn.Linear(width, width)
        self.v_proj = nn.Linear(width, width)
        self.q_proj = nn.Linear(width, width)
        self.out_proj = nn.Linear(width, width)

    def keys(self, x: Tensor) -> Keys:
        keys, values = self._split(self.k_proj(x)), self._split(self.v_proj(x))
        return Keys(keys.contiguous(), values.contiguous())  # read at every step: twice as fast

    def forward(self, x: Tensor, given: Keys, *, causal: bool = False) -> Tensor:
        """(B, T, d). With `causal`, x are the last T of the given positions."""
        query = self._split(self.q_proj(x))
        mask = None
        if causal and query.shape[2] > 1:
            steps, total = query.shape[2], given.keys.shape[2]
            mask = torch.ones(steps, total, dtype=torch.bool, device=x.device)
            mask = mask.tril(total - steps)
        mixed = functional.scaled_dot_product_attention(
            query,
            given.keys,
            given.values,
            attn_mask=mask,
            dropout_p=self.dropout if self.training else 0.0,
        )
        out: Tensor = self.out_proj(mixed.transpose(1, 2).flatten(2))
        return out

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)


class DecoderLayer(nn.Module):
    """Post-norm: causal self-attention, attention to the image, perceptron."""

    def __init__(self, config: TextConfig) -> None:
        super().__init__()
        width = config.width
        self.self_attn = Attention(width, config.heads, config.dropout)
        self.self_attn_layer_norm = nn.LayerNorm(width)
        self.encoder_attn = Attention(width, config.heads, config.dropout)
        self.encoder_attn_layer_norm = nn.LayerNorm(width)
        self.fc1 = nn.Linear(width, config.feed_forward)
        self.fc2 = nn.Linear(config.feed_forward, width)
        self.final_layer_norm = nn.LayerNorm(width)
        self.drop = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, image: Keys, before: Keys | None) -> tuple[Tensor, Keys]:
        """The tokens' new states (B, T, d), and the keys of all tokens so far. `image` has the
        keys of B images, or of fewer that have several sequences each."""
        keys = self.self_attn.keys(x)
        if before is not None:
            keys = Keys(
                torch.cat((before.keys, keys.keys), 2), torch.cat((before.values, keys.values), 2)
            )
        x = self.self_attn_layer_norm(x + self.drop(self.self_attn(x, keys, causal=True)))
        images = x.reshape(len(image.keys), -1, x.shape[-1])
        seen = self.encoder_attn(images, image).view_as(x)
        x = self.encoder_attn_layer_norm(x + self.drop(seen))
        change = self.fc2(self.drop(functional.gelu(self.fc1(x))))
        x = self.final_layer_norm(x + self.drop(change))
        return x, keys


class Decoder(nn.Module):
    def __init__(self, config: TextConfig, table: nn.Embedding) -> None:
        super().__init__()
        self.embed_tokens = table
        self.embed_positions = nn.Embedding(config.targets + OFFSET, config.width)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.layers))
        self.layernorm_embedding = nn.LayerNorm(config.width)
        self.drop = nn.Dropout(config.dropout)

    def start(self, source: Tensor) -> Cache:
        """The cache of an empty target for `source` (B, S, d)."""
        return Cache([layer.encoder_attn.keys(source) for layer in self._layers()], [])

    def forward(self, ids: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        """States (B, T, d) of the tokens `ids` (B, T) that follow those in `cache`."""
        first = cache.length
        places = torch.arange(first, first + ids.shape[1], device=ids.device) + OFFSET
        x = self.embed_tokens(ids) + self.embed_positions(places)
        x = self.drop(self.layernorm_embedding(x))
        tokens: list[Keys] = []
        for at, layer in enumerate(self._layers()):
            x, keys = layer(x, cache.image[at], cache.tokens[at] if cache.tokens else None)
            tokens.append(keys)
        return x, Cache(cache.image, tokens)

    def _layers(self) -> list[DecoderLayer]:
        return list(self.layers)  # type: ignore[arg-type]
