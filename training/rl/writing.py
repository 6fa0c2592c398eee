"""Sampling from a causal language model: several prompts at once, each with chance of its own."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

Ids = tuple[int, ...]


class Written(NamedTuple):
    """The ids of a reply, the end of turn among them, and their log-probabilities."""

    ids: Ids
    logp: tuple[float, ...]


def log_probabilities(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    """What is drawn from: of the whole vocabulary, in 32 bits."""
    return torch.log_softmax(logits.float() / temperature, -1)


def write(
    model: Any,
    prompts: Sequence[Ids],
    generators: Sequence[torch.Generator | None],
    *,
    temperature: float,
    most: int,
    end: int,
) -> list[Written]:
    """A reply to each prompt, of `most` ids or up to `end`; without a generator the likeliest."""
    from transformers import DynamicCache

    model.eval()
    ids, known = _left_padded(prompts, next(model.parameters()).device)
    given = _arguments(model, DynamicCache(config=model.config))
    replies: list[list[int]] = [[] for _ in prompts]
    logps: list[list[float]] = [[] for _ in prompts]
    going = list(range(len(prompts)))
    for _ in range(most):
        positions = (known.cumsum(-1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        output = model(ids, attention_mask=known, position_ids=positions, use_cache=True, **given)
        logp = log_probabilities(output.logits[:, -1], temperature).cpu()
        ids = torch.full((len(prompts), 1), end, device=known.device)
        for row in going:
            chosen = _draw(logp[row], generators[row])
            replies[row].append(chosen)
            logps[row].append(float(logp[row, chosen]))
            ids[row] = chosen
        going = [row for row in going if replies[row][-1] != end]
        if not going:
            break
        known = torch.cat([known, torch.ones_like(known[:, :1])], -1)
    return [Written(tuple(ids), tuple(lp)) for ids, lp in zip(replies, logps, strict=True)]


def _arguments(model: Any, cache: Any) -> dict[str, Any]:
    """The arguments that models of some versions call otherwise, or do not know."""
    known = inspect.signature(model.forward).parameters
    given: dict[str, Any] = {"cache" if "cache" in known else "past_key_values": cache}
    return given | ({"logits_to_keep": 1} if "logits_to_keep" in known else {})


def _left_padded(prompts: Sequence[Ids], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and which of them are known, both [B, L]: all prompts end in the last column."""
    longest = max(map(len, prompts))
    ids = torch.zeros(len(prompts), longest, dtype=torch.long)
    known = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, longest - len(prompt) :] = torch.tensor(prompt)
        known[row, longest - len(prompt) :] = 1
    return ids.to(device), known.to(device)


def _draw(logp: torch.Tensor, generator: torch.Generator | None) -> int:
    if generator is None:
        return int(logp.argmax())
    return int(torch.multinomial(logp.exp(), 1, generator=generator))
