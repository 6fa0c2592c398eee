"""The vision tower: attention in windows and attention over channels by turns.

Four stages by the paper's configuration [C]; each is a strided convolution, then `depth` pairs of a
spatial and a channel block. Attribute names are those of the public checkpoint.

Shapes: B images, H x W positions, C channels; everything between blocks is (B, H, W, C).
"""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import Tensor, nn
from torch.nn import functional

from docpipe.parsers.docfusion.config import VisionConfig


class PatchEmbed(nn.Module):
    """Strided convolution with layer norm before (`prenorm`) or after it."""

    def __init__(self, config: VisionConfig, stage: int) -> None:
        super().__init__()
        before = config.dims[stage - 1] if stage else 3
        dim = config.dims[stage]
        self.prenorm = config.prenorm[stage]
        self.proj = nn.Conv2d(
            before, dim, config.kernels[stage], config.strides[stage], config.paddings[stage]
        )
        self.norm = nn.LayerNorm(before if self.prenorm else dim)

    def forward(self, x: Tensor) -> Tensor:
        if self.prenorm:
            x = self.norm(x)
        x = self.proj(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        return x if self.prenorm else self.norm(x)


class Depthwise(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dw = nn.Conv2d(dim, dim, 3, padding=1, groups=dim)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.dw(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        return out


class WindowAttention(nn.Module):
    """Self-attention inside windows that do not overlap, without position bias.

    Maps are padded with zeros at the right and the bottom to whole windows [C]. Where a map is
    lower than a window, the window is as low as the map and wider by as much [D].
    """

    def __init__(self, dim: int, heads: int, window: int) -> None:
        super().__init__()
        self.heads = heads
        self.window = window
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        batch, height, width, dim = x.shape
        high = min(self.window, height)
        wide = min(self.window**2 // high, width) if high < self.window else self.window
        x = functional.pad(x, (0, 0, 0, -width % wide, 0, -height % high))
        rows, columns = x.shape[1] // high, x.shape[2] // wide
        x = (
            x.view(batch, rows, high, columns, wide, dim)
            .transpose(2, 3)
            .reshape(batch * rows * columns, high * wide, dim)
        )
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        x = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        x = self.proj(x).view(batch, rows, columns, high, wide, dim).transpose(2, 3)
        x = x.reshape(batch, rows * high, columns * wide, dim)
        return x[:, :height, :width]


class ChannelAttention(nn.Module):
    """Attention of channels to channels of their group: softmax(q' k / sqrt(N)) over N places."""

    def __init__(self, dim: int, groups: int) -> None:
        super().__init__()
        self.groups = groups
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        batch, height, width, dim = x.shape
        places = height * width
        qkv = self.qkv(x).view(batch, places, 3, self.groups, dim // self.groups)
        q, k, v = qkv.permute(2, 0, 3, 4, 1)  # each (B, groups, channels of one, places)
        mixed = ((q @ k.transpose(-1, -2)) * places**-0.5).softmax(-1) @ v
        out: Tensor = self.proj(mixed.permute(0, 3, 1, 2).reshape(batch, height, width, dim))
        return out


class Mlp(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        layers = [
            ("fc1", nn.Linear(dim, 4 * dim)),
            ("act", nn.GELU()),
            ("fc2", nn.Linear(4 * dim, dim)),
        ]
        self.net = nn.Sequential(OrderedDict(layers))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.net(x)
        return out


class Residual(nn.Module):
    """x + fn(norm(x)), with stochastic depth where `drop` > 0; no norm around convolutions."""

    def __init__(self, fn: nn.Module, dim: int = 0, drop: float = 0.0) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim) if dim else None
        self.fn = fn
        self.drop = drop

    def forward(self, x: Tensor) -> Tensor:
        change: Tensor = self.fn(x if self.norm is None else self.norm(x))
        if self.training and self.drop:
            keep = torch.rand(len(x), 1, 1, 1, device=x.device) >= self.drop
            change = change * keep / (1 - self.drop)
        return x + change


class SpatialBlock(nn.Module):
    def __init__(self, dim: int, heads: int, window: int, drop: float) -> None:
        super().__init__()
        self.conv1 = Residual(Depthwise(dim))
        self.window_attn = Residual(WindowAttention(dim, heads, window), dim, drop)
        self.conv2 = Residual(Depthwise(dim))
        self.ffn = Residual(Mlp(dim), dim, drop)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.ffn(self.conv2(self.window_attn(self.conv1(x))))
        return out


class ChannelBlock(nn.Module):
    def __init__(self, dim: int, groups: int, drop: float) -> None:
        super().__init__()
        self.conv1 = Residual(Depthwise(dim))
        self.channel_attn = Residual(ChannelAttention(dim, groups), dim, drop)
        self.conv2 = Residual(Depthwise(dim))
        self.ffn = Residual(Mlp(dim), dim, drop)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.ffn(self.conv2(self.channel_attn(self.conv1(x))))
        return out


class Pair(nn.Module):
    """A spatial and a channel block; `drops` are their drop rates."""

    def __init__(self, dim: int, heads: int, window: int, drops: tuple[float, float]) -> None:
        super().__init__()
        self.spatial_block = SpatialBlock(dim, heads, window, drops[0])
        self.channel_block = ChannelBlock(dim, heads, drops[1])

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.channel_block(self.spatial_block(x))
        return out


class DaViT(nn.Module):
    """Normalised pixels (B, 3, height, width) to features (B, rows, columns, last dim)."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        total = 2 * sum(config.depths)
        drops = [config.drop_path * at / max(total - 1, 1) for at in range(total)]
        pairs = iter(zip(drops[::2], drops[1::2], strict=True))
        stages = range(len(config.dims))
        self.convs = nn.ModuleList(PatchEmbed(config, stage) for stage in stages)
        self.blocks = nn.ModuleList(
            nn.ModuleList(
                Pair(config.dims[stage], config.heads[stage], config.window, next(pairs))
                for _ in range(config.depths[stage])
            )
            for stage in stages
        )

    def forward(self, pixels: Tensor) -> Tensor:
        x = pixels.permute(0, 2, 3, 1)
        for conv, blocks in zip(self.convs, self.blocks, strict=True):
            x = conv(x)
            for block in blocks:  # type: ignore[attr-defined]
                x = block(x)
        return x
