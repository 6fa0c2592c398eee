"""Small models for tests."""

from __future__ import annotations

from typing import Any

import msgspec
import torch
from torch import Tensor

from docpipe.parsers.pabdm.backbone import Backbone
from docpipe.parsers.pabdm.config import PaBdmConfig
from docpipe.parsers.pabdm.model import PaBdm
from docpipe.parsers.pabdm.presets import tiny
from docpipe.parsers.pabdm.vocabulary import Tokens

PIECES = (r"\frac{", " & ", r" \\ ", r"\begin{tabular}{", r"\end{tabular}")


def small_config(**changes: Any) -> PaBdmConfig:
    vision = msgspec.structs.replace(tiny().vision, dims=(8, 8, 16), heads=(1, 1, 2))
    sizes: dict[str, Any] = {"width": 16, "layers": 2, "heads": 2, "feed_forward": 24}
    return PaBdmConfig(vision=vision, pieces=PIECES, **(sizes | {"block": 4} | changes))


def small_model(seed: int = 0, sharp: float = 1.0, **changes: Any) -> PaBdm:
    """With `sharp` scores, it is sure of some tokens."""
    torch.manual_seed(seed)
    model = PaBdm(small_config(**changes)).eval()
    with torch.no_grad():
        model.head.weight.mul_(sharp)
    return model


def inputs(model: PaBdm, rows: int = 2, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Pixels and a prompt."""
    chance = torch.Generator().manual_seed(seed)
    prompt = torch.tensor([Tokens(PIECES).prompt("text")] * rows)
    return torch.randn(rows, 3, 32, 64, generator=chance), prompt


def embedded(model: Backbone, ids: Tensor) -> Tensor:
    """Of an answer from its first token on."""
    return model.embed(ids, torch.arange(ids.shape[1]).expand_as(ids))
