"""TRL: `GRPOTrainer(…, environment_factory=trl_environment(make_env), train_dataset=rows)`.

TRL calls the tools by the model's own tool calling: every public method but `reset` and
`get_reward` is a tool, described by its types and docstring. Its advantages are its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from docpipe.agents.mmdocr1.state import Decision
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.records import Action, Finish, Search
from docpipe.training.rl.adapters import GOLD, packed, unpacked
from docpipe.training.rl.env import DocEnv

_TASK = "Find the pages that answer the question with the tools, then finish. Question: "
_OVER = "The search is over."


class TrlEnvironment:
    """A DocEnv whose actions are tools."""

    def __init__(self, env: DocEnv) -> None:
        self._env = env
        self._done = True

    def reset(self, gold: str, **_: Any) -> None:
        self._env.reset(unpacked(gold))
        self._done = False

    def get_reward(self) -> float:
        if not self._done:
            self._step(Decision(Finish("the model has stopped")))
        return self._env.rewards.total(self._env.trajectory.rewards)

    def search(self, queries: list[str]) -> str:
        """Search all pages.

        Args:
            queries: Keywords to search for, one list entry for each search.

        Returns:
            Page ids with scores and snippets.
        """
        return self._act(Search(tuple(queries)))

    def read(self, pages: list[str], question: str) -> str:
        """Read pages.

        Args:
            pages: Ids of pages as a search gives them.
            question: What to look for there.

        Returns:
            What the pages say about the question.
        """
        return self._step(f"<read>{json.dumps([{'page_ids': pages, 'query': question}])}</read>")

    def finish(self) -> str:
        """End the search, once the pages read hold the answer or it cannot be found.

        Returns:
            That the search is over.
        """
        return self._act(Finish("the model has finished"))

    def _act(self, action: Action) -> str:
        return self._step(Decision(action))

    def _step(self, decision: Decision | str) -> str:
        if self._done:
            return _OVER
        outcome = self._env.step(decision)
        self._done = outcome.done
        return outcome.step.observation or _OVER


def trl_environment(make_env: Callable[[], DocEnv]) -> Callable[[], TrlEnvironment]:
    """What `environment_factory` takes; each rollout has an environment of its own."""
    return lambda: TrlEnvironment(make_env())


def trl_rows(questions: Iterable[GoldQuestion]) -> list[dict[str, Any]]:
    """Rows of the data set: the prompt, and what `reset` is told."""
    return [
        {
            "prompt": [{"role": "user", "content": f"{_TASK}{question.question}"}],
            GOLD: packed(question),
        }
        for question in questions
    ]
