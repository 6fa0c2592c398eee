"""Small models for tests."""

from __future__ import annotations

import msgspec
import torch

from docpipe.parsers.docfusion.config import (
    CropConfig,
    Crops,
    DocFusionConfig,
    TextConfig,
    VisionConfig,
)
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.presets import tiny
from docpipe.parsers.docfusion.vocabulary import ByteVocabulary

PIECES = (r"\frac{", " & ", r" \\ ")
LABELS = ("Text", "Table", "Math")
SIZE = ByteVocabulary(PIECES, LABELS).size
BINS = 40


def small_config(**changes: object) -> DocFusionConfig:
    """The paper's form at a fraction of its size: four stages, windows that need padding."""
    crop = CropConfig((64, 64), "center", 64)
    config = DocFusionConfig(
        vision=VisionConfig(
            dims=(8, 8, 16, 16), depths=(1, 1, 2, 1), heads=(1, 2, 2, 4), window=2, grid=8
        ),
        text=TextConfig(
            vocabulary=SIZE + BINS,
            width=16,
            layers=2,
            heads=2,
            feed_forward=24,
            sources=60,
            targets=60,
            separate=(),
        ),
        bins=BINS,
        first_bin=SIZE,
        tokens="bytes",
        pieces=PIECES,
        labels=LABELS,
        page=(96, 64),
        crops=Crops(crop, crop, crop),
        columns=2,
    )
    return msgspec.structs.replace(config, **changes)


def small_model(config: DocFusionConfig | None = None, seed: int = 0) -> DocFusion:
    """Random weights, larger than fresh ones so that outputs vary."""
    torch.manual_seed(seed)
    model = DocFusion(config or small_config())
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model.eval()


def small_tiny() -> DocFusionConfig:
    """The preset `tiny` made narrow."""
    config = tiny()
    vision = msgspec.structs.replace(config.vision, dims=(8, 16, 16), heads=(1, 2, 2))
    text = msgspec.structs.replace(
        config.text, width=16, layers=1, heads=2, feed_forward=16, targets=24
    )
    return msgspec.structs.replace(config, vision=vision, text=text)


def pixels(config: DocFusionConfig, count: int = 2, seed: int = 1) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, 3, *config.page, generator=generator)
