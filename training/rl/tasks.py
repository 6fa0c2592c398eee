"""What is trained on, and what comes of it: questions with what is known of them, and rollouts."""

from __future__ import annotations

import msgspec

from docpipe.agents.tools import PageKey
from docpipe.datasets.matching import GoldFormat
from docpipe.records import Record, Step, Trajectory
from docpipe.training.rl.policy import Choices


class Task(Record, frozen=True):
    """A question with what is known of its answer.

    `documents` are the ids of those asked, all of the library for (). `pages` are the pages that
    hold the evidence, as (document, page from 1). Where `answerable` is False the right answer is a
    refusal; `answer` and `format` are then not looked at.
    """

    id: str
    question: str
    answer: str = ""
    format: GoldFormat = "Str"
    pages: tuple[PageKey, ...] = ()
    documents: tuple[str, ...] = ()
    answerable: bool = True


class Turn(msgspec.Struct, frozen=True):
    """A decision of the policy within a rollout: the choices that made it, the step that came of
    it, and the parts of the reward that it earned at once."""

    choices: Choices
    step: Step
    rewards: dict[str, float] = {}


class Rollout(msgspec.Struct, frozen=True):
    """One run of a policy on a task, `number` of those of one task.

    `turns` are those that the policy decided: a Finish at a bound of the budget is a step of the
    trajectory only. `trajectory.rewards` are the parts of the whole run, those of turns included.
    """

    task: str
    number: int
    turns: tuple[Turn, ...]
    trajectory: Trajectory

    @property
    def length(self) -> int:
        """Turns."""
        return len(self.turns)
