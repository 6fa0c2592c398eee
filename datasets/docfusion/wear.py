"""From ink to the image of a scan or a screen: skew, blur, grey levels, noise, JPEG."""

from __future__ import annotations

import math
import random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from docpipe.datasets.docfusion.ink import Gray
from docpipe.datasets.docfusion.profiles import Profile
from docpipe.geometry import BBox

_JPEG_SHARE = 0.15
_NOISE_SHARE = 0.5
_BLUR_SHARE = 0.7
_SKEW_SHARE = 0.6


class Wear(NamedTuple):
    """What befalls one image; `jpeg` is a quality or 0, `seed` that of the noise."""

    ink: float
    paper: float
    blur: float
    noise: float
    jpeg: int
    seed: int


def draw_wear(chance: random.Random, profile: Profile) -> Wear:
    """A third of all images are sharp, half without noise."""
    ink, paper = chance.uniform(*profile.ink), chance.uniform(*profile.paper)
    if chance.random() < profile.inverse_share:
        ink, paper = paper, ink
    return Wear(
        ink=ink,
        paper=paper,
        blur=chance.uniform(*profile.blur) * (chance.random() < _BLUR_SHARE),
        noise=profile.noise * chance.random() * (chance.random() < _NOISE_SHARE),
        jpeg=chance.randint(40, 90) if chance.random() < _JPEG_SHARE else 0,
        seed=chance.getrandbits(32),
    )


def worn(ink: Gray, wear: Wear) -> Gray:
    """The image of this ink (0 none, 255 full), of the same size."""
    import cv2

    if wear.blur > 0.2:
        ink = np.asarray(cv2.GaussianBlur(ink, (0, 0), wear.blur), np.uint8)
    image = _paper_table(wear)[ink]
    if wear.noise > 1:
        draw = np.random.default_rng(wear.seed)
        noise = draw.standard_normal(image.shape, np.float32) * np.float32(wear.noise)
        image = np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), np.uint8)
    if wear.jpeg:
        _, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, wear.jpeg])
        image = np.asarray(cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE), np.uint8)
    return image


def _paper_table(wear: Wear) -> Gray:
    """The grey level of each amount of ink."""
    share = np.arange(256) / 255
    return np.rint(wear.paper + (wear.ink - wear.paper) * share).astype(np.uint8)


def draw_skew(chance: random.Random, profile: Profile) -> float:
    """Degrees; two fifths of all images are straight."""
    return chance.uniform(-profile.skew, profile.skew) * (chance.random() < _SKEW_SHARE)


def turned(ink: Gray, degrees: float) -> Gray:
    """The ink turned about its centre, on as much larger an array as that takes."""
    import cv2

    matrix, size = _turn(ink, degrees)
    return np.asarray(cv2.warpAffine(ink, matrix, size), np.uint8)


def turned_box(box: BBox, ink: Gray, degrees: float) -> BBox:
    """The box around what was in `box` before the ink was turned."""
    matrix, _ = _turn(ink, degrees)
    corners = np.array([(x, y, 1) for x in (box.x0, box.x1) for y in (box.y0, box.y1)])
    points = corners @ matrix.T
    (x0, y0), (x1, y1) = points.min(0).tolist(), points.max(0).tolist()
    return BBox(x0, y0, x1, y1)


def _turn(ink: Gray, degrees: float) -> tuple[npt.NDArray[np.float64], tuple[int, int]]:
    """The affine map, and the width and height of what it gives."""
    import cv2

    height, width = ink.shape
    more_x, more_y = (
        math.ceil(abs(math.sin(math.radians(degrees))) * side) for side in (height, width)
    )
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    matrix[:, 2] += more_x / 2, more_y / 2
    return np.asarray(matrix, np.float64), (width + more_x, height + more_y)
