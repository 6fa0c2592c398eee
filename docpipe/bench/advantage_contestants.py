"""Estimators of advantages as the bench `advantages` tries them, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
import numpy as np

from docpipe.training.rl.advantages import discounted_returns, gae
from docpipe.training.rl.rollouts import Floats, estimate
from docpipe.training.rl.tabular import Episodes, Forest, known_values, rollouts_of

Contestant = Callable[[Forest, Episodes], Floats]


def _named(name: str, **changes: Callable[[Episodes], object]) -> Contestant:
    """An estimator by name, what it sees changed as said."""

    def contestant(forest: Forest, episodes: Episodes) -> Floats:
        seen = rollouts_of(episodes)
        values = {field: change(episodes) for field, change in changes.items()}
        return estimate(name, msgspec.structs.replace(seen, **values))

    return contestant


def _near(episodes: Episodes) -> Floats:
    """Cosines as an embedder of whole texts gives them: all high."""
    return 0.8 + 0.2 * episodes.common_share()


def _graded(episodes: Episodes) -> Floats:
    """The share of two prefixes that is the same, the question itself counted as a turn."""
    same = episodes.same_prefix()
    turns = np.arange(1, same.shape[-3] + 1)[:, None, None]
    return np.asarray(np.cumsum(same, -3) / turns)


def _known_values(forest: Forest, episodes: Episodes) -> Floats:
    """The best that a baseline can be, but for a correction by the length of scores."""
    return _ahead(episodes) - known_values(forest, episodes)[..., :-1]


def _gae_fitted(forest: Forest, episodes: Episodes) -> Floats:
    """GAE, lam 0.95, with the values that kriging predicts in the place of a critic's."""
    values = _ahead(episodes) - CONTESTANTS["kriging"](forest, episodes)
    return gae(episodes.turn_rewards, values, lam=0.95)


def _ahead(episodes: Episodes) -> Floats:
    turns = episodes.turn_rewards.shape[-1]
    return discounted_returns(episodes.rewards, episodes.turn_rewards, turns)


PLAINLY = ("reinforce", "reinforce_pp", "dr_grpo", "grpo", "rloo", "rloo_turns", "gigpo",
           "spo_prefix", "kriging")  # fmt: skip
CONTESTANTS: Mapping[str, Contestant] = {
    **{name: _named(name) for name in PLAINLY},
    "spo_near": _named("spo", similarity=_near),
    "spo_far": _named("spo"),
    "spo_leave_one_out": _named("spo_leave_one_out", similarity=_near),
    "spo_softmax": _named("spo_softmax", similarity=_near),
    "spo_prefix_graded": _named("spo_prefix", prefix_similarity=_graded),
    "kriging_question": _named(
        "kriging", prefix_similarity=lambda _: None, branches=lambda _: None
    ),
    "kriging_forks": _named("kriging", prefix_similarity=lambda _: None),
    "gae_fitted": _gae_fitted,
    "known_values": _known_values,
}
