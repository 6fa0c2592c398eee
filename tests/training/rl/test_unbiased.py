"""Which estimators are unbiased: all outcomes of a small batch are enumerated, none is sampled."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from docpipe.training.rl.kriging import fit_covariance, kriging
from docpipe.training.rl.rollouts import Floats, estimate
from docpipe.training.rl.tabular import (
    Episodes,
    TreeShape,
    draw_forest,
    gradient_estimate,
    known_values,
    roll,
    rollouts_of,
)

# Two actions, two turns, three rollouts: (4 leaves x 2 endings)^3 outcomes of a question.
COUNT = 3
TREES = draw_forest(
    np.random.default_rng(3), TreeShape(actions=2, turns=2, effect=3.0, evidence=0.5), 1
)


def all_outcomes(forks: tuple[int, int]) -> tuple[Episodes, Floats]:
    """Every outcome of rolling TREES' question out (axis 0), and its probability."""
    first, second = forks
    total = first * second
    parents = np.repeat(np.arange(first), second)
    choices = np.array(list(product(range(2), repeat=first + 2 * total)))
    early, late = choices[:, :first][:, parents], choices[:, first : first + total]
    success = choices[:, first + total :]
    root, after = (part[0] for part in TREES.policy)
    leaf = TREES.leaves[0][2 * early + late]
    chances = root[0][choices[:, :first]].prod(1) * after[early, late].prod(1)
    chances = chances * np.where(success, leaf, 1 - leaf).prod(1)
    start, then = (part[0] for part in TREES.earned)
    states = np.stack([np.zeros_like(early), early, 2 * early + late], -1)
    earned = np.stack([start[0][early], then[early, late] + success], -1)
    actions = np.stack([early, late], -1)
    branches = np.broadcast_to(np.stack([parents, np.arange(total)], -1), actions.shape)
    outcomes = (part[:, None] for part in (states, actions, branches, earned))
    return Episodes(*outcomes, 0), chances


def together(own: Episodes, other: Episodes) -> Episodes:
    """One batch of each outcome of `own` with the questions of `other`."""

    def joined(mine: Any, theirs: Any) -> Any:
        return np.concatenate([mine, np.broadcast_to(theirs, (len(mine), *theirs.shape))], 1)

    return Episodes(
        joined(own.states, other.states),
        joined(own.actions, other.actions),
        joined(own.branches, other.branches),
        joined(own.turn_rewards, other.turn_rewards),
        0,
    )


def expected_gradient(name: str, forks: tuple[int, int] = (COUNT, 1)) -> Floats:
    """The estimator's exact expectation for TREES' question."""
    shape = TreeShape(actions=2, turns=2, evidence=0.5)
    others = draw_forest(np.random.default_rng(8), shape, 3)
    episodes, chances = all_outcomes(forks)
    assert chances.sum() == pytest.approx(1)
    batch = together(episodes, roll(np.random.default_rng(9), others, forks))
    advantages = estimate(name, rollouts_of(batch))[:, :1]
    return np.einsum("o,oqd->qd", chances, gradient_estimate(TREES, episodes, advantages))


def distance(found: Floats, scale: float = 1.0) -> float:
    truth = TREES.gradient()
    return float(np.linalg.norm(found / scale - truth) / np.linalg.norm(truth))


@pytest.mark.parametrize("name", ["reinforce", "rloo", "rloo_turns", "spo_prefix", "kriging"])
def test_expectation_is_the_gradient(name: str) -> None:
    assert distance(expected_gradient(name)) < 1e-9


@pytest.mark.parametrize("name", ["rloo_turns", "spo_prefix", "kriging"])
@pytest.mark.parametrize("forks", [(2, 2), (1, 3)])
def test_with_forks_too(name: str, forks: tuple[int, int]) -> None:
    assert distance(expected_gradient(name, forks)) < 1e-9


def test_the_mean_with_itself_only_shrinks() -> None:
    assert distance(expected_gradient("dr_grpo"), scale=(COUNT - 1) / COUNT) < 1e-9


@pytest.mark.parametrize("name", ["spo", "spo_leave_one_out", "spo_softmax"])
def test_weights_that_see_the_action_turn_the_gradient(name: str) -> None:
    found = expected_gradient(name)
    truth = TREES.gradient()
    scale = float((found * truth).sum() / (truth**2).sum())
    assert distance(found, scale) > 0.01


def test_leaving_out_one_rollout_of_a_fork_is_not_enough() -> None:
    assert distance(expected_gradient("rloo", (2, 2))) > 0.05


def test_sampled_rollouts_agree_with_the_tree() -> None:
    forest = draw_forest(np.random.default_rng(0), TreeShape(actions=3, turns=3, evidence=0.3), 2)
    episodes = roll(np.random.default_rng(1), forest, (20_000, 1, 1))
    values = known_values(forest, episodes)
    # What was earned and what is still to be is a martingale.
    so_far = np.cumsum(episodes.turn_rewards, -1)
    expected = np.repeat(values[:, 0, :1], 3, -1)
    assert_allclose((so_far + values[..., 1:])[..., :-1].mean(1), expected[:, 1:], atol=0.02)
    assert_allclose(episodes.rewards.mean(-1), expected[:, 0], atol=0.02)
    exact = forest.gradient()
    found = gradient_estimate(
        forest,
        episodes,
        episodes.turn_rewards
        + np.pad(values[..., 1:-1], [(0, 0)] * 2 + [(0, 1)])
        - values[..., :-1],
    )
    assert_allclose(found, exact, atol=0.01)


def test_gradient_is_the_slope_of_the_value() -> None:
    forest = draw_forest(np.random.default_rng(4), TreeShape(actions=2, turns=3, evidence=0.4), 1)
    gradient, step = forest.gradient(), 1e-6
    slope = np.empty(gradient.shape[-1])
    for place in range(len(slope)):
        nudge = np.zeros_like(gradient)
        nudge[0, place] = 1.0
        up, down = (forest.ascended(nudge, rate).values()[0] for rate in (step, -step))
        slope[place] = (up - down).item() / (2 * step)
    assert_allclose(gradient[0], slope, atol=1e-8)


def test_forks_cost_what_they_sample() -> None:
    forest = draw_forest(np.random.default_rng(4), TreeShape(actions=3, turns=3), 1)
    episodes = roll(np.random.default_rng(2), forest, (2, 1, 3))
    assert episodes.cost == 2 + 2 + 6
    assert episodes.rewards.shape == (1, 6)
    assert (episodes.states[0, :3, 2] == episodes.states[0, 0, 2]).all()


def test_several_answers_average_the_ending() -> None:
    forest = draw_forest(np.random.default_rng(4), TreeShape(turns=1, effect=0.0), 1)
    chance = forest.leaves[0, 0]
    once, averaged, expected = (
        roll(np.random.default_rng(3), forest, (20_000,), answers=count).rewards
        for count in (1, 4, 0)
    )
    assert (expected == chance).all()
    assert averaged.mean() == pytest.approx(chance, abs=0.01)
    assert averaged.var() == pytest.approx(once.var() / 4, rel=0.05)


def test_covariance_finds_what_rewards_have_in_common() -> None:
    """Rewards made of a part per question, one per state that it shares, and noise."""
    rng = np.random.default_rng(6)
    questions, rollouts = 4000, 6
    state = rng.integers(0, 3, (questions, rollouts))
    shared = np.take_along_axis(rng.normal(0, 2.0, (questions, 3)), state, 1)
    rewards = rng.normal(5, 1.0, (questions, 1)) + shared
    rewards = rewards + rng.normal(0, 1.5, (questions, rollouts))
    same = (state[:, :, None] == state[:, None, :]).astype(float)
    mean, parts, noise = fit_covariance(rewards, np.stack([np.ones_like(same), same], 1))
    assert mean[0] == pytest.approx(5, abs=0.1)
    assert parts[0] == pytest.approx([1.0, 4.0], abs=0.25)
    assert noise[0] == pytest.approx(2.25, abs=0.25)


def test_kriging_is_the_regression_on_the_others() -> None:
    """Two rollouts, no states: the textbook shrinkage of one reward to the mean."""
    rng = np.random.default_rng(2)
    rewards = rng.normal(0, 1.0, (50, 1)) + rng.normal(0, 1.0, (50, 2))
    rest = np.delete(rewards, 0, 0)
    mean = rest.mean()
    between = ((rest[:, 0] - mean) * (rest[:, 1] - mean)).mean()
    slope = between / ((rest - mean) ** 2).mean()
    expected = rewards[0] - (mean + slope * (rewards[0, ::-1] - mean))
    assert_allclose(kriging(rewards)[0, :, 0], expected)
