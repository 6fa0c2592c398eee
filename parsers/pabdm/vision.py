"""Crops as image tokens.

Module names are those of DocFusion's model, whose weights fit (see weights.vision_state).
Shapes: B images, N image tokens, row by row, d width.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from PIL import Image
from torch import Tensor, nn
from torch.nn import functional

from docpipe.parsers.docfusion.config import CropConfig
from docpipe.parsers.docfusion.davit import DaViT
from docpipe.parsers.docfusion.model import PositionTables, sinusoids
from docpipe.parsers.docfusion.processor import fitted, normalised
from docpipe.parsers.pabdm.config import PaBdmConfig


class Seen(NamedTuple):
    """`tokens` (B, N, d); `frames` (B, columns x ctc_frames, classes) if the model has any."""

    tokens: Tensor
    frames: Tensor | None


class Vision(nn.Module):
    """DaViT, positions in two dimensions, features merged and projected to the decoder's width.

    The paper's backbone has a ViT whose patches are merged two by two [C]; the tower is docpipe's
    choice [D].
    """

    def __init__(self, config: PaBdmConfig, classes: int) -> None:
        super().__init__()
        dim = config.vision.dims[-1]
        self.classes, self.merge = classes, config.merge
        self.vision_tower = DaViT(config.vision)
        self.image_pos_embed = PositionTables(config.vision.grid, dim)
        self.image_projection = nn.Parameter(
            torch.empty(math.prod(config.merge) * dim, config.width)
        )
        self.image_proj_norm = nn.LayerNorm(config.width)
        self.ctc_head = (
            nn.Linear(config.width, config.ctc_frames * classes) if config.ctc_frames else None
        )
        self._initialise()

    def forward(self, pixels: Tensor) -> Seen:
        """Of normalised `pixels` (B, 3, height, width)."""
        features = self.vision_tower(pixels)
        batch, rows, columns, _ = features.shape
        merged = self._merged(features + self.image_pos_embed(rows, columns))
        tokens = self.image_proj_norm(merged @ self.image_projection)
        frames: Tensor | None = None
        if self.ctc_head is not None:
            frames = self.ctc_head(tokens.mean(1)).reshape(batch, -1, self.classes)
        return Seen(tokens.flatten(1, 2), frames)

    def _merged(self, features: Tensor) -> Tensor:
        """(B, rows, columns, C) to (B, rows / down, columns / across, down across C), filled up
        with zeros where a row or column is lacking."""
        down, across = self.merge
        rows, columns = features.shape[1:3]
        x = functional.pad(features, (0, 0, 0, -columns % across, 0, -rows % down))
        batch, high, wide, dim = x.shape
        x = x.view(batch, high // down, down, wide // across, across, dim)
        return x.transpose(2, 3).flatten(3)

    @torch.no_grad()
    def _initialise(self) -> None:
        for axis in (self.image_pos_embed.row_embeddings, self.image_pos_embed.column_embeddings):
            axis.weight.copy_(sinusoids(*axis.weight.shape))
        nn.init.normal_(self.image_projection, std=self.image_projection.shape[0] ** -0.5)


def pixels_of(image: Image.Image, crop: CropConfig) -> Tensor:
    """Normalised pixels (3, height, width) of a crop."""
    return normalised(fitted(image.convert("RGB"), crop))
