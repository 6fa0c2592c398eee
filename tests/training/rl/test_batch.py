"""From rollouts to advantages for every turn, and what is logged of them."""

from __future__ import annotations

import numpy as np
import pytest

from docpipe.errors import ConfigError
from docpipe.records import Action, Answer, Finish, Malformed, Search, Step, Trajectory
from docpipe.testing import FakeEmbedder
from docpipe.training.rl.batch import AdvantageSettings, grouped, judge
from docpipe.training.rl.measures import measures, warnings
from docpipe.training.rl.policy import Choices
from docpipe.training.rl.rewards import RewardSettings
from docpipe.training.rl.runs import Rollout, Turn

ANSWER = Answer("", None, "none", False, (), 0.0)
REWARDS = RewardSettings(correctness=0.0)


def rollout(question: str, number: int, *earned: float, said: str = "mill") -> Rollout:
    actions: list[Action] = [Search((f"{said} {turn}",)) for turn in range(len(earned) - 1)]
    steps = [Step(action, f"found {said}") for action in [*actions, Finish()]]
    turns = [
        Turn(Choices(logp=(-1.0, -2.0)), step, {"recall": part})
        for step, part in zip(steps, earned, strict=True)
    ]
    whole = {"recall": sum(earned)}
    return Rollout(
        question, number, tuple(turns), Trajectory("t", question, tuple(steps), ANSWER, whole)
    )


BATCH = [
    rollout("a", 0, 0.5, 0.0),
    rollout("b", 0, 1.0),
    rollout("a", 1, 0.0, 0.5, 0.5),
    rollout("b", 1, 0.0),
]


def test_groups_are_put_together_and_turns_are_told_apart() -> None:
    judged = judge(BATCH, REWARDS, AdvantageSettings("dr_grpo"), None)
    assert [(r.question, r.number) for r in judged.rollouts] == [
        ("a", 0),
        ("a", 1),
        ("b", 0),
        ("b", 1),
    ]
    expected = [[-0.25, -0.25, 0], [0.25, 0.25, 0.25], [0.5, 0, 0], [-0.5, 0, 0]]
    assert np.allclose(judged.advantages, expected)
    assert judged.weights is None


def test_turns_earn_what_is_still_to_come() -> None:
    judged = judge(BATCH, REWARDS, AdvantageSettings("rloo_turns"), None)
    # of "a" at turn 2: 0.0 is still earned by the first, 1.0 by the second
    assert np.allclose(judged.advantages[:2, 1], [-1.0, 1.0])


def test_equal_histories_are_equal_states() -> None:
    states = grouped(BATCH, REWARDS, None).states
    assert states is not None
    assert states[0, 0, 0] == states[0, 1, 0] != states[1, 0, 0]
    assert states[0, 0, 1] == states[0, 1, 1]


def test_similarity_comes_from_actions_and_observations() -> None:
    batch = [rollout("a", 0, 1.0, 0.0, said="mill"), rollout("a", 1, 0.0, 0.0, said="bakery")]
    judged = judge(batch, REWARDS, AdvantageSettings("spo"), FakeEmbedder())
    assert judged.weights is not None
    assert judged.weights.cosine < 1 - 1e-3
    same = [rollout("a", 0, 1.0, 0.0), rollout("a", 1, 0.0, 0.0)]
    uniform = judge(same, REWARDS, AdvantageSettings("spo"), FakeEmbedder()).weights
    assert uniform is not None
    assert "uniform" in uniform.problem


def test_similarity_needs_an_embedder() -> None:
    with pytest.raises(ConfigError, match="needs the rollouts' similarity"):
        judge(BATCH, REWARDS, AdvantageSettings("spo"), None)


def test_measures() -> None:
    found = measures([*BATCH, rollout("c", 0, 0.0), rollout("c", 1, 0.0)], REWARDS)
    assert found["reward"] == pytest.approx(2.5 / 6)
    assert found["same"] == pytest.approx(1 / 3)
    assert found["turns"] == pytest.approx(9 / 6)
    assert found["choices"] == 2
    assert found["ended"] == 1.0
    assert found["malformed"] == 0.0


def test_malformed_turns_are_counted() -> None:
    step = Step(Malformed("nonsense"), "")
    bad = Rollout("a", 0, (Turn(Choices(logp=(-1.0,)), step),), BATCH[0].trajectory)
    assert measures([bad, rollout("a", 1, 0.0)], REWARDS)["malformed"] == 0.5


def test_a_collapse_is_told_early() -> None:
    healthy = {"entropy": 1.0, "same": 0.2, "kl": 0.01, "malformed": 0.1}
    assert warnings([healthy] * 20) == []
    assert warnings([healthy] * 5) == []
    for name, value, said in (
        ("entropy", 0.05, "repeats itself"),
        ("same", 0.9, "little left to learn"),
        ("kl", 2.0, "far from its reference"),
        ("malformed", 0.8, "no action"),
    ):
        (found,) = warnings([healthy] * 10 + [healthy | {name: value}] * 5)
        assert said in found
