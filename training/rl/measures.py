"""What is logged of rollouts, and early signs that a policy collapses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docpipe.agents.mmdocr1.state import pages_read
from docpipe.records import Finish, Malformed
from docpipe.training.rl.rewards import PARTS, RewardSettings
from docpipe.training.rl.runs import Rollout

SAME = 1e-9
WINDOW = 5
LEAST_ENTROPY = 0.1
MOST_SAME = 0.8
MOST_KL = 1.0
MOST_MALFORMED = 0.5


def measures(rollouts: Sequence[Rollout], rewards: RewardSettings) -> dict[str, float]:
    """Means over rollouts: the reward and its parts as far as they are defined, turns, choices of a
    turn, pages read; and shares: `same` of questions whose rollouts all earn the same, which teach
    nothing, `malformed` of turns that are no action, `ended` of runs that the policy ended."""
    totals = [rewards.total(rollout.trajectory.rewards) for rollout in rollouts]
    found = {"reward": _mean(totals)}
    for name in PARTS:
        parts = [r.trajectory.rewards[name] for r in rollouts if name in r.trajectory.rewards]
        if parts:
            found[name] = _mean(parts)
    groups: dict[str, list[float]] = {}
    for rollout, total in zip(rollouts, totals, strict=True):
        groups.setdefault(rollout.question, []).append(total)
    same = [max(group) - min(group) < SAME for group in groups.values()]
    turns = [turn for rollout in rollouts for turn in rollout.turns]
    ended = [bool(r.turns) and isinstance(r.turns[-1].step.action, Finish) for r in rollouts]
    return found | {
        "same": _mean(same),
        "turns": _mean([rollout.length for rollout in rollouts]),
        "choices": _mean([len(turn.choices.logp) for turn in turns]),
        "pages": _mean([len(pages_read(rollout.trajectory)) for rollout in rollouts]),
        "malformed": _mean([isinstance(turn.step.action, Malformed) for turn in turns]),
        "ended": _mean(ended),
    }


def warnings(history: Sequence[Mapping[str, float]]) -> list[str]:
    """What in the rows of the last steps looks like a collapse, in words.

    The bounds are ours: entropy a tenth of that at the start, four of five groups without a
    difference in reward, a mean KL above 1 nat a choice, every second turn malformed.
    """
    recent, first = history[-WINDOW:], history[:WINDOW]
    if len(history) < 2 * WINDOW:
        return []
    found = []
    if _over(recent, "entropy") < LEAST_ENTROPY * _over(first, "entropy"):
        found.append("entropy is a tenth of what it was: the policy repeats itself")
    if _over(recent, "same") > MOST_SAME:
        found.append("most groups earn all the same: there is little left to learn from")
    if _over(recent, "kl") > MOST_KL:
        found.append("the policy is far from its reference: lower the rate or raise kl")
    if _over(recent, "malformed") > MOST_MALFORMED:
        found.append("most turns are no action: give format a weight, or imitate first")
    return found


def _over(rows: Sequence[Mapping[str, float]], name: str) -> float:
    return _mean([row.get(name, 0.0) for row in rows])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
