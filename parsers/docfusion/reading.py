"""How crops are read by any model: lines one by one, images of one size together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import torch
from PIL import Image
from torch import Tensor

from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.parsers.docfusion.lines import pieces

T = TypeVar("T")

_PIXELS = 1_500_000  # of a batch: the activations of the full model then stay below 1 GiB
_MOST = 64  # images of a batch
DENSEST = 4
"""Tokens a column of image tokens: a line has no more, whatever a poor model makes of it."""


class Reading(NamedTuple):
    """What a crop says. `complete` is false where the longest output cut it off.

    `parts` are the pieces of lines that were read by themselves, with their boxes in pixels of the
    crop; none where it was read as a whole.
    """

    text: str
    confidence: float
    complete: bool
    parts: tuple[tuple[str, BBox], ...] = ()


def read_lines(
    crops: Sequence[Image.Image],
    widest: float,
    read: Callable[[Sequence[Image.Image]], list[Reading]],
) -> list[Reading]:
    """Crops cut into pieces of lines, each at most `widest` times as wide as high, and the texts
    that `read` finds in these put together."""
    parts = [pieces(crop, widest) for crop in crops]
    readings = iter(read([piece.image for part in parts for piece in part]))
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


def by_size(images: Sequence[Tensor], generate: Callable[[Tensor], list[T]]) -> list[T]:
    """Outputs in the order of `images` (3, height, width); those of one size go to `generate`
    together, (B, 3, height, width)."""
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for at, image in enumerate(images):
        groups[tuple(image.shape)].append(at)
    outputs: dict[int, T] = {}
    for shape, group in groups.items():
        most = max(1, min(_MOST, _PIXELS // (shape[1] * shape[2])))
        for start in range(0, len(group), most):
            batch = group[start : start + most]
            found = generate(torch.stack([images[at] for at in batch]))
            outputs |= zip(batch, found, strict=True)
    return [outputs[at] for at in range(len(images))]


def mean_probability(scores: Sequence[float]) -> float:
    """The geometric mean of probabilities given by their logarithms; 0 of none. Rounded, for a
    batch changes the last digits."""
    return round(min(math.exp(sum(scores) / len(scores)), 1.0), 3) if scores else 0.0


def checked_device(device: str) -> str:
    """`device` if torch has it here. Raises ConfigError."""
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:  # AssertionError: built without CUDA
        raise ConfigError(f"device {device!r} cannot be used: {error}", hint='try "cpu"') from error
    return device


def _weighted(readings: Sequence[Reading]) -> float:
    """The mean confidence by characters."""
    total = sum(len(reading.text) for reading in readings)
    share = sum(len(reading.text) * reading.confidence for reading in readings)
    return round(share / total, 3) if total else 0.0
