"""Demonstrations to imitate before reinforcement: runs of another policy, or stored trajectories.

Both are replayed in the environment, so that the learner sees in every turn the state that it would
have been in, and the choices that it would have had to make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from docpipe import codec, registry
from docpipe.agents.mmdocr1.state import Decision, Policy, State
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.errors import ConfigError
from docpipe.records import Trajectory
from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.policy import Choices, TrainablePolicy
from docpipe.training.rl.settings import ImitationSettings

Teacher = Callable[[State], Decision]


def demonstrations(
    policy: TrainablePolicy[Any],
    env: DocEnv,
    questions: Sequence[GoldQuestion],
    settings: ImitationSettings,
) -> list[list[Choices]]:
    """The choices of every demonstrated run, turn by turn. A run ends where the learner cannot make
    a decision. Raises ConfigError where nothing is left to imitate."""
    runs = [
        choices
        for question, teacher in _teachers(questions, settings.source)
        if (choices := _demonstrated(policy, env, question, teacher, settings.least))
    ]
    if not runs:
        raise ConfigError(
            f"nothing to imitate in {settings.source}",
            hint="lower imitation.least, or name trajectories for these questions",
        )
    return runs


def read_trajectories(path: Path) -> list[Trajectory]:
    """Trajectories in JSON Lines. Raises ConfigError, SchemaError."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    return [codec.decode(line, Trajectory) for line in lines if line.strip()]


def _teachers(
    questions: Sequence[GoldQuestion], source: str
) -> Iterator[tuple[GoldQuestion, Teacher]]:
    if not source.endswith(".jsonl"):
        policy: Policy = registry.build("policy", source)
        yield from ((question, policy.decide) for question in questions)
        return
    by_question = {question.question: question for question in questions}
    for trajectory in read_trajectories(Path(source)):
        if question := by_question.get(trajectory.question):
            yield question, _replayed(trajectory)


def _replayed(trajectory: Trajectory) -> Teacher:
    def decide(state: State) -> Decision:
        step = trajectory.steps[len(state.steps)]
        return Decision(step.action, step.thought, response=step.response)

    return decide


def _demonstrated(
    policy: TrainablePolicy[Any],
    env: DocEnv,
    question: GoldQuestion,
    teacher: Teacher,
    least: float,
) -> list[Choices]:
    state, found = env.reset(question), []
    follows, done = True, False
    while not done:
        decision = teacher(state)
        choices = policy.demonstrate(state, decision) if follows else None
        follows = choices is not None
        if choices is not None:
            found.append(choices)
        done = env.step(decision).done
    return found if env.rewards.total(env.trajectory.rewards) >= least else []
