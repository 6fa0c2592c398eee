"""What comes of rolling a policy out: its runs, turn by turn."""

from __future__ import annotations

import msgspec

from docpipe.records import Step, Trajectory
from docpipe.training.rl.policy import Choices


class Turn(msgspec.Struct, frozen=True):
    """A decision of the policy within a rollout: the choices that made it, the step that came of
    it, and the parts of the reward that it earned at once."""

    choices: Choices
    step: Step
    rewards: dict[str, float] = {}


class Rollout(msgspec.Struct, frozen=True):
    """One run of a policy: `question` is the id, `number` counts those of a question.

    `turns` are those that the policy decided: a Finish at a bound of the budget is a step of the
    trajectory only. `trajectory.rewards` are the parts of the whole run, those of turns included.
    """

    question: str
    number: int
    turns: tuple[Turn, ...]
    trajectory: Trajectory

    @property
    def length(self) -> int:
        """Turns."""
        return len(self.turns)
