"""What a loaded model reads off crops, by the decoding that fits its weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from docpipe.errors import ConfigError
from docpipe.parsers.docfusion.config import Size
from docpipe.parsers.docfusion.reading import (
    DENSEST,
    Reading,
    by_size,
    checked_device,
    mean_probability,
    read_lines,
)
from docpipe.parsers.pabdm.config import Mode, PaBdmConfig
from docpipe.parsers.pabdm.decode import Generated, decode
from docpipe.parsers.pabdm.policies import FixedBlocks, NextToken, Policy, Prefixes
from docpipe.parsers.pabdm.vision import pixels_of
from docpipe.parsers.pabdm.vocabulary import Tokens
from docpipe.parsers.pabdm.weights import load, shipped
from docpipe.stages import ElementKind

if TYPE_CHECKING:
    from PIL import Image


def policy_for(mode: Mode, block: int, tau: float) -> Policy:
    """How weights of this mode are decoded, unless one wants to compare."""
    match mode:
        case "causal":
            return Prefixes(block, tau)
        case "bidirectional":
            return FixedBlocks(block, tau, causal=False, apart=False)
        case "next":
            return NextToken()


def longest_answer(config: PaBdmConfig, kind: ElementKind, size: Size) -> int:
    """The most tokens that are read off images of this `size` (height, width) in pixels: a line has
    only so many a column of image tokens, whatever a poor model makes of it."""
    if config.crop(kind).fit != "strip":
        return config.longest
    _, columns = config.vision.map_size(size)
    return min(config.longest, DENSEST * columns)


class Reader:
    """The model in the folder `weights`, or the small one of the package.

    `block` is the size of a window, at most and by default what it was trained on; `tau` the least
    probability of a token that is kept together with others: more is slower and surer, above 1 is
    token by token [P: 0.95]. Weights for next-token decoding have use for neither. `device` is a
    torch device.
    """

    def __init__(
        self,
        weights: Path | None,
        *,
        block: int | None = None,
        tau: float = 0.95,
        device: str = "cpu",
    ) -> None:
        self._device = checked_device(device)
        self.model = load(weights or shipped(), device)
        config = self.model.config
        if block is not None and not 1 <= block <= config.block:
            raise ConfigError(f"block must be from 1 to {config.block}, not {block}")
        self.policy = policy_for(config.mode, block or config.block, tau)
        self._tokens = Tokens(config.pieces)

    def read(self, crops: Sequence[Image.Image], kind: ElementKind) -> list[Reading]:
        """What crops of one kind say: text with its line breaks, LaTeX, or a diagram's source."""
        crop = self.model.config.crop(kind)
        if crop.fit == "strip":
            widest = crop.size[1] / crop.size[0]
            return read_lines(crops, widest, lambda images: self._readings(images, kind))
        return self._readings(crops, kind)

    def _readings(self, images: Sequence[Image.Image], kind: ElementKind) -> list[Reading]:
        pixels = [pixels_of(image, self.model.config.crop(kind)) for image in images]
        outputs = by_size(pixels, lambda batch: self._decode(batch, kind))
        return [
            Reading(self._tokens.decode(out.ids), mean_probability(out.scores), out.complete)
            for out in outputs
        ]

    def _decode(self, pixels: Tensor, kind: ElementKind) -> list[Generated]:
        prompt = torch.tensor([self._tokens.prompt(kind)] * len(pixels))
        longest = longest_answer(self.model.config, kind, (pixels.shape[2], pixels.shape[3]))
        context = self.model.context(pixels.to(self._device), prompt.to(self._device))
        return decode(context, self.policy, longest).answers
