"""Bootstrap intervals of means, with rows of one group (a document's questions) kept together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import numpy as np

    Statistic = Callable[[np.ndarray[Any, np.dtype[np.float64]]], Any]

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
    columns = [[value, 1.0] for value in values]
    return bootstrap_sums(columns, groups, lambda sums: sums[..., 0] / sums[..., 1], seed=seed)


def bootstrap_sums(
    values: Sequence[Sequence[float]], groups: Sequence[str], of: Statistic, *, seed: int = 0
) -> Interval:
    """What `of` makes of the sums (…, C) of rows of C values each, such as a ratio of two of them;
    groups are drawn with replacement, a group's rows stay together.

    Raises ValueError without values.
    """
    import numpy as np

    if not values or len(values) != len(groups):
        raise ValueError("one group for each of at least one value is needed")
    names, group_of = np.unique(np.asarray(groups), return_inverse=True)
    totals = np.zeros((len(names), len(values[0])))
    np.add.at(totals, group_of, np.asarray(values, float))
    found = float(of(totals.sum(0)))
    if len(names) == 1:
        return Interval(found, None, None)
    low, high = np.quantile(of(_draws(len(names), seed) @ totals), [0.025, 0.975])
    return Interval(found, float(low), float(high))


def _draws(groups: int, seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """How often each group is drawn, a row for each of RESAMPLES samples of `groups` groups."""
    import numpy as np

    even = np.full(groups, 1.0 / groups)
    return np.random.default_rng(seed).multinomial(groups, even, size=RESAMPLES).astype(float)
