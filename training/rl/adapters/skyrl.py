"""SkyRL: a text environment for `skyrl_gym.register`, with the seeker's action grammar.

Rows of the data set carry the question in `reward_spec.ground_truth`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from docpipe.agents.mmdocr1.history import message
from docpipe.agents.mmdocr1.seeker import seeker_prompt
from docpipe.agents.prompts import fenced
from docpipe.records import Message, TextPart
from docpipe.training.rl.adapters import framework, unpacked
from docpipe.training.rl.env import DocEnv

Chat = list[dict[str, str]]


def skyrl_environment(make_env: Callable[[], DocEnv], *, brief: bool = True) -> type[Any]:
    """The class of the environment. Raises ConfigError without skyrl_gym."""
    base = framework("skyrl_gym.envs.base_text_env").BaseTextEnv

    class DocTextEnv(base):  # type: ignore[misc, valid-type]
        def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
            super().__init__()
            self._env = make_env()
            self._question = unpacked((extras or {})["reward_spec"]["ground_truth"])
            self.max_turns = self._env.settings.turns

        def init(self, prompt: Chat) -> tuple[Chat, dict[str, Any]]:
            """The data set's prompt gives way to the seeker's."""
            state = self._env.reset(self._question)
            return chat(seeker_prompt(state, "chat", brief=brief)), {}

        def step(self, action: str) -> dict[str, Any]:
            self.turns += 1
            outcome = self._env.step(action)
            told = message("user", fenced("results", outcome.step.observation))
            return {
                "observations": [] if outcome.done else chat([told]),
                "reward": self._env.rewards.total(outcome.rewards),
                "done": outcome.done,
                "metadata": outcome.rewards,
            }

    return DocTextEnv


def chat(messages: tuple[Message, ...] | list[Message]) -> Chat:
    """Messages of text as dicts of role and content."""
    return [
        {
            "role": said.role,
            "content": "\n".join(part.text for part in said.parts if isinstance(part, TextPart)),
        }
        for said in messages
    ]
