"""Questions as small trees whose values and policy gradient are known exactly.

A question is a tree of T turns with K actions in each state; a state is the sequence of actions
before it, numbered so that the child by action a of state s is K s + a. A leaf is worth a reward of
1 with a probability that effects along the path add up to; actions on the way may earn some, as
reading a page with evidence does. The policy is a table of logits, so that every estimate of its
gradient can be compared with the truth. Axes as in docpipe.training.rl.rollouts; episodes may have
more in front than the forest they come from.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from docpipe.training.rl.rollouts import Floats, Ints, Rollouts

PIECES = 2
EVIDENCE_EFFECT = 1.5


class TreeShape(msgspec.Struct, frozen=True):
    """How trees are drawn.

    `spread` is the deviation of the policy's logits (0: uniform), `effect` that of the sum of a
    path's effects on the log-odds of success, `difficulty` that of the log-odds of questions. With
    `certain` a leaf's reward is drawn once, not anew with every visit. An action finds evidence
    with the chance `evidence`: the first PIECES of them earn an equal share of 1 at once and add
    EVIDENCE_EFFECT to the log-odds.
    """

    actions: int = 3
    turns: int = 4
    spread: float = 0.7
    effect: float = 1.5
    difficulty: float = 1.0
    certain: bool = False
    evidence: float = 0.0


class Forest(msgspec.Struct, frozen=True, eq=False):
    """Trees side by side: `logits[t]` and what actions earn at once, `earned[t]`, [..., Q, K^t, K],
    and the leaves' chances [..., Q, K^T]."""

    logits: tuple[Floats, ...]
    earned: tuple[Floats, ...]
    leaves: Floats

    @property
    def policy(self) -> list[Floats]:
        """Probabilities of the actions, in the shape of the logits."""
        return [_softmax(logits) for logits in self.logits]

    def values(self) -> list[Floats]:
        """What is still to be earned from every state before turn t, [..., Q, K^t], t = 0 to T."""
        found = [self.leaves]
        for policy, earned in zip(reversed(self.policy), reversed(self.earned), strict=True):
            found.append((policy * (earned + found[-1].reshape(policy.shape))).sum(-1))
        return found[::-1]

    def gradient(self) -> Floats:
        """d V(root) / d logits, exactly, all turns in one row: [..., Q, D]."""
        values, rows = self.values(), []
        reached = np.ones(self.leaves[..., :1].shape)
        for turn, policy in enumerate(self.policy):
            visits = reached[..., None] * policy
            worth = self.earned[turn] + values[turn + 1].reshape(policy.shape)
            advantage = worth - values[turn][..., None]
            rows.append((visits * advantage).reshape(*self.leaves.shape[:-1], -1))
            reached = visits.reshape(*self.leaves.shape[:-1], -1)
        return np.concatenate(rows, -1)

    def ascended(self, gradient: Floats, rate: float) -> Forest:
        """The forest after a step of the policy along `gradient` [..., Q, D]."""
        sizes = np.cumsum([logits.shape[-2] * logits.shape[-1] for logits in self.logits])
        parts = np.split(gradient, sizes[:-1], -1)
        moved = (
            logits + rate * part.reshape(logits.shape)
            for logits, part in zip(self.logits, parts, strict=True)
        )
        return Forest(tuple(moved), self.earned, self.leaves)


class Episodes(msgspec.Struct, frozen=True, eq=False):
    """Rollouts in trees: states [..., Q, N, T + 1], actions, branches and what each turn earned
    [..., Q, N, T], and the number of turns that were sampled for a question."""

    states: Ints
    actions: Ints
    branches: Ints
    turn_rewards: Floats
    cost: int

    @property
    def rewards(self) -> Floats:
        """Of whole rollouts, [..., Q, N]."""
        return np.asarray(self.turn_rewards.sum(-1))

    def same_prefix(self) -> Floats:
        """1 where two rollouts stand in the same state before turn t, else 0: [..., Q, T, N, N]."""
        states = np.swapaxes(self.states[..., :-1], -1, -2)
        return np.asarray(states[..., :, None] == states[..., None, :], float)

    def common_share(self) -> Floats:
        """The share of their turns that two rollouts have in common: [..., Q, N, N]."""
        states = self.states[..., 1:]
        return np.asarray((states[..., :, None, :] == states[..., None, :, :]).mean(-1))


def draw_forest(rng: np.random.Generator, shape: TreeShape, *axes: int) -> Forest:
    """A forest of random trees, its leading axes as given."""
    count = shape.actions
    odds = rng.normal(0.0, shape.difficulty, (*axes, 1))
    pieces = np.zeros((*axes, 1))
    logits, earned = [], []
    for turn in range(shape.turns):
        states = (*axes, count**turn, count)
        logits.append(rng.normal(0.0, shape.spread, states))
        effects = rng.normal(0.0, shape.effect / np.sqrt(shape.turns), states)
        found = (rng.random(states) < shape.evidence) & (pieces[..., None] < PIECES)
        earned.append(found / PIECES)
        pieces = (pieces[..., None] + found).reshape(*axes, -1)
        odds = (odds[..., None] + effects + EVIDENCE_EFFECT * found).reshape(*axes, -1)
    leaves = 1.0 / (1.0 + np.exp(-odds))
    if shape.certain:
        leaves = (rng.random(leaves.shape) < leaves).astype(float)
    return Forest(tuple(logits), tuple(earned), leaves)


def side_by_side(forests: Sequence[Forest]) -> Forest:
    """Forests of one shape as one, on a new first axis."""

    def stacked(levels: Sequence[tuple[Floats, ...]]) -> tuple[Floats, ...]:
        return tuple(np.stack(level) for level in zip(*levels, strict=True))

    return Forest(
        stacked([forest.logits for forest in forests]),
        stacked([forest.earned for forest in forests]),
        np.stack([forest.leaves for forest in forests]),
    )


def roll(
    rng: np.random.Generator, forest: Forest, forks: Sequence[int], *axes: int, answers: int = 1
) -> Episodes:
    """Roll out every question, with `axes` for repetitions in front; `forks[t]` turns are sampled
    in each state that turn t starts from.

    (8, 1, 1, 1) are 8 rollouts, (4, 1, 1, 2) are 4, each with its last turn sampled twice: 8 that
    share all but the last turn in pairs. A leaf's reward is the mean of `answers` draws, or with 0
    the chance itself.
    """
    lead, total = (*axes, *forest.leaves.shape[:-1]), int(np.prod(forks))
    states = np.zeros((*lead, 1), np.int64)
    seen, actions, branches = [np.zeros((*lead, total), np.int64)], [], []
    earned, cost = [], 0
    for policy, gains, fork in zip(forest.policy, forest.earned, forks, strict=True):
        states = np.repeat(states, fork, -1)
        width = states.shape[-1]
        copies, cost = total // width, cost + width
        limits = _rows(np.cumsum(policy, -1), states)[..., :-1]
        chosen = (rng.random((*states.shape, 1)) > limits).sum(-1)
        gained = np.take_along_axis(_rows(gains, states), chosen[..., None], -1)[..., 0]
        states = states * policy.shape[-1] + chosen
        seen.append(np.repeat(states, copies, -1))
        actions.append(np.repeat(chosen, copies, -1))
        earned.append(np.repeat(gained, copies, -1))
        branches.append(np.broadcast_to(np.repeat(np.arange(width), copies), (*lead, total)))
    chance = _rows(forest.leaves[..., None], states)[..., 0]
    ending = rng.binomial(answers, chance) / answers if answers else chance
    earned[-1] = earned[-1] + ending
    return Episodes(
        np.stack(seen, -1),
        np.stack(actions, -1),
        np.stack(branches, -1),
        np.stack(earned, -1),
        cost,
    )


def known_values(forest: Forest, episodes: Episodes) -> Floats:
    """What is still to be earned before each turn and at the end, [..., Q, N, T + 1]; the leaf's
    chance counts as the end's."""
    parts = [
        _rows(values[..., None], episodes.states[..., turn])[..., 0]
        for turn, values in enumerate(forest.values())
    ]
    return np.stack(parts, -1)


def gradient_estimate(forest: Forest, episodes: Episodes, advantages: Floats) -> Floats:
    """The mean over rollouts of sum_t A_it d log pi(a_it | s_it) / d logits: [..., Q, D]."""
    *lead, count = episodes.rewards.shape
    rows = []
    for turn, policy in enumerate(forest.policy):
        states, width = episodes.states[..., turn], policy.shape[-1]
        weight = np.broadcast_to(advantages, episodes.actions.shape)[..., turn] / count
        chances = _rows(policy, states)
        taken = episodes.actions[..., turn, None] == np.arange(width)
        scores = (taken - chances) * weight[..., None]
        rows.append(_summed_by_state(scores, states, policy.shape[-2]).reshape(*lead, -1))
    return np.concatenate(rows, -1)


def rollouts_of(episodes: Episodes) -> Rollouts:
    """What estimators get to see of episodes, with exact similarities; forks and rewards by turn
    only where there are any."""
    forked = int(episodes.branches[..., 0].max()) + 1 < episodes.branches.shape[-2]
    by_turn = bool(episodes.turn_rewards[..., :-1].any())
    return Rollouts(
        rewards=episodes.rewards,
        turn_rewards=episodes.turn_rewards if by_turn else None,
        states=episodes.states[..., :-1],
        branches=episodes.branches if forked else None,
        lengths=np.full(episodes.rewards.shape, float(episodes.actions.shape[-1])),
        similarity=episodes.common_share(),
        prefix_similarity=episodes.same_prefix(),
    )


def _rows(table: Floats, states: Ints) -> Floats:
    """The rows of a table [..., S, K] that belong to states [..., N]: [..., N, K]."""
    spread = np.broadcast_to(table, (*states.shape[:-1], *table.shape[-2:]))
    return np.take_along_axis(spread, states[..., None], -2)


def _softmax(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(weights / weights.sum(-1, keepdims=True))


def _summed_by_state(scores: Floats, states: Ints, count: int) -> Floats:
    """Scores [..., N, K] of states [..., N] added up by state: [..., count, K]."""
    groups = states.reshape(-1, states.shape[-1])
    offset = np.arange(len(groups))[:, None] * count
    flat = np.zeros((len(groups) * count, scores.shape[-1]))
    np.add.at(flat, (groups + offset).reshape(-1), scores.reshape(-1, scores.shape[-1]))
    return flat.reshape(*states.shape[:-1], count, scores.shape[-1])
