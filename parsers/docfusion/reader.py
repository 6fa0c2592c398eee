"""What a loaded model reads: the layout of a page, the contents of crops."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from docpipe.errors import ConfigError, ModelError
from docpipe.geometry import BBox
from docpipe.parsers.docfusion.codec import Codec
from docpipe.parsers.docfusion.config import CropConfig, Task
from docpipe.parsers.docfusion.generate import Generated, Rule, generate, layout_rule
from docpipe.parsers.docfusion.lines import pieces
from docpipe.parsers.docfusion.processor import Processor
from docpipe.parsers.docfusion.weights import load

if TYPE_CHECKING:
    from PIL import Image

_PIXELS = 1_500_000  # of a batch: the activations of the full model then stay below 1 GiB
_MOST = 64  # images of a batch
_DENSEST = (
    4  # tokens a column of image tokens: a line has no more, whatever a poor model makes of it
)


class Block(NamedTuple):
    """Something on a page, in the units of its size; confidence from 0 to 1."""

    label: str
    bbox: BBox
    confidence: float


class Reading(NamedTuple):
    """What a crop says. `complete` is false where the longest output cut it off.

    `parts` are the pieces of lines that were read by themselves, with their boxes in pixels of the
    crop; none where it was read as a whole.
    """

    text: str
    confidence: float
    complete: bool
    parts: tuple[tuple[str, BBox], ...] = ()


class Reader:
    """The model in the folder `weights`.

    `beams` is the width of the search, 1 being the fastest [C: 3]. `device` is a torch device.
    """

    def __init__(self, weights: Path | None, *, device: str = "cpu", beams: int = 3) -> None:
        if weights is None:
            raise ModelError(
                "DocFusion needs weights, and docpipe ships none",
                hint="set weights to a folder with config.json and model.safetensors: the public "
                "checkpoint sc22mc/DocFusion, or one you trained",
            )
        if beams < 1:
            raise ConfigError(f"beams must be at least 1, not {beams}")
        self._device = _checked(device)
        self._model, vocabulary = load(weights, device)
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
                _mean([output.scores[at] for at in found.positions]),
            )
            for found in self._codec.read_layout(output.ids)
        ]

    def read(self, crops: Sequence[Image.Image], task: Task) -> list[Reading]:
        """What crops of one kind say: text with its line breaks, or LaTeX."""
        crop: CropConfig = getattr(self.config.crops, task)
        if crop.fit == "strip":
            return self._read_lines(crops, task, crop.size[1] / crop.size[0])
        return [self._reading(output) for output in self._outputs(crops, task)]

    def _read_lines(self, crops: Sequence[Image.Image], task: Task, widest: float) -> list[Reading]:
        """Crops cut into pieces of lines, and the texts of these put together."""
        parts = [pieces(crop, widest) for crop in crops]
        images = [piece.image for part in parts for piece in part]
        readings = iter([self._reading(output) for output in self._outputs(images, task)])
        whole: list[Reading] = []
        for part in parts:
            lines: dict[int, str] = {}
            own = [next(readings) for _ in part]
            for piece, reading in zip(part, own, strict=True):
                before = lines.get(piece.line, "")
                between = " " if before and not piece.is_glued else ""
                lines[piece.line] = (before + between + reading.text.strip()).strip()
            text = "\n".join(lines.values())
            boxes = tuple(
                (reading.text.strip(), piece.bbox) for piece, reading in zip(part, own, strict=True)
            )
            complete = all(reading.complete for reading in own)
            whole.append(Reading(text, _weighted(own), complete, boxes))
        return whole

    def _reading(self, output: Generated) -> Reading:
        text = self._codec.read_text(output.ids)
        return Reading(text, _mean(output.scores), output.complete)

    def _outputs(
        self, images: Sequence[Image.Image], task: Task, rule: Rule | None = None
    ) -> list[Generated]:
        """Outputs in the order of `images`; those of one size are read together."""
        groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
        pixels = [self._processor.image(image, task) for image in images]
        for at, image in enumerate(pixels):
            groups[tuple(image.shape)].append(at)
        outputs: dict[int, Generated] = {}
        for shape, group in groups.items():
            most = max(1, min(_MOST, _PIXELS // (shape[1] * shape[2])))
            for start in range(0, len(group), most):
                batch = group[start : start + most]
                found = self._generate(torch.stack([pixels[at] for at in batch]), task, rule)
                outputs |= zip(batch, found, strict=True)
        return [outputs[at] for at in range(len(images))]

    def _generate(self, pixels: Tensor, task: Task, rule: Rule | None) -> list[Generated]:
        prompt = torch.tensor([self._codec.vocabulary.prompt(task)] * len(pixels))
        longest = self.config.text.targets
        if task != "layout" and getattr(self.config.crops, task).fit == "strip":
            _, columns = self.config.vision.map_size((pixels.shape[2], pixels.shape[3]))
            longest = min(longest, _DENSEST * columns)
        return generate(
            self._model,
            pixels.to(self._device),
            prompt.to(self._device),
            longest=longest,
            beams=self._beams,
            rule=rule,
        )


def _mean(scores: Sequence[float]) -> float:
    """The geometric mean of probabilities given by their logarithms; 0 of none. Rounded, for a
    batch changes the last digits."""
    return round(min(math.exp(sum(scores) / len(scores)), 1.0), 3) if scores else 0.0


def _weighted(readings: Sequence[Reading]) -> float:
    """The mean confidence by characters."""
    total = sum(len(reading.text) for reading in readings)
    share = sum(len(reading.text) * reading.confidence for reading in readings)
    return round(share / total, 3) if total else 0.0


def _checked(device: str) -> str:
    """`device` if torch has it here. Raises ConfigError."""
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:  # AssertionError: built without CUDA
        raise ConfigError(f"device {device!r} cannot be used: {error}", hint='try "cpu"') from error
    return device
