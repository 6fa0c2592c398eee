"""Advantages against numbers worked out by hand, and the properties that their formulas imply."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose

from docpipe.errors import ConfigError
from docpipe.registry import names
from docpipe.training.rl.rollouts import Floats, Rollouts, by_question, estimate
from docpipe.training.rl.similarity import (
    cosine_similarity,
    prefix_similarity,
    report_weights,
    rollout_similarity,
    spo,
)

# Two questions of three rollouts.
REWARDS = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])


def test_means_of_a_group() -> None:
    rollouts = Rollouts(rewards=REWARDS)
    assert_allclose(estimate("reinforce", rollouts)[..., 0], REWARDS)
    assert_allclose(estimate("dr_grpo", rollouts)[..., 0], [[0, -1, 1], [-1, -1, 2]])
    assert_allclose(estimate("rloo", rollouts)[..., 0], [[0, -1.5, 1.5], [-1.5, -1.5, 3]])
    # Sample deviations 1 and sqrt 3.
    root = 3**0.5
    expected = [[0, -1, 1], [-1 / root, -1 / root, 2 / root]]
    assert_allclose(estimate("grpo", rollouts)[..., 0], expected, rtol=2e-6)


def test_reinforce_pp_looks_at_the_whole_batch() -> None:
    # Mean 1; squares 0, 1, 1, 1, 1, 4 over five degrees of freedom.
    deviation = (8 / 5) ** 0.5
    expected = np.array([[0, -1, 1], [-1, -1, 2]]) / deviation
    assert_allclose(
        estimate("reinforce_pp", Rollouts(rewards=REWARDS))[..., 0], expected, rtol=2e-6
    )


def test_opo_weighs_by_length() -> None:
    lengths = np.array([[10.0, 20.0, 10.0], [1.0, 1.0, 2.0]])
    # (10 + 20) / 40 = 0.75 and 6 / 4 = 1.5.
    found = estimate("opo", Rollouts(rewards=REWARDS, lengths=lengths))[..., 0]
    assert_allclose(found, [[0.25, -0.75, 1.25], [-1.5, -1.5, 1.5]])


def test_spo_by_hand() -> None:
    similarity = np.array([[[1.0, 0.6, 0.4], [0.6, 1.0, 0.0], [0.4, 0.0, 1.0]]])
    rewards = np.array([[1.0, 0.0, 2.0]])
    rollouts = Rollouts(rewards=rewards, similarity=similarity)
    # Row sums 2, 1.6, 1.4; baselines (1 + .8) / 2, .6 / 1.6, (.4 + 2) / 1.4.
    assert_allclose(estimate("spo", rollouts)[0, :, 0], [0.1, -0.375, 2 - 2.4 / 1.4])
    # Without itself: (.6*0 + .4*2) / 1, .6 / .6, .4 / .4.
    assert_allclose(estimate("spo_leave_one_out", rollouts)[0, :, 0], [0.2, -1.0, 1.0])
    # Temperature 1 / ln 2 makes the weights powers of two: 2^.6 and 2^.4 for the first.
    found = estimate("spo_softmax", rollouts, temperature=1 / np.log(2))[0, :, 0]
    assert_allclose(found[0], 1 - 2 * 2**0.4 / (2**0.6 + 2**0.4))
    assert_allclose(found[1], 0 - (2**0.6 + 2) / (2**0.6 + 1))


def test_spo_outlier_gets_nothing_and_negative_cosines_count_as_none() -> None:
    similarity = np.array([[[1.0, -0.5, -0.2], [-0.5, 1.0, 0.5], [-0.2, 0.5, 1.0]]])
    found = spo(np.array([[5.0, 1.0, 0.0]]), similarity)
    assert_allclose(found, [[0.0, 1 - 1 / 1.5, -0.5 / 1.5]])
    nothing = np.zeros((1, 3, 3))
    assert_allclose(spo(np.array([[3.0, 0.0, 0.0]]), nothing), [[2.0, -1.0, -1.0]])


def test_gigpo_by_hand() -> None:
    # Both start in state 0; then one goes to 1, the other to 2. Rewards 1 and 0, gamma 1/2.
    rollouts = Rollouts(rewards=np.array([[1.0, 0.0]]), states=np.array([[[0, 1], [0, 2]]]))
    found = estimate("gigpo", rollouts, gamma=0.5, omega=2.0)
    # Whole rollouts +-.5; at state 0 the returns are .5 and 0, so +-.25; states alone give 0.
    assert_allclose(found, [[[0.5 + 2 * 0.25, 0.5], [-0.5 - 2 * 0.25, -0.5]]])
    # A state visited twice by one rollout is one group with all visits.
    again = Rollouts(rewards=np.array([[1.0, 0.0]]), states=np.array([[[0, 0], [0, 2]]]))
    mean = (0.5 + 1.0 + 0.0) / 3
    expected = [[[0.5 + 0.5 - mean, 0.5 + 1 - mean], [-0.5 - mean, -0.5]]]
    assert_allclose(estimate("gigpo", again, gamma=0.5), expected)


def test_gigpo_leaves_out_turns_that_were_not_taken() -> None:
    rollouts = Rollouts(
        rewards=np.array([[1.0, 0.0]]),
        states=np.array([[[0, 7], [0, 7]]]),
        taken=np.array([[[True, True], [True, False]]]),
    )
    # Returns at state 0: gamma for the first, 0; at 7 the first is alone.
    assert_allclose(estimate("gigpo", rollouts, gamma=0.5), [[[0.75, 0.5], [-0.75, 0.0]]])


def test_gae_by_hand() -> None:
    rollouts = Rollouts(
        rewards=np.array([[3.0]]),
        turn_rewards=np.array([[[1.0, 0.0, 2.0]]]),
        values=np.array([[[2.0, 1.0, 1.0]]]),
    )
    # Deltas 1 + .5 - 2, .5 - 1, 2 - 1, carried by gamma lam = 1/4.
    found = estimate("gae", rollouts, gamma=0.5, lam=0.5)
    assert_allclose(found, [[[-0.5 + (-0.5 + 0.25) / 4, -0.5 + 0.25, 1.0]]])
    # lam = 1: reward from here on less the value.
    assert_allclose(estimate("gae", rollouts, lam=1.0), [[[1.0, 1.0, 1.0]]])


def test_gae_ends_with_the_last_turn() -> None:
    rollouts = Rollouts(
        rewards=np.array([[1.0]]),
        turn_rewards=np.array([[[0.0, 1.0, 9.0]]]),
        values=np.array([[[0.5, 0.5, 9.0]]]),
        taken=np.array([[[True, True, False]]]),
    )
    assert_allclose(estimate("gae", rollouts, lam=1.0), [[[0.5, 0.5, 0.0]]])


def test_spo_prefix_by_hand() -> None:
    prefix = np.ones((1, 2, 3, 3))
    prefix[0, 1] = [[1.0, 0.75, 0.25], [0.75, 1.0, 0.0], [0.25, 0.0, 1.0]]
    rollouts = Rollouts(rewards=np.array([[1.0, 0.0, 2.0]]), prefix_similarity=prefix)
    # First turn: RLOO. Second: .75*0 + .25*2, then 1 alone, then 1 alone.
    expected = [[[0.0, 0.5], [-1.5, -1.0], [1.5, 1.0]]]
    assert_allclose(estimate("spo_prefix", rollouts), expected)
    alone = np.broadcast_to(np.eye(3), (1, 2, 3, 3))
    lonely = Rollouts(rewards=np.array([[1.0, 0.0, 2.0]]), prefix_similarity=alone)
    assert_allclose(estimate("spo_prefix", lonely)[0, :, 1], [0.0, -1.5, 1.5])


def test_spo_prefix_asks_only_rollouts_that_got_so_far() -> None:
    rollouts = Rollouts(
        rewards=np.array([[1.0, 0.0, 2.0]]),
        prefix_similarity=np.ones((1, 2, 3, 3)),
        taken=np.array([[[True, True], [True, False], [True, True]]]),
    )
    assert_allclose(estimate("spo_prefix", rollouts), [[[0.0, -1.0], [-1.5, 0.0], [1.5, 1.0]]])


def test_rloo_turns_counts_what_is_still_to_be_earned() -> None:
    earned = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    rollouts = Rollouts(rewards=earned.sum(-1), turn_rewards=earned)
    assert_allclose(estimate("rloo_turns", rollouts), [[[0.0, -1.0], [0.0, 1.0]]])


def test_a_rollout_that_ended_counts_with_its_last_turn() -> None:
    earned = np.array([[[1.0, 2.0], [0.5, 0.0], [0.0, 1.0]]])
    taken = np.array([[[True, True], [True, False], [True, True]]])
    rollouts = Rollouts(rewards=earned.sum(-1), turn_rewards=earned, taken=taken)
    # Ahead of the turns: 3 and 2, .5 and its last turn's .5, 1 and 1.
    expected = [[[3 - 0.75, 2 - 0.75], [0.5 - 2, 0.0], [1 - 1.75, 1 - 1.25]]]
    assert_allclose(estimate("rloo_turns", rollouts), expected)
    ending = Rollouts(rewards=np.array([[1.0, 0.0, 2.0]]), taken=taken)
    assert_allclose(estimate("rloo_turns", ending), estimate("rloo", ending))


def test_rloo_turns_leaves_out_the_whole_fork() -> None:
    # Two first turns, each with its second turn sampled twice.
    branches = np.array([[[0, 0], [0, 1], [1, 2], [1, 3]]])
    rollouts = Rollouts(rewards=np.array([[1.0, 0.0, 2.0, 3.0]]), branches=branches)
    expected = [[[1 - 2.5, 1 - 5 / 3], [-2.5, -2.0], [2 - 0.5, 2 - 4 / 3], [2.5, 2.0]]]
    assert_allclose(estimate("rloo_turns", rollouts), expected)


# ── Properties ──────────────────────────────────────────────────────────────────────────────────

rewards_of_four = hnp.arrays(float, (2, 4), elements=st.sampled_from([0.0, 0.25, 1.0, 1.75, 2.0]))
embeddings_of_four = hnp.arrays(float, (2, 4, 3, 5), elements=st.floats(0.125, 1, width=32))


def complete(rewards: Floats, embeddings: Floats) -> Rollouts:
    """Rollouts with every field, of three turns."""
    return Rollouts(
        rewards=rewards,
        states=np.tile(np.arange(3), (2, 4, 1)),
        lengths=np.ones((2, 4)),
        similarity=rollout_similarity(embeddings),
        prefix_similarity=prefix_similarity(embeddings),
    )


CENTRED = ("dr_grpo", "rloo", "opo", "spo", "spo_leave_one_out", "spo_softmax", "spo_prefix",
           "rloo_turns", "kriging")  # fmt: skip


@pytest.mark.parametrize("name", CENTRED)
@settings(max_examples=15, deadline=None)
@given(rewards=rewards_of_four, embeddings=embeddings_of_four)
def test_a_constant_changes_nothing_and_scale_carries_over(
    name: str, rewards: Floats, embeddings: Floats
) -> None:
    found = estimate(name, complete(rewards, embeddings))
    shifted = estimate(name, complete(rewards + 3, embeddings))
    doubled = estimate(name, complete(rewards * 2, embeddings))
    tolerance = 1e-4 if name == "kriging" else 1e-9  # fitted, with a floor that has a scale
    assert_allclose(shifted, found, atol=tolerance)
    assert_allclose(doubled, 2 * found, atol=tolerance)


@pytest.mark.parametrize("name", [*CENTRED, "grpo", "reinforce_pp"])
def test_equal_rewards_give_no_advantage(name: str) -> None:
    embeddings = np.random.default_rng(1).random((2, 4, 3, 5))
    found = estimate(name, complete(np.full((2, 4), 0.7), embeddings))
    assert_allclose(found, 0, atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(rewards=rewards_of_four, level=st.floats(0.1, 1))
def test_equal_similarities_make_spo_dr_grpo(rewards: Floats, level: float) -> None:
    alike = Rollouts(rewards=rewards, similarity=np.full((2, 4, 4), level))
    assert_allclose(estimate("spo", alike), estimate("dr_grpo", alike), atol=1e-12)
    for name in ("spo_leave_one_out", "spo_softmax"):
        assert_allclose(estimate(name, alike), estimate("rloo", alike), atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(rewards=rewards_of_four, embeddings=embeddings_of_four)
def test_including_itself_scales_the_leave_one_out_advantage(
    rewards: Floats, embeddings: Floats
) -> None:
    rollouts = complete(rewards, embeddings)
    similarity = rollout_similarity(embeddings)
    own = 1 / similarity.sum(-1)  # the cosine with itself is 1
    whole, rest = (estimate(name, rollouts)[..., 0] for name in ("spo", "spo_leave_one_out"))
    assert_allclose(whole, (1 - own) * rest, atol=1e-9)


def test_spo_advantages_need_not_sum_to_zero() -> None:
    similarity = np.array([[[1.0, 0.9, 0.1], [0.9, 1.0, 0.1], [0.1, 0.1, 1.0]]])
    assert abs(spo(np.array([[1.0, 1.0, 0.0]]), similarity).sum()) > 0.05


@pytest.mark.parametrize("name", sorted(names("advantage")))
def test_order_of_rollouts_and_questions_does_not_matter(name: str) -> None:
    rng = np.random.default_rng(5)
    embeddings = rng.random((3, 4, 2, 6))
    fields = {
        "rewards": rng.random((3, 4)),
        "turn_rewards": rng.random((3, 4, 2)),
        "values": rng.random((3, 4, 2)),
        "lengths": rng.random((3, 4)) + 1,
        "states": rng.integers(0, 2, (3, 4, 2)),
        "branches": np.tile(np.arange(4)[:, None], (3, 1, 2)),
    }
    fields["rewards"] = fields["turn_rewards"].sum(-1)

    def found(order: list[int], questions: list[int]) -> Floats:
        chosen = {key: field[questions][:, order] for key, field in fields.items()}
        turned = embeddings[questions][:, order]
        return estimate(
            name,
            Rollouts(
                **chosen,
                similarity=rollout_similarity(turned),
                prefix_similarity=prefix_similarity(turned),
            ),
        )

    straight = found([0, 1, 2, 3], [0, 1, 2])
    turned = found([2, 0, 3, 1], [1, 2, 0])
    assert_allclose(turned, straight[[1, 2, 0]][:, [2, 0, 3, 1]], atol=1e-9)


# ── Similarities and batches ────────────────────────────────────────────────────────────────────


def test_prefixes_are_what_came_before_the_turn() -> None:
    turns = np.array([[[1.0, 0.0], [5.0, 5.0]], [[0.0, 1.0], [5.0, 5.0]]])
    found = prefix_similarity(turns)
    assert_allclose(found[0], 1)
    assert_allclose(found[1], [[1, 0], [0, 1]], atol=1e-12)
    # (6, 5) and (5, 6): 60 / 61.
    assert_allclose(rollout_similarity(turns)[0, 1], 60 / 61)
    short = rollout_similarity(turns, np.array([[True, False], [True, True]]))
    assert_allclose(short[0, 1], 5 / 61**0.5)


def test_a_vector_without_length_is_like_nothing() -> None:
    assert_allclose(cosine_similarity(np.array([[0.0, 0.0], [1.0, 0.0]])), [[0, 0], [0, 1]])


def test_weights_that_make_spo_pointless_are_named() -> None:
    assert "uniform" in report_weights(np.full((1, 4, 4), 0.9)).problem
    assert "own weight" in report_weights(np.eye(4)[None]).problem
    fine = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    report = report_weights(fine[None])
    assert report.problem == ""
    assert report.self_weight == pytest.approx(0.4)
    assert report.concentration == pytest.approx(0.4**2 + 3 * 0.2**2)
    assert report.cosine == pytest.approx(0.5)


def test_rows_of_a_flat_batch_by_question() -> None:
    found = by_question([1.0, 2.0, 3.0, 4.0], ["b", "a", "b", "a"])
    assert found.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    with pytest.raises(ConfigError, match="1 to 2 rollouts"):
        by_question([1.0, 2.0, 3.0], [0, 0, 1])


def test_what_is_missing_is_named() -> None:
    rollouts = Rollouts(rewards=REWARDS)
    with pytest.raises(ConfigError, match=r"'spo' needs the rollouts' similarity"):
        estimate("spo", rollouts)
    with pytest.raises(ConfigError, match="unknown advantage 'magic'"):
        estimate("magic", rollouts)
    with pytest.raises(ConfigError, match="no option 'warmth'"):
        estimate("rloo", rollouts, warmth=1)
    with pytest.raises(ConfigError, match="two questions"):
        estimate("kriging", Rollouts(rewards=REWARDS[:1]))


def test_turns_not_taken_get_nothing() -> None:
    taken = np.array([[[True, False], [True, True], [True, True]]] * 2)
    found = estimate("rloo", Rollouts(rewards=REWARDS, taken=taken))
    assert found[0].tolist() == [[0.0, 0.0], [-1.5, -1.5], [1.5, 1.5]]
