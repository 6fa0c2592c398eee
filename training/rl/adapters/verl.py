"""verl: an agent loop, tokens in and tokens out, for `actor_rollout_ref.rollout.multi_turn`.

Rows of the data set name the loop in `agent_name` and carry the question in `extra_info`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from docpipe.agents.mmdocr1.seeker import seeker_prompt
from docpipe.agents.mmdocr1.state import Decision
from docpipe.errors import ConfigError
from docpipe.records import Finish
from docpipe.training.rl.adapters import GOLD, framework, unpacked
from docpipe.training.rl.chats import Chats
from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.language import TokenChoices, response_mask


def verl_agent_loop(
    make_env: Callable[[], DocEnv], response_length: int, *, name: str = "docpipe"
) -> type[Any]:
    """The class of the loop, registered by `name`. `response_length` is that of the rollout: a run
    that has more tokens after its first prompt is ended. Raises ConfigError without verl."""
    verl = framework("verl.experimental.agent_loop.agent_loop")

    class DocAgentLoop(verl.AgentLoopBase):  # type: ignore[misc, name-defined]
        async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> Any:
            env = make_env()
            question = unpacked(kwargs["extra_info"][GOLD])
            choices = await self._rolled(env, question, sampling_params)
            ids, wrote = response_mask(choices)
            start = len(choices[0].prompt)
            return verl.AgentLoopOutput(
                prompt_ids=list(ids[:start]),
                response_ids=list(ids[start:][:response_length]),
                response_mask=[int(mine) for mine in wrote[start:]][:response_length],
                response_logprobs=_spread(choices)[start:][:response_length],
                reward_score=env.rewards.total(env.trajectory.rewards),
                num_turns=2 * len(choices),
                metrics=verl.AgentLoopMetrics(),
                extra_fields={"rewards": env.trajectory.rewards},
            )

        async def _rolled(
            self, env: DocEnv, question: Any, sampling_params: dict[str, Any]
        ) -> list[TokenChoices]:
            chats, choices = Chats(self.tokenizer), list[TokenChoices]()
            state, request, done = env.reset(question), uuid4().hex, False
            while not done:
                prompt = chats.prompt(state, seeker_prompt(state, "chat", brief=True))
                if choices and len(prompt) - len(choices[0].prompt) >= response_length:
                    env.step(Decision(Finish("no room is left")))
                    break
                output = await self.server_manager.generate(
                    request_id=request, prompt_ids=list(prompt), sampling_params=sampling_params
                )
                response = tuple(output.token_ids)
                logp = tuple(output.log_probs or [0.0] * len(response))
                choices.append(TokenChoices(prompt=prompt, response=response, logp=logp))
                chats.wrote(state, prompt, response)
                done = (await asyncio.to_thread(env.step, chats.text(response))).done
            if not choices:
                raise ConfigError("a run without a turn", hint="the environment needs turns")
            return choices

    registered: type[Any] = verl.register(name)(DocAgentLoop)
    return registered


def _spread(choices: list[TokenChoices]) -> list[float]:
    """The log-probabilities at their tokens, 0 at those of others."""
    found: list[float] = []
    for made in choices:
        found += [0.0] * (len(made.prompt) - len(found))
        found += made.logp
    return found
