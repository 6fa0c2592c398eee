"""Sizes of a small recogniser, and how its weights are meant to be decoded."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from docpipe.errors import ConfigError
from docpipe.parsers.docfusion.config import CropConfig, Size, VisionConfig
from docpipe.stages import ElementKind

KINDS: tuple[ElementKind, ...] = get_args(ElementKind)

Mode = Literal["causal", "bidirectional", "next"]
"""What weights predict: "causal" the tokens of a run of masks, each seeing those before it;
"bidirectional" those of a block of which any may be masked; "next" the token after each."""


class Crops(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a crop of each kind becomes an image; of text, lines one by one if it is a "strip"."""

    text: CropConfig = CropConfig((32, 384), "strip", 64)
    formula: CropConfig = CropConfig((64, 384), "corner", 64)
    table: CropConfig = CropConfig((128, 384), "corner", 64)
    diagram: CropConfig = CropConfig((128, 384), "corner", 64)


class PaBdmConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole model.

    Features are put together `merge` (down, across) at a time to one image token, as the paper's
    backbone does two by two [C]. `block` is the longest run of masks it was trained on, `longest`
    the most tokens of an answer. `pieces` are whole tokens beside the bytes. `ctc_frames` > 0 adds,
    for training only, a head that reads so many pieces of text off each column of image tokens [D].
    """

    vision: VisionConfig
    pieces: tuple[str, ...] = ()
    merge: Size = (2, 1)
    width: int = 192
    layers: int = 4
    heads: int = 4
    feed_forward: int = 512
    longest: int = 512
    block: int = 16
    mode: Mode = "causal"
    crops: Crops = Crops()
    ctc_frames: int = 0

    def __post_init__(self) -> None:
        if self.width % (2 * self.heads):
            raise ConfigError(f"width {self.width} is no even multiple of {self.heads} heads")
        if min(self.block, self.layers) < 1:
            raise ConfigError("block and layers must be at least 1")
        for kind in KINDS:
            size = self.crop(kind).size
            rows, columns = self.vision.map_size(size)
            if max(rows, columns) > self.vision.grid:
                raise ConfigError(f"a {kind} of {size} has more features than the grid")

    def crop(self, kind: ElementKind) -> CropConfig:
        found: CropConfig = getattr(self.crops, kind)
        return found
