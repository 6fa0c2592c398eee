"""A batch of rollouts, and the call of any advantage estimator on it.

    advantages = estimate("rloo", Rollouts(rewards=rewards))          # [Q, N, 1]
    advantages = estimate("kriging", Rollouts(rewards=…, prefix_similarity=…))  # [Q, N, T]

Axes, in this order: Q questions, each rolled out N times, T turns at most; any axes before them are
batches of their own. An estimator is a plain function whose arguments are named as the fields of
Rollouts, found by name through docpipe.registry (kind "advantage"); its result is [..., Q, N] where
all turns of a rollout share a number, or [..., Q, N, T].
"""

from __future__ import annotations

import inspect
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from docpipe.errors import ConfigError
from docpipe.registry import resolve

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Rollouts(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """What estimators may use; each names what it needs.

    rewards            [..., Q, N]        of whole rollouts; the mean over its answers where
                                          several were sampled
    turn_rewards       [..., Q, N, T]     their parts by the turn that earned them
    taken              [..., Q, N, T]     False after a rollout's last turn; absent: all True
    lengths            [..., Q, N]        tokens that the model wrote
    states             [..., Q, N, T]     the state before each turn as a number
    branches           [..., Q, N, T]     each sampled turn as a number: rollouts forked from one
                                          prefix have the same up to the fork; absent: no forks
    similarity         [..., Q, N, N]     of whole rollouts
    prefix_similarity  [..., Q, T, N, N]  of what came before turn t; 1 at the first
    values             [..., Q, N, T]     a critic's value of the state before each turn
    """

    rewards: Floats
    turn_rewards: Floats | None = None
    taken: Bools | None = None
    lengths: Floats | None = None
    states: Ints | None = None
    branches: Ints | None = None
    similarity: Floats | None = None
    prefix_similarity: Floats | None = None
    values: Floats | None = None


def estimate(name: str, rollouts: Rollouts, **options: Any) -> Floats:
    """Advantages [..., Q, N, T] by the estimator called `name`, 0 at turns that were not taken.

    T is 1 where nothing in `rollouts` has turns. `options` are the estimator's own. Raises
    ConfigError for an unknown name or option, and where a field that it needs is absent.
    """
    estimator = resolve("advantage", name)
    parameters = inspect.signature(estimator).parameters
    unknown = sorted(set(options) - set(parameters))
    if unknown:
        raise ConfigError(f"advantage {name!r} has no option {unknown[0]!r}")
    arguments = {
        field: getattr(rollouts, field)
        for field in parameters
        if field in Rollouts.__struct_fields__ and getattr(rollouts, field) is not None
    }
    for field, parameter in parameters.items():
        if parameter.default is parameter.empty and field not in arguments:
            raise ConfigError(f"advantage {name!r} needs the rollouts' {field}")
    found: Floats = estimator(**arguments, **options)
    return _by_turn(found, rollouts)


def by_question(values: npt.ArrayLike, questions: npt.ArrayLike) -> npt.NDArray[Any]:
    """Rows of a flat batch put together by question: [B, ...] to [Q, N, ...], in order of first
    appearance. Raises ConfigError where questions were not rolled out equally often."""
    rows, ids = np.asarray(values), np.asarray(questions)
    _, first, inverse, counts = np.unique(
        ids, return_index=True, return_inverse=True, return_counts=True
    )
    if len(set(counts.tolist())) != 1:
        raise ConfigError(
            f"questions have {counts.min()} to {counts.max()} rollouts, not equally many",
            hint="a rollout that failed counts with its reward, not as absent",
        )
    order = np.argsort(first[inverse], kind="stable")
    return rows[order].reshape(len(counts), int(counts[0]), *rows.shape[1:])


def _by_turn(found: Floats, rollouts: Rollouts) -> Floats:
    turns = next(
        (
            field.shape[-1]
            for field in (
                rollouts.taken,
                rollouts.turn_rewards,
                rollouts.states,
                rollouts.branches,
                rollouts.values,
            )
            if field is not None
        ),
        rollouts.prefix_similarity.shape[-3] if rollouts.prefix_similarity is not None else 1,
    )
    if found.ndim == rollouts.rewards.ndim:
        found = np.repeat(found[..., None], turns, axis=-1)
    return found if rollouts.taken is None else np.where(rollouts.taken, found, 0.0)
