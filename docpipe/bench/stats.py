"""Bootstrap intervals of means, with rows of one group (a document's questions) kept together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import numpy as np

RESAMPLES = 4000


class Interval(msgspec.Struct, frozen=True, array_like=True):
    """A mean with the bounds that hold 95 % of resampled means; none for a single group, which
    tells nothing of the spread."""

    mean: float
    low: float | None
    high: float | None


def bootstrap(values: Sequence[float], groups: Sequence[str], *, seed: int = 0) -> Interval:
    """The mean of `values`; groups are drawn with replacement, a group's values stay together.

    Raises ValueError without values.
    """
    import numpy as np

    if not values or len(values) != len(groups):
        raise ValueError("one group for each of at least one value is needed")
    names, group_of = np.unique(np.asarray(groups), return_inverse=True)
    counts = np.bincount(group_of, minlength=len(names)).astype(float)
    totals = np.bincount(group_of, weights=np.asarray(values, float), minlength=len(names))
    mean = float(totals.sum() / counts.sum())
    if len(names) == 1:
        return Interval(mean, None, None)
    weights = _draws(len(names), seed)
    means = (weights @ totals) / (weights @ counts)
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(mean, float(low), float(high))


def _draws(groups: int, seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """How often each group is drawn, a row for each of RESAMPLES samples of `groups` groups."""
    import numpy as np

    even = np.full(groups, 1.0 / groups)
    return np.random.default_rng(seed).multinomial(groups, even, size=RESAMPLES).astype(float)
