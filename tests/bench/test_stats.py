from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.bench.stats import Interval, bootstrap

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def width(interval: Interval) -> float:
    assert interval.low is not None
    assert interval.high is not None
    return interval.high - interval.low


def names(count: int) -> list[str]:
    return [str(number) for number in range(count)]


@settings(deadline=None)
@given(SCORES)
def test_the_interval_holds_the_mean_and_stays_within_the_values(values: list[float]) -> None:
    interval = bootstrap(values, names(len(values)))
    assert interval.mean == pytest.approx(sum(values) / len(values))
    if len(values) == 1:
        assert interval.low is interval.high is None
        return
    assert interval.low is not None
    assert interval.high is not None
    assert min(values) - 1e-9 <= interval.low <= interval.mean + 1e-9
    assert interval.mean - 1e-9 <= interval.high <= max(values) + 1e-9


def test_one_seed_gives_one_interval() -> None:
    values = [number**2 / 100 for number in range(30)]
    assert bootstrap(values, names(30), seed=3) == bootstrap(values, names(30), seed=3)
    assert bootstrap(values, names(30), seed=3) != bootstrap(values, names(30), seed=4)


def test_a_coin_tossed_a_hundred_times_is_known_to_ten_percent() -> None:
    interval = bootstrap([0.0, 1.0] * 50, names(100))
    assert interval.low == pytest.approx(0.40, abs=0.02)
    assert interval.high == pytest.approx(0.60, abs=0.02)


def test_values_of_one_group_do_not_count_as_independent() -> None:
    """Ten documents with ten equal answers each tell as much as ten answers."""
    values = [float(document % 2) for document in range(10) for _ in range(10)]
    groups = [str(document) for document in range(10) for _ in range(10)]
    together = bootstrap(values, groups)
    apart = bootstrap(values, names(100))
    assert width(together) > 2.5 * width(apart)


def test_groups_of_different_size_weigh_by_their_values() -> None:
    assert bootstrap([1.0, 0.0, 0.0, 0.0], ["a", "b", "b", "b"]).mean == 0.25


def test_no_values_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        bootstrap([], [])
