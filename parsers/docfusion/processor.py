"""Images as the model takes them: a page squashed, a crop shrunk or scaled onto white.

Pages are squashed to the model's size whatever their form; crops are shrunk, never enlarged, and
put in the middle of white [C]. Pixels are normalised with ImageNet's means and deviations [C]. The
other ways to fit a crop are docpipe's own [D], see `CropConfig`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from docpipe.geometry import BBox
from docpipe.parsers.docfusion.config import CropConfig, DocFusionConfig, Task

_MEAN = (0.485, 0.456, 0.406)
_DEVIATION = (0.229, 0.224, 0.225)


class Processor:
    def __init__(self, config: DocFusionConfig) -> None:
        self._config = config

    def image(self, image: Image.Image, task: Task) -> Tensor:
        """Normalised pixels (3, height, width) of a page or a crop."""
        if task == "layout":
            height, width = self._config.page
            squashed = image.convert("RGB").resize((width, height), Image.Resampling.BICUBIC)
            return normalised(squashed)
        crop: CropConfig = getattr(self._config.crops, task)
        return normalised(fitted(image.convert("RGB"), crop))


class Fit(NamedTuple):
    """How a crop becomes an image: its size once scaled, that of the image, and where in it."""

    scale: tuple[float, float]
    scaled: tuple[int, int]
    size: tuple[int, int]
    place: tuple[int, int]

    def box(self, box: BBox) -> tuple[float, float, float, float]:
        """x0 y0 x1 y1 in the image of a box in the crop."""
        (across, down), (left, top) = self.scale, self.place
        return (
            left + box.x0 * across,
            top + box.y0 * down,
            left + box.x1 * across,
            top + box.y1 * down,
        )


def fit(width: int, height: int, crop: CropConfig) -> Fit:
    """Of a crop of this size; all sizes are (width, height)."""
    high, wide = crop.size
    if crop.fit == "strip":
        scaled = (min(max(1, round(width * high / height)), wide), high)
        size, place = (_up(scaled[0], crop.step, wide), high), (0, 0)
    else:
        scale = min(1.0, wide / width, high / height)
        scaled = (max(1, round(width * scale)), max(1, round(height * scale)))
        size, place = (wide, high), ((wide - scaled[0]) // 2, (high - scaled[1]) // 2)
        if crop.fit == "corner":
            size, place = (_up(scaled[0], crop.step, wide), _up(scaled[1], crop.step, high)), (0, 0)
    return Fit((scaled[0] / width, scaled[1] / height), scaled, size, place)


def fitted(image: Image.Image, crop: CropConfig) -> Image.Image:
    """The image on white as `crop` says."""
    to = fit(image.width, image.height, crop)
    resample = Image.Resampling.BICUBIC if crop.fit == "strip" else Image.Resampling.LANCZOS
    if to.scaled != image.size:
        image = image.resize(to.scaled, resample)
    sheet = Image.new("RGB", to.size, "white")
    sheet.paste(image, to.place)
    return sheet


def normalised(image: Image.Image) -> Tensor:
    """(3, height, width) of an RGB image."""
    pixels = torch.from_numpy(np.array(image, dtype=np.float32)).permute(2, 0, 1) / 255.0
    return (pixels - torch.tensor(_MEAN).view(3, 1, 1)) / torch.tensor(_DEVIATION).view(3, 1, 1)


def _up(length: int, step: int, most: int) -> int:
    return min(-(-length // step) * step, most)
