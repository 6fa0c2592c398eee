"""Images of figures, cut out of page images."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from docpipe.geometry import to_pixels
from docpipe.records import Document, Figure

if TYPE_CHECKING:
    from PIL import Image


def write_figures(
    document: Document,
    page_image: Callable[[int, float], Image.Image],
    folder: Path,
    *,
    dpi: float = 144,
) -> dict[str, str]:
    """Write each figure as a PNG into `folder` and return file names by block id.

    `page_image(number, dpi)` gives the image of a page; it is asked once for each page with
    figures. Names are made of the block id (`p3/figure1` becomes `p3-figure1.png`). Raises OSError
    when the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names: dict[str, str] = {}
    for page in document.pages:
        figures = [block for block in page.blocks if isinstance(block, Figure)]
        placed = [(figure, figure.source.regions[0]) for figure in figures if figure.source.regions]
        image = page_image(page.number, dpi) if placed else None
        for figure, region in placed:
            box = to_pixels(region.bbox.clip(page.width, page.height), dpi)
            if image is None or box[0] >= box[2] or box[1] >= box[3]:
                continue
            name = _file_name(figure.id, taken=names.values())
            image.crop(box).save(folder / name)
            names[figure.id] = name
    return names


def _file_name(block: str, taken: Collection[str]) -> str:
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", block).strip("-")[:80] or "figure"
    name, number = f"{stem}.png", 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}.png"
    return name
