"""Images as the model takes them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from docpipe.parsers.docfusion.config import CropConfig
from docpipe.parsers.docfusion.presets import full, tiny
from docpipe.parsers.docfusion.processor import Processor, fitted, normalised

BLACK = (0, 0, 0)
CENTER = CropConfig((768, 768), "center", 768)
STRIP = CropConfig((32, 384), "strip", 64)
CORNER = CropConfig((64, 384), "corner", 64)


def ink_box(image: Image.Image) -> tuple[int, int, int, int]:
    rows, columns = np.nonzero(np.asarray(image.convert("L")) < 128)
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


@pytest.mark.parametrize(
    ("size", "crop", "canvas", "box"),
    [
        ((100, 40), CENTER, (768, 768), (334, 364, 434, 404)),  # not enlarged
        ((1536, 384), CENTER, (768, 768), (0, 288, 768, 480)),
        ((200, 64), STRIP, (128, 32), (0, 0, 100, 32)),
        ((20, 16), STRIP, (64, 32), (0, 0, 40, 32)),
        ((4000, 64), STRIP, (384, 32), (0, 0, 384, 32)),
        ((100, 40), CORNER, (128, 64), (0, 0, 100, 40)),
        ((768, 64), CORNER, (384, 64), (0, 0, 384, 32)),
        ((40, 400), CORNER, (64, 64), (0, 0, 6, 64)),
    ],
)
def test_crops_are_fitted_onto_white(
    size: tuple[int, int],
    crop: CropConfig,
    canvas: tuple[int, int],
    box: tuple[int, int, int, int],
) -> None:
    made = fitted(Image.new("RGB", size, BLACK), crop)
    assert made.size == canvas
    assert ink_box(made) == box


def test_pages_are_squashed() -> None:
    page = Image.new("RGB", (600, 900), BLACK)
    assert Processor(full()).image(page, "layout").shape == (3, 768, 768)
    assert Processor(tiny()).image(page, "layout").shape == (3, 256, 192)


def test_pixels_are_normalised_as_of_imagenet() -> None:
    white = normalised(Image.new("RGB", (2, 1), "white"))[:, 0, 0].tolist()
    assert white == pytest.approx([2.2489, 2.4286, 2.6400], abs=1e-3)


@pytest.mark.parametrize("mode", ["1", "L", "RGBA", "P", "CMYK"])
def test_images_of_any_mode_are_taken(mode: str) -> None:
    crop = Image.new(mode, (30, 10))
    assert Processor(tiny()).image(crop, "text").shape == (3, 32, 128)


@pytest.mark.parametrize("task", ["text", "table", "formula"])
@pytest.mark.parametrize("size", [(1, 1), (5000, 1), (1, 5000), (3000, 2000)])
def test_every_size_fits_the_model(task: str, size: tuple[int, int]) -> None:
    config = tiny()
    made = Processor(config).image(Image.new("RGB", size), task)  # type: ignore[arg-type]
    rows, columns = config.vision.map_size((made.shape[1], made.shape[2]))
    assert 0 < rows * config.columns + columns < config.text.sources
    assert columns <= config.columns
