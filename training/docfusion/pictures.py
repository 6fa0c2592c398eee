"""Samples with what was read off them, as one picture to look at."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from PIL import Image, ImageDraw

from docpipe.datasets.docfusion.samples import LayoutBox, Sample
from docpipe.training.docfusion.metrics import Prediction

_WIDTH = 1200
_HIGHEST = {"layout": 560, "table": 220, "formula": 90, "text": 40}
_LINE = 14
_GOLD, _READ = "green", "red"


def sheet(samples: Sequence[Sample], predictions: Sequence[Prediction]) -> Image.Image:
    """Images below one another, gold in green and what was read in red; pages side by side."""
    tiles = [
        _tile(sample, prediction) for sample, prediction in zip(samples, predictions, strict=True)
    ]
    places: list[tuple[int, int]] = []
    x = y = row = 0
    for tile in tiles:
        if x and x + tile.width > _WIDTH:
            x, y, row = 0, y + row, 0
        places.append((x, y))
        x, row = x + tile.width, max(row, tile.height)
    page = Image.new("RGB", (_WIDTH, max(y + row, 1)), "white")
    for tile, place in zip(tiles, places, strict=True):
        page.paste(tile, place)
    return page


def save_sheet(samples: Sequence[Sample], predictions: Sequence[Prediction], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet(samples, predictions).save(path)


def _tile(sample: Sample, prediction: Prediction) -> Image.Image:
    image = sample.image.copy()
    if sample.task == "layout":
        draw = ImageDraw.Draw(image)
        _outline(draw, sample.boxes, _GOLD)
        _outline(draw, prediction.boxes, _READ)
    image.thumbnail((_WIDTH, _HIGHEST[sample.task]))
    if sample.task == "layout":
        return image
    lines = [
        (text, color) for text, color in zip(_texts(sample, prediction), cycle((_GOLD, _READ)))
    ]
    tile = Image.new("RGB", (_WIDTH, image.height + _LINE * len(lines) + 6), "white")
    tile.paste(image, (0, 0))
    draw = ImageDraw.Draw(tile)
    for number, (text, color) in enumerate(lines):
        draw.text((4, image.height + number * _LINE), text[:200], fill=color)
    return tile


def _texts(sample: Sample, prediction: Prediction) -> tuple[str, str]:
    gold, read = (" / ".join(text.split("\n")) for text in (sample.text, prediction.text))
    return gold, "(as above)" if gold == read else read


def _outline(draw: ImageDraw.ImageDraw, boxes: Sequence[LayoutBox], color: str) -> None:
    for label, box in ((item.label, item.box) for item in boxes):
        draw.rectangle((box.x0, box.y0, box.x1, box.y1), outline=color, width=2)
        draw.text((box.x0 + 2, box.y0 - 1), label, fill=color)
