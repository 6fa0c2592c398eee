"""Images of text made in code."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont


def text_image(
    lines: Sequence[str], size: int = 24, leading: float = 1.4, margin: int = 12
) -> Image.Image:
    """Black lines on white, `size` pixels per em."""
    font = ImageFont.load_default(size)
    width = max((round(font.getlength(line)) for line in lines), default=0) + 2 * margin
    step = round(leading * size)
    image = Image.new("RGB", (width, step * len(lines) + 2 * margin), "white")
    draw = ImageDraw.Draw(image)
    for at, line in enumerate(lines):
        draw.text((margin, margin + at * step), line, "black", font)
    return image
