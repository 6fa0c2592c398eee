"""From rollouts to what estimators take, and to an advantage for every turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from docpipe import codec
from docpipe.records import Step
from docpipe.stages import Embedder
from docpipe.training.rl.rewards import RewardSettings
from docpipe.training.rl.rollouts import Bools, Floats, Ints, Rollouts, by_question, estimate
from docpipe.training.rl.runs import Rollout
from docpipe.training.rl.similarity import (
    WeightReport,
    prefix_similarity,
    report_weights,
    rollout_similarity,
)


class AdvantageSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`name` of an estimator and its `options`. `embedder` names what makes rollouts comparable
    ("minilm", "fake"; "" for none): similarity estimators need one, for others it is a report."""

    name: str = "rloo_turns"
    options: dict[str, Any] = {}
    embedder: str = ""


class Judged(NamedTuple):
    """Rollouts in the order of their advantages [B, T], and what was seen of their similarity."""

    rollouts: list[Rollout]
    advantages: Floats
    weights: WeightReport | None


def judge(
    rollouts: Sequence[Rollout],
    rewards: RewardSettings,
    settings: AdvantageSettings,
    embedder: Embedder | None,
) -> Judged:
    """Advantages of the turns of a batch, groups put together. Raises ConfigError for questions
    rolled out differently often, and where the estimator needs what is not there."""
    questions = [rollout.question for rollout in rollouts]
    batch = grouped(rollouts, rewards, embedder)
    found = estimate(settings.name, batch, **settings.options)
    order = by_question(np.arange(len(rollouts)), questions).reshape(-1)
    report = None if batch.similarity is None else report_weights(batch.similarity)
    return Judged([rollouts[i] for i in order], found.reshape(len(rollouts), -1), report)


def grouped(
    rollouts: Sequence[Rollout], rewards: RewardSettings, embedder: Embedder | None
) -> Rollouts:
    """The batch for estimators, [Q, N, T]; similarities where there is an embedder."""
    questions = [rollout.question for rollout in rollouts]
    turns = max([1, *(rollout.length for rollout in rollouts)])
    earned, taken = _turn_rewards(rollouts, rewards, turns)
    lengths = [float(sum(len(turn.choices.logp) for turn in r.turns)) for r in rollouts]
    similarity = prefixes = None
    if embedder is not None:
        vectors = by_question(_embedded(rollouts, turns, embedder), questions)
        reached = by_question(taken, questions)
        similarity = rollout_similarity(vectors, reached)
        prefixes = prefix_similarity(vectors, reached)
    return Rollouts(
        rewards=by_question([rewards.total(r.trajectory.rewards) for r in rollouts], questions),
        turn_rewards=by_question(earned, questions),
        taken=by_question(taken, questions),
        lengths=by_question(lengths, questions),
        states=by_question(_states(rollouts, turns), questions),
        similarity=similarity,
        prefix_similarity=prefixes,
    )


def turn_text(step: Step) -> str:
    """What a rollout is compared by: the action and what came back, without the prompt that all
    share, which would make all rollouts alike."""
    return f"{codec.encode(step.action).decode()}\n{step.observation}"


def _turn_rewards(
    rollouts: Sequence[Rollout], rewards: RewardSettings, turns: int
) -> tuple[Floats, Bools]:
    earned = np.zeros((len(rollouts), turns))
    taken = np.zeros((len(rollouts), turns), bool)
    for row, rollout in enumerate(rollouts):
        for column, turn in enumerate(rollout.turns):
            earned[row, column] = rewards.total(turn.rewards)
            taken[row, column] = True
    return earned, taken


def _states(rollouts: Sequence[Rollout], turns: int) -> Ints:
    """The state before each turn as a number: equal after equal turns of the same question."""
    numbers: dict[tuple[str, ...], int] = {}
    found = np.zeros((len(rollouts), turns), np.int64)
    for row, rollout in enumerate(rollouts):
        history: tuple[str, ...] = (rollout.question,)
        for column, turn in enumerate(rollout.turns):
            found[row, column] = numbers.setdefault(history, len(numbers))
            history = (*history, turn_text(turn.step))
    return found


def _embedded(rollouts: Sequence[Rollout], turns: int, embedder: Embedder) -> Floats:
    texts = [turn_text(turn.step) for rollout in rollouts for turn in rollout.turns]
    vectors = iter(embedder.embed_texts(texts) if texts else ())
    found = np.zeros((len(rollouts), turns, embedder.dimension))
    for row, rollout in enumerate(rollouts):
        for column in range(rollout.length):
            found[row, column] = next(vectors)
    return found
