"""What matching guarantees, whatever the scores."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.parsers.entities.matching import gains, match, tune_thresholds, violations

ONES = (1, 3)
CLASSES = 5
REST = (0, 2, 4)


def log_probs(n: int, seed: int, sharpness: float = 3.0) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(0, sharpness, (n, CLASSES))
    return scores - np.log(np.exp(scores).sum(1, keepdims=True))


pages = st.builds(log_probs, st.integers(1, 9), st.integers(0, 10**6), st.sampled_from([0.1, 3.0]))


@given(pages, st.floats(-5, 5))
def test_no_one_field_is_given_twice(scores: np.ndarray, tau: float) -> None:
    labels = match(scores, ONES, (tau, tau), required=(1,))
    assert violations(labels, ONES) == 0


@given(pages)
def test_entities_without_a_one_field_get_the_best_of_the_rest(scores: np.ndarray) -> None:
    labels = match(scores, ONES)
    free = ~np.isin(labels, ONES)
    best = np.array(REST)[scores[:, REST].argmax(1)]
    assert (labels[free] == best[free]).all()


@given(st.integers(1, 30))
def test_a_many_field_is_never_capped(n: int) -> None:
    scores = np.full((n, CLASSES), -9.0)
    scores[:, 2] = -0.1
    assert match(scores, ONES).tolist() == [2] * n


@given(pages)
def test_without_conflict_the_result_is_argmax(scores: np.ndarray) -> None:
    best = scores.argmax(1)
    if violations(best, ONES) == 0:
        assert (match(scores, ONES) == best).all()


@given(pages, st.integers(0, 1000))
def test_permuting_the_entities_permutes_the_result(scores: np.ndarray, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(scores))
    assert (match(scores[order], ONES) == match(scores, ONES)[order]).all()


@given(pages)
def test_a_hopeless_entity_changes_nothing(scores: np.ndarray) -> None:
    hopeless = np.array([[0.0, -50.0, -60.0, -50.0, -60.0]])
    assert (match(np.vstack([scores, hopeless]), ONES)[:-1] == match(scores, ONES)).all()


@settings(max_examples=40, deadline=None)
@given(st.builds(log_probs, st.integers(1, 5), st.integers(0, 10**6)), st.floats(-2, 2))
def test_the_assignment_is_the_best_of_all(scores: np.ndarray, tau: float) -> None:
    worth = gains(scores, ONES) - tau

    def total(choice: tuple[int | None, ...]) -> float:
        return sum(worth[at, column] for column, at in enumerate(choice) if at is not None)

    choices = itertools.product([None, *range(len(scores))], repeat=len(ONES))
    allowed = [c for c in choices if len({a for a in c if a is not None}) == 2 - c.count(None)]
    labels = match(scores, ONES, (tau, tau))
    chosen = tuple(next(iter(np.flatnonzero(labels == c)), None) for c in ONES)
    assert total(chosen) == pytest.approx(max(map(total, allowed)))


@given(pages)
def test_required_fields_are_given_while_there_are_entities(scores: np.ndarray) -> None:
    labels = match(scores, ONES, (30.0, 30.0), required=ONES)
    assert sum(int((labels == c).any()) for c in ONES) == min(len(ONES), len(scores))
    assert not np.isin(match(scores, ONES, (30.0, 30.0)), ONES).any()


def test_a_threshold_below_zero_raises_recall() -> None:
    scores = np.log([[0.5, 0.4, 0.05, 0.025, 0.025]])
    assert match(scores, ONES).tolist() == [0]
    assert match(scores, ONES, (-1.0, 0.0)).tolist() == [1]


def test_of_two_that_want_a_field_the_surer_gets_it_and_the_other_its_second_best() -> None:
    scores = np.log([[0.1, 0.6, 0.25, 0.03, 0.02], [0.05, 0.9, 0.02, 0.02, 0.01]])
    assert match(scores, ONES).tolist() == [2, 1]


def test_nothing_to_match() -> None:
    assert match(np.zeros((0, CLASSES)), ONES).tolist() == []
    scores = log_probs(6, 1)
    assert (match(scores, ()) == scores.argmax(1)).all()


def test_tuned_thresholds_find_a_field_that_argmax_misses() -> None:
    page = np.log([[0.6, 0.3, 0.04, 0.03, 0.03], [0.9, 0.01, 0.03, 0.03, 0.03]])
    gold = np.array([1, 0])
    taus = tune_thresholds([page], [gold], ONES)
    assert match(page, ONES, taus).tolist() == [1, 0]
    assert taus[1] == 0.0, "a field that no threshold helps stays at 0"


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_tuned_thresholds_are_never_worse_than_none_where_they_were_tuned(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pages = [log_probs(6, seed + at) for at in range(4)]
    gold = [rng.integers(0, CLASSES, 6) for _ in pages]

    def f1(taus: tuple[float, ...]) -> float:
        labels = np.concatenate([match(page, ONES, taus) for page in pages])
        truth = np.concatenate(gold)
        hits = ((labels == truth) & (truth > 0)).sum()
        return float(2 * hits / ((labels > 0).sum() + (truth > 0).sum()))

    assert f1(tune_thresholds(pages, gold, ONES)) >= f1((0.0, 0.0))
