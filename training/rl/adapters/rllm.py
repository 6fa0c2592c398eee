"""rLLM: the agent as a flow that it trains, and docpipe's estimators, similarity among them.

rLLM's gateway stands between the flow and the model and keeps the tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from docpipe.agents.endpoint import OpenAiModel
from docpipe.agents.mmdocr1.seeker import SeekerPolicy
from docpipe.stages import Embedder
from docpipe.training.rl.adapters import GOLD, framework, unpacked
from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.rollouts import Floats, Rollouts, by_question, estimate
from docpipe.training.rl.similarity import rollout_similarity

Groups = list[Floats]


class DocAgentFlow:
    """An AgentFlow: one trajectory called "seeker" for a task whose metadata hold the question."""

    def __init__(self, make_env: Callable[[], DocEnv], *, brief: bool = True) -> None:
        self._make_env, self._brief = make_env, brief
        self._types = framework("rllm.types")

    def run(self, task: Any, config: Any) -> Any:
        model = OpenAiModel(config.model, base_url=config.base_url)
        policy = SeekerPolicy(model, history="chat", plan=False, brief=self._brief, temperature=1.0)
        env, steps, done = self._make_env(), [], False
        state = env.reset(unpacked(task.metadata[GOLD]))
        while not done:
            decision = policy.decide(state)
            outcome = env.step(decision)
            done = outcome.done
            reward = env.rewards.total(outcome.rewards)
            told = {"observation": outcome.step.observation}
            steps.append(
                self._types.Step(output=decision.response, reward=reward, done=done, metadata=told)
            )
        parts = env.trajectory.rewards
        trajectory = self._types.Trajectory(
            name="seeker", steps=steps, reward=env.rewards.total(parts), signals=parts
        )
        answer = env.trajectory.answer.text
        return self._types.Episode(
            task=task, trajectories=[trajectory], artifacts={"answer": answer}
        )


def register_estimator(
    name: str, embedder: Embedder | None = None, **options: Any
) -> Callable[..., tuple[Groups, Groups]]:
    """Register the estimator called `name` as `docpipe_NAME`. With an embedder rollouts are
    compared by what their steps wrote and saw. Raises ConfigError without rLLM."""
    registry = framework("rllm.trainer.algorithms.advantage")
    made = group_estimator(name, embedder, **options)
    registry.register_rllm_adv_estimator(f"docpipe_{name}")(made)
    return made


def group_estimator(
    name: str, embedder: Embedder | None = None, **options: Any
) -> Callable[..., tuple[Groups, Groups]]:
    """The estimator as rLLM calls it: rewards of trajectories by group, to advantages and returns
    of the same shapes. Groups must be equally large."""

    def computed(
        rewards: Sequence[Floats], algorithm_config: Any = None, **given: Any
    ) -> tuple[Groups, Groups]:
        questions = np.repeat(np.arange(len(rewards)), [len(group) for group in rewards])
        batch = Rollouts(
            rewards=by_question(np.concatenate(rewards), questions),
            similarity=_similarity(given["traj_groups"], embedder) if embedder else None,
        )
        found = list(estimate(name, batch, **options)[..., 0])
        return found, found

    return computed


def _similarity(groups: Sequence[Any], embedder: Embedder) -> Floats:
    """Cosines of the trajectories of every group, [Q, N, N]."""
    rows = [[_texts(trajectory) for trajectory in group.trajectories] for group in groups]
    turns = max(len(texts) for row in rows for texts in row)
    found = np.zeros((len(rows), len(rows[0]), turns, embedder.dimension))
    for question, row in enumerate(rows):
        for number, texts in enumerate(row):
            if texts:
                found[question, number, : len(texts)] = embedder.embed_texts(texts)
    return rollout_similarity(found)


def _texts(trajectory: Any) -> list[str]:
    """What each step wrote and saw, not the prompt that all share."""
    return [
        f"{step.output}\n{(step.metadata or {}).get('observation', '')}"
        for step in trajectory.steps
    ]
