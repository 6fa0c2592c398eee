"""Adapters for other trainers, against stand-ins with the signatures that these have."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
import types
from typing import Any

import numpy as np
import pytest
import torch

from docpipe.errors import ConfigError
from docpipe.testing import FakeEmbedder, FakeLanguageModel
from docpipe.training.rl.adapters import GOLD, packed, rllm
from docpipe.training.rl.adapters.rllm import DocAgentFlow, group_estimator, register_estimator
from docpipe.training.rl.adapters.skyrl import skyrl_environment
from docpipe.training.rl.adapters.tokens import token_estimator
from docpipe.training.rl.adapters.trl import trl_environment, trl_rows
from docpipe.training.rl.adapters.verl import verl_agent_loop
from docpipe.training.rl.env import DocEnv, EnvSettings
from docpipe.training.rl.rewards import RewardSettings
from docpipe.training.rl.toy import toy_model, toy_questions

LIBRARY, QUESTIONS = toy_questions(2)
QUESTION = QUESTIONS[0]
PAGE = QUESTION.pages[0][1]
SEARCH = f'<search>["{QUESTION.question}"]</search>'
READ = f"<read>[{PAGE}]</read>"


def make_env() -> DocEnv:
    return DocEnv(LIBRARY, EnvSettings(turns=4, reader="fake"), RewardSettings(correctness=0.0))


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    """A module by this name, with its parents."""
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        path = ".".join(parts[:count])
        module = types.ModuleType(path)
        module.__path__ = []
        monkeypatch.setitem(sys.modules, path, module)
    for key, value in members.items():
        setattr(module, key, value)


class TestTrl:
    def test_its_methods_are_tools_that_transformers_can_describe(self) -> None:
        from transformers.utils import get_json_schema

        made = trl_environment(make_env)()
        methods = dict(inspect.getmembers(type(made), predicate=inspect.isfunction))
        tools = {name for name in methods if not name.startswith("_")} - {"reset", "get_reward"}
        assert tools == {"search", "read", "finish"}
        for name in tools:
            schema = get_json_schema(getattr(made, name))["function"]
            assert schema["name"] == name
            assert schema["description"]

    def test_a_run_by_tool_calls_earns_its_reward(self) -> None:
        made = trl_environment(make_env)()
        (row, _) = trl_rows(QUESTIONS)
        assert QUESTION.question in row["prompt"][0]["content"]
        assert made.reset(**row) is None
        assert f"page {PAGE}" in made.search([QUESTION.question])
        assert QUESTION.answer in made.read([str(PAGE)], QUESTION.question)
        assert made.get_reward() == 1.0  # a model that just stops has finished
        assert made.search(["more"]) == "The search is over."
        made.reset(**row)
        made.finish()
        assert made.get_reward() == 0.0


class TestSkyRl:
    def test_a_run_by_text(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class BaseTextEnv:
            def __init__(self) -> None:
                self.turns, self.max_turns = 0, 1

        stand_in(monkeypatch, "skyrl_gym.envs.base_text_env", BaseTextEnv=BaseTextEnv)
        extras = {"reward_spec": {"ground_truth": packed(QUESTION)}}
        made = skyrl_environment(make_env)(env_config=None, extras=extras)
        assert made.max_turns == 4
        prompt, _ = made.init([])
        assert [turn["role"] for turn in prompt] == ["system", "user"]
        found = made.step(SEARCH)
        assert found.keys() == {"observations", "reward", "done", "metadata"}
        assert f"page {PAGE}" in found["observations"][0]["content"]
        assert made.step(READ)["reward"] == 1.0
        assert made.step("<FINISH>")["done"]
        assert made.turns == 3


class Server:
    """Writes scripted replies, as verl's servers do."""

    def __init__(self, tokenizer: Any, *replies: str) -> None:
        self.tokenizer, self.replies = tokenizer, list(replies)
        self.prompts: list[list[int]] = []

    async def generate(
        self, request_id: str, *, prompt_ids: list[int], sampling_params: dict[str, Any]
    ) -> Any:
        self.prompts.append(prompt_ids)
        ids = self.tokenizer(self.replies.pop(0))["input_ids"] + [self.tokenizer.eos_token_id]
        return types.SimpleNamespace(token_ids=ids, log_probs=[-0.5] * len(ids))


class TestVerl:
    @pytest.fixture
    def loop(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        class AgentLoopBase:
            def __init__(self, tokenizer: Any, server_manager: Any) -> None:
                self.tokenizer, self.server_manager = tokenizer, server_manager

        self.registered: dict[str, type] = {}
        stand_in(
            monkeypatch,
            "verl.experimental.agent_loop.agent_loop",
            AgentLoopBase=AgentLoopBase,
            AgentLoopOutput=types.SimpleNamespace,
            AgentLoopMetrics=dict,
            register=lambda name: lambda made: self.registered.setdefault(name, made),
        )
        _, tokenizer = toy_model(make_env(), QUESTIONS)
        self.server = Server(tokenizer, SEARCH, READ, "<FINISH>")
        self.tokenizer = tokenizer
        return lambda length: verl_agent_loop(make_env, length)(tokenizer, self.server)

    def run(self, loop: Any) -> Any:
        given = {"extra_info": {GOLD: packed(QUESTION)}, "raw_prompt": []}
        return asyncio.run(loop.run({"temperature": 1.0}, **given))

    def test_tokens_in_and_tokens_out(self, loop: Any) -> None:
        output = self.run(loop(4000))
        assert self.registered.keys() == {"docpipe"}
        assert output.reward_score == 1.0
        lengths = {len(output.response_ids), len(output.response_mask)}
        assert lengths == {len(output.response_logprobs)}
        mine = np.array(output.response_mask) == 1
        text = self.tokenizer.decode(np.array(output.response_ids)[mine].tolist())
        assert text == "<end>".join([SEARCH, READ, "<FINISH>", ""])
        assert set(np.array(output.response_logprobs)[mine]) == {-0.5}
        last = self.server.prompts[-1]
        assert (output.prompt_ids + output.response_ids)[: len(last)] == last

    def test_a_run_too_long_is_ended(self, loop: Any) -> None:
        output = self.run(loop(30))
        assert 0 < len(output.response_ids) == len(output.response_mask) <= 30
        assert output.num_turns == 2


class TestTokens:
    def test_it_agrees_with_rloo_by_hand(self) -> None:
        rewards = torch.tensor([[0.0, 1.0], [0.0, 3.0], [2.0, 0.0], [4.0, 0.0]])
        mask = torch.tensor([[1.0, 1.0], [1.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
        index = np.array(["b", "a", "b", "a"])
        found, returns = token_estimator("rloo")(
            token_level_rewards=rewards, response_mask=mask, index=index, config=None
        )
        assert found.tolist() == [[-1.0, -1.0], [-1.0, -1.0], [1.0, 0.0], [1.0, 0.0]]
        assert torch.equal(found, returns)

    def test_what_needs_trajectories_is_refused(self) -> None:
        rewards, mask = torch.ones(2, 1), torch.ones(2, 1)
        with pytest.raises(ConfigError, match="similarity"):
            token_estimator("spo")(rewards, mask, np.array([0, 0]))


class TestRllm:
    def test_a_flow_makes_an_episode(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made = types.SimpleNamespace
        stand_in(monkeypatch, "rllm.types", Step=made, Trajectory=made, Episode=made)
        asked: list[tuple[str, str]] = []

        def server(model: str, *, base_url: str) -> FakeLanguageModel:
            asked.append((model, base_url))
            return FakeLanguageModel([SEARCH, READ, "<FINISH>"])

        monkeypatch.setattr(rllm, "OpenAiModel", server)
        task = made(metadata={GOLD: packed(QUESTION)})
        config = made(model="m", base_url="http://gateway/v1", session_uid="s", metadata={})
        episode = DocAgentFlow(make_env).run(task, config)
        assert asked == [("m", "http://gateway/v1")]
        (trajectory,) = episode.trajectories
        assert trajectory.reward == 1.0
        assert [step.reward for step in trajectory.steps] == [0.0, 1.0, 0.0]
        assert trajectory.signals["recall"] == 1.0

    def test_estimators_see_trajectories(self, monkeypatch: pytest.MonkeyPatch) -> None:
        registered: dict[str, Any] = {}
        stand_in(
            monkeypatch,
            "rllm.trainer.algorithms.advantage",
            register_rllm_adv_estimator=lambda name: lambda made: registered.update({name: made}),
        )
        register_estimator("spo", FakeEmbedder())

        def group(*texts: str) -> Any:
            made = types.SimpleNamespace
            steps = [[made(output=text, metadata={"observation": "page 1"})] for text in texts]
            return made(trajectories=[made(steps=one) for one in steps])

        groups = [group("mill", "mill"), group("mill", "a wholly other text")]
        rewards = [np.array([1.0, 0.0])] * 2
        found, _ = registered["docpipe_spo"](rewards, None, traj_groups=groups)
        assert found[0].tolist() == pytest.approx([0.5, -0.5])
        assert 0 < found[1][0] < 0.5  # less alike: more of its own weight is lost

    def test_one_without_similarity(self) -> None:
        found, _ = group_estimator("rloo")([np.array([1.0, 0.0]), np.array([1.0, 1.0])])
        assert [group.tolist() for group in found] == [[1.0, -1.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("call", "package"),
    [
        (lambda: skyrl_environment(make_env), "skyrl_gym"),
        (lambda: verl_agent_loop(make_env, 100), "verl"),
        (lambda: DocAgentFlow(make_env), "rllm"),
        (lambda: register_estimator("rloo"), "rllm"),
    ],
)
def test_a_missing_framework_is_told(
    call: Any, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib, "import_module", _missing)
    with pytest.raises(ConfigError, match=f"install {package}"):
        call()


def _missing(name: str) -> None:
    raise ModuleNotFoundError(f"No module named {name!r}", name=name)
