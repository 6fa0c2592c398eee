"""What a loaded model reads: the layout of a page, the contents of crops."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.parsers.docfusion.codec import Codec
from docpipe.parsers.docfusion.config import CropConfig, Task
from docpipe.parsers.docfusion.generate import Generated, Rule, generate, layout_rule
from docpipe.parsers.docfusion.processor import Processor
from docpipe.parsers.docfusion.reading import (
    DENSEST,
    Reading,
    by_size,
    checked_device,
    mean_probability,
    read_lines,
)
from docpipe.parsers.docfusion.weights import load, shipped

if TYPE_CHECKING:
    from PIL import Image


class Block(NamedTuple):
    """Something on a page, in the units of its size; confidence from 0 to 1."""

    label: str
    bbox: BBox
    confidence: float


class Reader:
    """The model in the folder `weights`, else the small one in the package.

    `beams` is the width of the search, 1 being the fastest [C: 3]. `device` is a torch device.
    """

    def __init__(self, weights: Path | None, *, device: str = "cpu", beams: int = 3) -> None:
        if beams < 1:
            raise ConfigError(f"beams must be at least 1, not {beams}")
        self._device = checked_device(device)
        self._model, vocabulary = load(weights or shipped(), device)
        self.config = self._model.config
        self._codec = Codec(self.config, vocabulary)
        self._processor = Processor(self.config)
        self._rule = layout_rule(self.config)
        self._beams = beams

    def layout(self, page: Image.Image, width: float, height: float) -> list[Block]:
        """What stands on a page, boxes in the units of `width` and `height`; in the order that the
        model names it. Only outputs that are layouts are searched, and a box's confidence is the
        mean probability of its tokens [D]: the paper has neither."""
        [output] = self._outputs([page], "layout", self._rule)
        return [
            Block(
                found.label,
                self._codec.dequantise(found.bins, width, height),
                mean_probability([output.scores[at] for at in found.positions]),
            )
            for found in self._codec.read_layout(output.ids)
        ]

    def read(self, crops: Sequence[Image.Image], task: Task) -> list[Reading]:
        """What crops of one kind say: text with its line breaks, or LaTeX."""
        crop: CropConfig = getattr(self.config.crops, task)
        if crop.fit == "strip":
            widest = crop.size[1] / crop.size[0]
            return read_lines(crops, widest, lambda images: self._readings(images, task))
        return self._readings(crops, task)

    def _readings(self, images: Sequence[Image.Image], task: Task) -> list[Reading]:
        return [self._reading(output) for output in self._outputs(images, task)]

    def _reading(self, output: Generated) -> Reading:
        text = self._codec.read_text(output.ids)
        return Reading(text, mean_probability(output.scores), output.complete)

    def _outputs(
        self, images: Sequence[Image.Image], task: Task, rule: Rule | None = None
    ) -> list[Generated]:
        pixels = [self._processor.image(image, task) for image in images]
        return by_size(pixels, lambda batch: self._generate(batch, task, rule))

    def _generate(self, pixels: Tensor, task: Task, rule: Rule | None) -> list[Generated]:
        prompt = torch.tensor([self._codec.vocabulary.prompt(task)] * len(pixels))
        longest = self.config.text.targets
        if task != "layout" and getattr(self.config.crops, task).fit == "strip":
            _, columns = self.config.vision.map_size((pixels.shape[2], pixels.shape[3]))
            longest = min(longest, DENSEST * columns)
        return generate(
            self._model,
            pixels.to(self._device),
            prompt.to(self._device),
            longest=longest,
            beams=self._beams,
            rule=rule,
        )
