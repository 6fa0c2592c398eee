"""Images as the model takes them: a page squashed, a crop shrunk or scaled onto white.

Pages are squashed to the model's size whatever their form; crops are shrunk, never enlarged, and
put in the middle of white [C]. Pixels are normalised with ImageNet's means and deviations [C]. The
other ways to fit a crop are docpipe's own [D], see `CropConfig`.
"""

from __future__ import annotations

import numpy as np
import torch
from PIL import Image
from torch import Tensor

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


def fitted(image: Image.Image, crop: CropConfig) -> Image.Image:
    """The image on white as `crop` says."""
    height, width = crop.size
    if crop.fit == "strip":
        scaled = (min(max(1, round(image.width * height / image.height)), width), height)
        image = image.resize(scaled, Image.Resampling.BICUBIC)
        return _on_white(image, (_up(image.width, crop.step, width), height), (0, 0))
    scale = min(1.0, width / image.width, height / image.height)
    if scale < 1.0:
        small = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        image = image.resize(small, Image.Resampling.LANCZOS)
    if crop.fit == "corner":
        filled = (_up(image.width, crop.step, width), _up(image.height, crop.step, height))
        return _on_white(image, filled, (0, 0))
    place = ((width - image.width) // 2, (height - image.height) // 2)
    return _on_white(image, (width, height), place)


def normalised(image: Image.Image) -> Tensor:
    """(3, height, width) of an RGB image."""
    pixels = torch.from_numpy(np.array(image, dtype=np.float32)).permute(2, 0, 1) / 255.0
    return (pixels - torch.tensor(_MEAN).view(3, 1, 1)) / torch.tensor(_DEVIATION).view(3, 1, 1)


def _up(length: int, step: int, most: int) -> int:
    return min(-(-length // step) * step, most)


def _on_white(image: Image.Image, size: tuple[int, int], place: tuple[int, int]) -> Image.Image:
    sheet = Image.new("RGB", size, "white")
    sheet.paste(image, place)
    return sheet
