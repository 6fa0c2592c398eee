"""Losses that know which fields stand once. All of them are docpipe's own reading [D].

Shapes: logits (B, N, C), labels (B, N) with IGNORED where there is no entity, `ones` the classes of
one-fields. Each loss is a mean, 0 where it has nothing to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor
from torch.nn import functional

IGNORED = -100
SINKHORN_STEPS = 10


class LossConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`targets` says what of several entities that are equally right for a one-field is taught.
    "given": only the labelled one is right. "any": the others may have the field or not.
    "hungarian": the one that the model finds likeliest is right, the others are not.

    `field_loss` adds, with `weight`, a loss over the entities that a one-field can choose from.
    """

    targets: Literal["given", "any", "hungarian"] = "any"
    field_loss: Literal["none", "column", "sinkhorn"] = "column"
    weight: float = 0.3
    label_smoothing: float = 0.05


def total_loss(
    logits: Tensor,
    labels: Tensor,
    ones: Sequence[int],
    config: LossConfig,
    candidates: Tensor | None = None,
    unknown: Tensor | None = None,
) -> Tensor:
    """Cross-entropy over entities plus the field loss. `candidates` is as in hungarian_targets,
    `unknown` as in entity_loss."""
    if config.targets == "hungarian" and candidates is not None:
        labels = hungarian_targets(logits, labels, candidates, ones)
    free = candidates if config.targets == "any" else None
    loss = entity_loss(logits, labels, config.label_smoothing, unknown, free)
    if config.field_loss == "column":
        return loss + config.weight * column_loss(logits, labels, ones, free)
    if config.field_loss == "sinkhorn":
        return loss + config.weight * sinkhorn_loss(logits, labels, ones, unknown=unknown)
    return loss


def entity_loss(
    logits: Tensor,
    labels: Tensor,
    smoothing: float = 0.0,
    unknown: Tensor | None = None,
    candidates: Tensor | None = None,
) -> Tensor:
    """Cross-entropy over entities.

    `unknown` (B, C) is true for the classes that nobody labelled on a page: there, an entity of
    class 0 may be of any of them as well, so its target is the set of class 0 and those. With
    `candidates` (B, N, C) the target of an entity of class 0 has those classes in its set, too.
    """
    log_probs = logits.log_softmax(-1)
    right = log_probs.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    able = torch.zeros_like(log_probs, dtype=torch.bool)
    if unknown is not None:
        able = able | unknown.unsqueeze(1)
    if candidates is not None:
        able = able | candidates
    if able.any():
        able[..., 0] = True
        either = log_probs.masked_fill(~able, -torch.inf).logsumexp(-1)
        right = torch.where(labels == 0, either, right)
    losses = -(1 - smoothing) * right - smoothing * log_probs.mean(-1)
    real = labels != IGNORED
    return (losses * real).sum() / real.sum().clamp(min=1)


def column_scores(logits: Tensor) -> Tensor:
    """Log-odds of each class against the others, s_c - logsumexp of s_c', c' != c; same shape."""
    classes = logits.shape[-1]
    others = logits.unsqueeze(-2).expand(*logits.shape, classes)
    itself = torch.eye(classes, dtype=torch.bool, device=logits.device)
    return logits - others.masked_fill(itself, -torch.inf).logsumexp(-1)


def column_loss(
    logits: Tensor, labels: Tensor, ones: Sequence[int], candidates: Tensor | None = None
) -> Tensor:
    """Cross-entropy of a one-field's choice among the entities of its page.

    The mean, over pages and one-fields with exactly one gold entity i*, of
    -log softmax over i of (log-odds of the field at i), at i*; with `candidates` (B, N, C) summed
    over i* and those.
    """
    if not ones:
        return logits.sum() * 0.0
    columns = column_scores(logits)[..., list(ones)]
    columns = columns.masked_fill((labels == IGNORED).unsqueeze(-1), -torch.inf)
    gold = labels.unsqueeze(-1) == torch.tensor(ones, device=labels.device)
    once = gold.sum(1) == 1
    if not once.any():
        return logits.sum() * 0.0
    if candidates is not None:
        gold = gold | candidates[..., list(ones)]
    chosen = columns.log_softmax(1).masked_fill(~gold, -torch.inf).logsumexp(1)
    return -chosen[once].mean()


def hungarian_targets(
    logits: Tensor, labels: Tensor, candidates: Tensor, ones: Sequence[int]
) -> Tensor:
    """Labels (B, N) in which each one-field stands on the one of its candidates that costs least.

    `candidates` (B, N, C) is true where an entity would be right for a class besides its label,
    such as the same amount on several lines. The choice, for all fields of a page at once, is that
    of the smallest cross-entropy under the current scores; candidates not chosen are OTHER, or what
    they are labelled if that is another class. With one candidate per field nothing changes.
    """
    log_probs = logits.detach().log_softmax(-1).cpu().double().numpy()
    chosen = labels.clone()
    for page, (scores, given) in enumerate(zip(log_probs, labels.cpu().numpy(), strict=True)):
        gold = given[:, None] == np.arange(scores.shape[1])
        able = (candidates[page].cpu().numpy() & (given != IGNORED)[:, None]) | gold
        fields = [c for c in ones if able[:, c].any()]
        if fields:
            picked = _assign(scores, given, able, fields)
            chosen[page] = torch.from_numpy(picked).to(labels.device)
    return chosen


def _assign(
    scores: np.ndarray, given: np.ndarray, able: np.ndarray, fields: list[int]
) -> np.ndarray:
    rest = np.where(np.isin(given, fields), 0, given)
    fallback = scores[np.arange(len(given)), np.maximum(rest, 0)]
    cost = np.where(able, fallback[:, None] - scores, np.inf)[:, fields]
    # Dearer than any choice, but finite: two fields may have one candidate between them.
    dear = 1.0 + 2.0 * len(fields) * np.abs(cost[np.isfinite(cost)]).max()
    cost = np.vstack(
        [np.where(np.isfinite(cost), cost, 4 * dear), np.full((len(fields),) * 2, dear)]
    )
    rows, columns = linear_sum_assignment(cost)
    for row, column in zip(rows, columns, strict=True):
        if row < len(given):
            rest[row] = fields[column]
    return rest


def sinkhorn(scores: Tensor, steps: int = SINKHORN_STEPS) -> Tensor:
    """Log of the near doubly stochastic matrix that scaling exp(scores), (m, m), leads to.

    Rows and columns are normalised in turn, columns last: those sum to 1 exactly, rows the better
    the more steps.
    """
    for _ in range(steps):
        scores = scores.log_softmax(1).log_softmax(0)
    return scores


def sinkhorn_loss(
    logits: Tensor,
    labels: Tensor,
    ones: Sequence[int],
    steps: int = SINKHORN_STEPS,
    unknown: Tensor | None = None,
) -> Tensor:
    """Negative log-likelihood of the gold assignment under Sinkhorn-scaled gains.

    The matrix of a page is (n + f, f + n): entities and f rows of absence against f one-fields and
    n columns of staying out; slack cells score 0. Pages where a one-field has several gold entities
    are no assignment and are left out, and so are one-fields that are `unknown` on a page.
    """
    losses = []
    every = ones
    for at, (page, given) in enumerate(zip(logits, labels, strict=True)):
        ones = [c for c in every if unknown is None or not unknown[at, c]]
        real = given != IGNORED
        n = int(real.sum())
        gold = given[real].unsqueeze(1) == torch.tensor(ones, device=labels.device)
        if not ones or not n or (gold.sum(0) > 1).any():
            continue
        cells = sinkhorn(_with_slack(_soft_gains(page[real], ones)), steps)
        fields = len(ones)
        out = torch.cat([cells[:n, :fields], cells[:n, fields:].logsumexp(1, keepdim=True)], 1)
        target = torch.where(gold.any(1), gold.int().argmax(1), fields)
        losses.append(-out.gather(1, target.unsqueeze(1)).squeeze(1))
        losses.append(-cells[n:, :fields].logsumexp(0)[~gold.any(0)])
    return torch.cat(losses).mean() if losses else logits.sum() * 0.0


def _soft_gains(scores: Tensor, ones: Sequence[int]) -> Tensor:
    """Of (n, C) scores: one-field against many-fields and OTHER together, (n, f)."""
    rest = [c for c in range(scores.shape[1]) if c not in ones]
    return scores[:, list(ones)] - scores[:, rest].logsumexp(1, keepdim=True)


def _with_slack(gains: Tensor) -> Tensor:
    n, fields = gains.shape
    return functional.pad(gains, (0, n, 0, fields))
