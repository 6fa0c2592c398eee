"""What synthetic samples are like: the profile to train on and the one held out to test with.

The held-out profile is fixed: docs/docfusion-data.md states it, and figures measured on it stay
comparable only as long as nothing here changes.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from docpipe.datasets.docfusion.fonts import (
    HELD_OUT_FONTS,
    HELD_OUT_MATH,
    TRAIN_FONTS,
    TRAIN_MATH,
)

Split = Literal["train", "held_out"]
Range = tuple[float, float]


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """Ranges are drawn from evenly.

    `points` and `dpi` decide the size of glyphs, `blur` is the standard deviation in pixels, `skew`
    the largest angle in degrees, `noise` the largest standard deviation in grey levels, `ink` and
    `paper` are grey levels. `random_share` of texts are random characters or numbers,
    `variant_share` of crops have typographic quotes, dashes and ligatures for plain ones,
    `inverse_share` are light on dark, `crowded_share` show slivers of the lines above and below.
    """

    split: Split
    fonts: tuple[str, ...]
    math_fonts: tuple[str, ...]
    points: Range
    dpi: Range
    blur: Range
    skew: float
    noise: float
    ink: Range = (0, 90)
    paper: Range = (215, 255)
    random_share: float = 0.2
    variant_share: float = 0.15
    inverse_share: float = 0.03
    crowded_share: float = 0.1
    table_rows: tuple[int, int] = (2, 8)
    table_columns: tuple[int, int] = (2, 6)
    span_share: float = 0.4
    formula_depth: int = 4
    formula_pool: int = 20_000


TRAIN = Profile(
    split="train",
    fonts=TRAIN_FONTS,
    math_fonts=TRAIN_MATH,
    points=(6.5, 16),
    dpi=(90, 220),
    blur=(0, 1.0),
    skew=1.5,
    noise=10,
)
HELD_OUT = Profile(
    split="held_out",
    fonts=HELD_OUT_FONTS,
    math_fonts=HELD_OUT_MATH,
    points=(7, 14),
    dpi=(100, 200),
    blur=(0, 0.8),
    skew=1.0,
    noise=6,
)
PROFILES: dict[Split, Profile] = {"train": TRAIN, "held_out": HELD_OUT}
