"""How large a page image may become."""

from __future__ import annotations

import math

MAX_PIXELS = 25_000_000


def capped_dpi(dpi: float, width: float, height: float) -> float:
    """`dpi`, lowered as far as an image of `width` x `height` points would pass MAX_PIXELS."""
    area = max(width, 1.0) * max(height, 1.0)
    return min(dpi, 72.0 * math.sqrt(MAX_PIXELS / area))
