"""Turning a page image upright: sideways pages, and the few degrees a scanner adds.

The angle is the one at which the ink falls into the sharpest rows: the sum of squares of the row
profile is largest when lines of text are level (W. Postl, "Detection of linear oblique structures
and skew scan in digitized documents", ICPR 1986).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from docpipe.geometry import BBox
from docpipe.parsers.native.ink import glyphs, ink_mask

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

    Points = np.ndarray[Any, np.dtype[np.float32]]

_MAX_POINTS = 40_000
_FEW_POINTS = 200  # too few to measure an angle on
_COARSE = [half / 2 for half in range(-12, 13)]  # degrees
_MIN_SKEW = 0.25  # degrees: less harms neither recognition nor lines
_FEW_LETTERS = 20


class Placement(msgspec.Struct, frozen=True):
    """How an upright image lies on the page: turned by `quarters` x 90 degrees clockwise, then by
    `skew` degrees counterclockwise, around its centre. `page` is the size in points of the page as
    displayed, `scale` the pixels per point."""

    page: tuple[float, float]
    scale: float
    quarters: int = 0
    skew: float = 0.0

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the upright frame in points."""
        width, height = self.page
        return (height, width) if self.quarters % 2 else (width, height)

    def to_frame(self, box: BBox) -> BBox:
        """From pixels of the upright image to points of the upright frame."""
        k = 1.0 / self.scale
        return BBox.of(box.x0 * k, box.y0 * k, box.x1 * k, box.y1 * k)

    def to_page(self, box: BBox) -> BBox:
        """From points of the upright frame to points of the page."""
        if not self.quarters and not self.skew:
            return box.clip(*self.page)
        corners = [
            self._point(x, y)
            for x, y in ((box.x0, box.y0), (box.x1, box.y0), (box.x0, box.y1), (box.x1, box.y1))
        ]
        xs, ys = zip(*corners, strict=True)
        return BBox.of(min(xs), min(ys), max(xs), max(ys)).clip(*self.page)

    def _point(self, x: float, y: float) -> tuple[float, float]:
        width, height = self.size
        dx, dy = x - width / 2, y - height / 2
        sine, cosine = math.sin(math.radians(self.skew)), math.cos(math.radians(self.skew))
        dx, dy = dx * cosine - dy * sine, dx * sine + dy * cosine
        for _ in range(self.quarters % 4):
            dx, dy = dy, -dx
        return self.page[0] / 2 + dx, self.page[1] / 2 + dy


def ink_points(image: Image.Image) -> Points:
    """Places of ink, centred, shape (n, 2) as x and y, in pixels of a smaller image."""
    import numpy as np

    mask = ink_mask(image)
    ys, xs = np.nonzero(mask)
    points = np.stack([xs - mask.shape[1] / 2, ys - mask.shape[0] / 2], axis=1)
    step = max(1, len(points) // _MAX_POINTS)
    return points[::step].astype(np.float32)


def is_sideways(image: Image.Image) -> bool:
    """Whether lines of text run up or down: whether most letters have their nearest neighbour
    above or below. (Rows of ink tell less: on receipts, columns of amounts line up as well.)"""
    import numpy as np
    from scipy.spatial import cKDTree

    boxes = glyphs(ink_mask(image)).astype(np.float32)
    if len(boxes) < _FEW_LETTERS:
        return False
    centers = boxes[:, :2] + boxes[:, 2:] / 2
    nearest = np.asarray(cKDTree(centers).query(centers, k=2)[1])
    away = np.abs(centers - centers[nearest[:, 1]])
    return bool((away[:, 1] > away[:, 0]).mean() > 0.5)


def skew_of(points: Points) -> float:
    """Degrees by which lines of text fall to the right; 0 when they hardly do."""
    if len(points) < _FEW_POINTS:
        return 0.0
    coarse = max(_COARSE, key=lambda angle: _sharpness(points, angle))
    fine = max(
        (coarse + tenth / 10 for tenth in range(-5, 6)),
        key=lambda angle: _sharpness(points, angle),
    )
    gain = _sharpness(points, fine) / max(_sharpness(points, 0.0), 1e-9)
    return 0.0 if abs(fine) < _MIN_SKEW or gain < 1.05 else round(float(fine), 2)


def _sharpness(points: Points, angle: float) -> float:
    """How unevenly ink falls into rows at this angle."""
    import numpy as np

    if not len(points):
        return 0.0
    radians = math.radians(angle)
    rows = points[:, 1] * math.cos(radians) - points[:, 0] * math.sin(radians)
    counts = np.bincount((rows - rows.min()).astype(np.int64))
    return float(np.square(np.diff(counts.astype(np.float64))).sum())


def turned(image: Image.Image, quarters: int, skew: float) -> Image.Image:
    """The image turned by `quarters` x 90 degrees clockwise, and levelled; its size stays that of
    the page."""
    from PIL import Image as Pillow

    if quarters % 4:
        image = image.rotate(-90 * (quarters % 4), expand=True)
    if skew:
        image = image.rotate(skew, resample=Pillow.Resampling.BICUBIC, fillcolor="white")
    return image
