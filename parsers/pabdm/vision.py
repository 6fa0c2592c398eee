"""Crops as image tokens.

Module names are those of DocFusion's model, whose weights fit (see weights.vision_of).
Shapes: B images, N = rows x columns image tokens, d width.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from PIL import Image
from torch import Tensor, nn

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
    """DaViT, positions in two dimensions, and a projection to the width of the language side.

    The paper's backbone has a ViT whose patches are merged two by two [C]; this one is docpipe's
    [D].
    """

    def __init__(self, config: PaBdmConfig, classes: int) -> None:
        super().__init__()
        dim = config.vision.dims[-1]
        self.classes = classes
        self.vision_tower = DaViT(config.vision)
        self.image_pos_embed = PositionTables(config.vision.grid, dim)
        self.image_projection = nn.Parameter(torch.empty(dim, config.width))
        self.image_proj_norm = nn.LayerNorm(config.width)
        self.ctc_head = (
            nn.Linear(config.width, config.ctc_frames * classes) if config.ctc_frames else None
        )
        self._initialise()

    def forward(self, pixels: Tensor) -> Seen:
        """Of normalised `pixels` (B, 3, height, width)."""
        features = self.vision_tower(pixels)
        batch, rows, columns, _ = features.shape
        x = (features + self.image_pos_embed(rows, columns)).flatten(1, 2)
        tokens = self.image_proj_norm(x @ self.image_projection)
        if self.ctc_head is None:
            return Seen(tokens, None)
        scores: Tensor = self.ctc_head(tokens.view(batch, rows, columns, -1).mean(1))
        return Seen(tokens, scores.reshape(batch, -1, self.classes))

    @torch.no_grad()
    def _initialise(self) -> None:
        for axis in (self.image_pos_embed.row_embeddings, self.image_pos_embed.column_embeddings):
            axis.weight.copy_(sinusoids(*axis.weight.shape))
        nn.init.normal_(self.image_projection, std=self.image_projection.shape[0] ** -0.5)


def pixels_of(image: Image.Image, crop: CropConfig) -> Tensor:
    """Normalised pixels (3, height, width) of a crop."""
    return normalised(fitted(image.convert("RGB"), crop))
