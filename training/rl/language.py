"""A causal language model as a trainable policy: the seeker's prompts and action grammar, tokens in
and tokens out.

What was sampled is kept as ids and scored as ids. The turns of a growing chat are scored in one
pass, as each prompt begins with the prompt and the reply of the turn before.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from docpipe.agents.mmdocr1 import grammar
from docpipe.agents.mmdocr1.history import Rendering
from docpipe.agents.mmdocr1.seeker import seeker_prompt
from docpipe.agents.mmdocr1.state import Decision, State
from docpipe.records import Finish, Malformed, Message, Read
from docpipe.training.docfusion.adapters import merge_adapters
from docpipe.training.rl.chats import Chats
from docpipe.training.rl.policy import Choices, Decided, Scores
from docpipe.training.rl.writing import Ids, Written, log_probabilities, write


class TokenChoices(Choices, frozen=True, kw_only=True):
    """The ids that a model was given, and those it wrote, the end of turn among them."""

    prompt: Ids
    response: Ids


class LanguagePolicy:
    """Samples at `temperature`, which is part of the policy: scores are at it, too.

    `history` and `brief` are those of the seeker; `brief` shortens what is imitated, too. A reply
    has `max_tokens` at most; where prompt and reply would have more than `context`, the policy
    finishes without a choice. `checkpointing` trades time for memory when gradients are computed.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        history: Rendering = "chat",
        brief: bool = True,
        temperature: float = 1.0,
        max_tokens: int = 64,
        context: int = 2048,
        checkpointing: bool = False,
    ) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._chats = Chats(tokenizer)
        self._history: Rendering = history
        self._brief, self._temperature = brief, temperature
        self._max_tokens, self._context = max_tokens, context
        self._checkpointing = checkpointing
        if checkpointing:
            named = "activation_checkpointing_enable", "gradient_checkpointing_enable"  # new, old
            enable = next(getattr(model, name) for name in named if hasattr(model, name))
            enable({"use_reentrant": False})

    @property
    def model(self) -> nn.Module:
        module: nn.Module = self._model
        return module

    def sample(self, state: State, generator: torch.Generator | None) -> Decided[TokenChoices]:
        return self.sample_all([state], [generator])[0]

    def sample_all(
        self, states: Sequence[State], generators: Sequence[torch.Generator | None]
    ) -> list[Decided[TokenChoices]]:
        asked = [self._asked(state) for state in states]
        fit = [
            at
            for at, (_, prompt) in enumerate(asked)
            if len(prompt) + self._max_tokens <= self._context
        ]
        written = dict(
            zip(
                fit,
                self._write([asked[at][1] for at in fit], [generators[at] for at in fit]),
                strict=True,
            )
        )
        return [
            self._decided(state, *asked[at], written.get(at)) for at, state in enumerate(states)
        ]

    def demonstrate(self, state: State, decision: Decision) -> TokenChoices | None:
        _, prompt = self._asked(state)
        text = decision.response or self._rendered(state, decision)
        response = self._chats.response(text)
        too_long = len(response) > self._max_tokens or len(prompt + response) > self._context
        if isinstance(decision.action, Malformed) or too_long:
            return None
        self._chats.wrote(state, prompt, response)
        return TokenChoices(prompt=prompt, response=response)

    def score(self, choices: Sequence[TokenChoices]) -> Scores:
        rows = chained(choices)
        longest = max(len(choices[row[-1]].prompt + choices[row[-1]].response) for row in rows)
        ids = torch.zeros(len(rows), longest, dtype=torch.long)
        known = torch.zeros(len(rows), longest, dtype=torch.long)
        for at, row in enumerate(rows):
            tokens = choices[row[-1]].prompt + choices[row[-1]].response
            ids[at, : len(tokens)] = torch.tensor(tokens)
            known[at, : len(tokens)] = 1
        device = next(self.model.parameters()).device
        self.model.train(self._checkpointing and torch.is_grad_enabled())
        logits = self._model(ids.to(device), attention_mask=known.to(device)).logits
        return self._picked(choices, rows, logits)

    def save(self, folder: Path) -> None:
        """The model as transformers and `[language_model] name = "transformers"` load it."""
        model = copy.deepcopy(self._model)
        merge_adapters(model)
        model.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)

    def _asked(self, state: State) -> tuple[tuple[Message, ...], Ids]:
        sent = seeker_prompt(state, self._history, brief=self._brief)
        if self._history == "chat":
            return sent, self._chats.prompt(state, sent)
        return sent, Chats(self._tokenizer).prompt(state, sent)

    def _rendered(self, state: State, decision: Decision) -> str:
        action = decision.action
        if not self._brief:
            return grammar.render(action, state.documents)
        if isinstance(action, Read) and {r.question for r in action.requests} == {state.question}:
            pages = [
                grammar.page_id(request.document, page, state.documents)
                for request in action.requests
                for page in request.pages
            ]
            return f"<read>{json.dumps(pages)}</read>"
        fenced = grammar.render(action, state.documents)
        return "\n".join(fenced.splitlines()[1:-1])

    def _write(
        self, prompts: Sequence[Ids], generators: Sequence[torch.Generator | None]
    ) -> list[Written]:
        if not prompts:
            return []
        return write(
            self._model,
            prompts,
            generators,
            temperature=self._temperature,
            most=self._max_tokens,
            end=self._tokenizer.eos_token_id,
        )

    def _decided(
        self, state: State, sent: tuple[Message, ...], prompt: Ids, written: Written | None
    ) -> Decided[TokenChoices]:
        if written is None:
            full = Decision(Finish(f"the prompt has {len(prompt)} tokens"), messages=sent)
            return Decided(full, TokenChoices(prompt=prompt, response=()))
        self._chats.wrote(state, prompt, written.ids)
        text = self._chats.text(written.ids)
        turn = grammar.parse(text, state.documents, state.question)
        tokens = len(prompt) + len(written.ids)
        decision = Decision(turn.action, turn.thought, sent, text, tokens=tokens)
        choices = TokenChoices(prompt=prompt, response=written.ids, logp=written.logp)
        return Decided(decision, choices)

    def _picked(
        self, choices: Sequence[TokenChoices], rows: Sequence[Sequence[int]], logits: torch.Tensor
    ) -> Scores:
        """The scores of the responses alone, cut out of whole chats."""
        longest = max(len(made.response) for made in choices)
        shape = len(choices), longest
        logp, entropy = logits.new_zeros(shape).float(), logits.new_zeros(shape).float()
        mask = torch.zeros(shape, dtype=torch.bool, device=logits.device)
        for at, row in enumerate(rows):
            for number in row:
                made = choices[number]
                start, count = len(made.prompt), len(made.response)
                all_logp = log_probabilities(
                    logits[at, start - 1 : start - 1 + count], self._temperature
                )
                chosen = torch.tensor(made.response, device=logits.device)[:, None]
                logp[number, :count] = all_logp.gather(1, chosen)[:, 0]
                entropy[number, :count] = -(all_logp.exp() * all_logp).sum(-1)
                mask[number, :count] = True
        assert int(mask.sum()) == sum(len(made.response) for made in choices)
        return Scores(logp, entropy, mask)


def chained(choices: Sequence[TokenChoices]) -> list[list[int]]:
    """Which choices are scored in one pass: runs of turns whose prompts go on where the turn before
    ended. The last of a run holds the ids of all."""
    rows: list[list[int]] = []
    so_far: Ids = ()
    for number, made in enumerate(choices):
        if rows and made.prompt[: len(so_far)] == so_far:
            rows[-1].append(number)
        else:
            rows.append([number])
        so_far = made.prompt + made.response
    return rows


def response_mask(choices: Sequence[TokenChoices]) -> tuple[Ids, tuple[bool, ...]]:
    """The ids of a chat and, for each, whether the policy wrote it: what other trainers take."""
    (row,) = chained(choices)
    ids = choices[row[-1]].prompt + choices[row[-1]].response
    wrote = [False] * len(ids)
    for made in choices:
        wrote[len(made.prompt) : len(made.prompt) + len(made.response)] = [True] * len(
            made.response
        )
    assert len(wrote) == len(ids)
    return ids, tuple(wrote)
