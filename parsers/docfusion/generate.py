"""From images to token ids: greedily, or by the best of some beams, for a batch at once.

The paper's model decodes with three beams [C]. Keys and values of the image are computed once, of
tokens as they come.

Shapes: B images, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from docpipe.parsers.docfusion.beam import Beams
from docpipe.parsers.docfusion.config import DocFusionConfig
from docpipe.parsers.docfusion.decoder import Cache
from docpipe.parsers.docfusion.loss import smoothed_log_probability
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.vocabulary import BOS, EOS, PAD

# Which tokens may come next, True of (rows, V), after tokens (rows, so far).
Rule = Callable[[Tensor], Tensor]


class Generated(NamedTuple):
    """An output without `<s>` and `</s>`, and a log-probability for each of its tokens (of a
    location token that of its neighbourhood, see loss). `complete` is false where the longest
    length cut it off."""

    ids: list[int]
    scores: list[float]
    complete: bool


@torch.inference_mode()
def generate(
    model: DocFusion,
    pixels: Tensor,
    prompt: Tensor,
    *,
    longest: int,
    beams: int = 1,
    rule: Rule | None = None,
) -> list[Generated]:
    """Outputs of at most `longest` tokens for `pixels` (B, 3, height, width) and `prompt`
    (B, tokens). `rule` says which tokens may come next."""
    longest = min(longest, model.config.text.targets - 2)
    image, size = model.look(pixels)
    cache = model.start(image, size, prompt)
    if beams == 1:
        return _greedy(model, cache, len(pixels), longest, rule)
    return _best(model, cache, len(pixels), longest, beams, rule)


def layout_rule(config: DocFusionConfig) -> Rule:
    """What a layout may go on with: after a label a location, boxes whole, the end after a box
    [D]."""
    first, end = config.first_bin, config.first_bin + config.bins

    def rule(ids: Tensor) -> Tensor:
        at = (ids >= first) & (ids < end)
        run = torch.where(at, 1, 0).flip(1).cumprod(1).sum(1)  # locations at the end
        empty = ids.shape[1] == 1
        allowed = torch.ones(len(ids), config.text.vocabulary, dtype=torch.bool, device=ids.device)
        inside = run % 4 != 0
        allowed[:, first:end] = not empty
        allowed[inside, :first] = False
        allowed[inside, end:] = False
        allowed[:, EOS] = (run > 0) & ~inside | empty
        allowed[:, [BOS, PAD]] = False
        return allowed

    return rule


def _greedy(
    model: DocFusion, cache: Cache, batch: int, longest: int, rule: Rule | None
) -> list[Generated]:
    ids, cache, logits = _begin(model, cache, batch, rule)
    scores = torch.zeros(batch, 1, device=ids.device)
    rows = list(range(batch))  # the images still being read
    done: dict[int, Generated] = {}
    for step in range(longest + 1):
        chosen = logits.argmax(-1)
        ids = torch.cat((ids, chosen.unsqueeze(1)), 1)
        scores = torch.cat((scores, _scores(model, logits, chosen).unsqueeze(1)), 1)
        ended = (chosen == EOS) if step < longest else torch.ones_like(chosen, dtype=torch.bool)
        for at in ended.nonzero().flatten().tolist():
            done[rows[at]] = _generated(ids[at], scores[at])
        if len(done) == batch:
            break
        if ended.any():
            going = (~ended).nonzero().flatten()
            rows = [rows[at] for at in going.tolist()]
            ids, scores, cache = ids[going], scores[going], cache.select(going)
        logits, cache = _step(model, ids, cache, rule)
    return [done[at] for at in range(batch)]


def _best(
    model: DocFusion, cache: Cache, batch: int, longest: int, beams: int, rule: Rule | None
) -> list[Generated]:
    ids, cache, logits = _begin(model, cache, batch * beams, rule)
    scores = torch.zeros(len(ids), 1, device=ids.device)
    search = Beams(batch, beams, longest + 1)
    while True:
        rows, chosen = search.advance(logits.log_softmax(-1), ids, scores)
        new = _scores(model, logits[rows], chosen)
        ids = torch.cat((ids[rows], chosen.unsqueeze(1)), 1)
        scores = torch.cat((scores[rows], new.unsqueeze(1)), 1)
        if search.is_done:
            return [_generated(*found) for found in search.best()]
        logits, cache = _step(model, ids, cache.select(rows, image=False), rule)


def _begin(
    model: DocFusion, cache: Cache, rows: int, rule: Rule | None
) -> tuple[Tensor, Cache, Tensor]:
    """`<s>`, which every output begins with, the cache with it, and what comes next."""
    device = cache.image[0].keys.device
    _, cache = model.decoder(torch.full((rows, 1), EOS, device=device), cache)
    ids = torch.full((rows, 1), BOS, device=device)
    logits, cache = _step(model, ids, cache, rule)
    return ids, cache, logits


def _step(model: DocFusion, ids: Tensor, cache: Cache, rule: Rule | None) -> tuple[Tensor, Cache]:
    """Logits (rows, V) of what follows the last of `ids`, illegal tokens at minus infinity."""
    states, cache = model.decoder(ids[:, -1:], cache)
    logits = model.scores(states)[:, -1].float()
    if rule is not None:
        logits = logits.masked_fill(~rule(ids), -torch.inf)
    return logits, cache


def _scores(model: DocFusion, logits: Tensor, chosen: Tensor) -> Tensor:
    config = model.config
    places = (config.first_bin, config.first_bin + config.bins)
    return smoothed_log_probability(logits, chosen, places, config.sigma, config.kernel)


def _generated(ids: Tensor, scores: Tensor) -> Generated:
    """Of a row that begins with `<s>`; its last token is the end or one too many."""
    return Generated(ids[1:-1].tolist(), scores[1:-1].tolist(), bool(ids[-1] == EOS))
