"""What training minimises for a batch, by the loss of the phase."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

from docpipe.parsers.docfusion.loss import IGNORED, ctc
from docpipe.parsers.pabdm.backbone import Backbone
from docpipe.parsers.pabdm.loss import (
    active_per_block,
    autoregressive,
    bd3lm,
    csl,
    csl_weights,
    suffix_ce,
)
from docpipe.parsers.pabdm.model import PaBdm
from docpipe.parsers.pabdm.noise import bernoulli_noise, suffix_noise, with_endings
from docpipe.parsers.pabdm.vocabulary import EOS, PAD
from docpipe.training.pabdm.forward import masked_log_probabilities, next_log_probabilities
from docpipe.training.pabdm.settings import LossKind, LossSettings


class Losses(NamedTuple):
    """`active` is the mean number of positions that count, of blocks with masks; 0 where there are
    no blocks."""

    total: Tensor
    active: float


class Objective(nn.Module):
    """A model with its losses, as Trainer takes it."""

    def __init__(self, inner: PaBdm, settings: LossSettings) -> None:
        super().__init__()
        self.inner = inner
        self._settings = settings

    def forward(
        self, pixels: Tensor, prompt: Tensor, labels: Tensor, task: str, kind: LossKind
    ) -> Losses:
        """Of `labels` (B, L), answers with one end each, filled up with IGNORED."""
        prefix, seen = self.inner.look(pixels, prompt)
        found = answer_losses(
            self.inner, prefix, labels, kind, self.inner.config.block, EOS, self._settings
        )
        if seen.frames is None:
            return found
        if task != "text":  # processes that train together must all have gradients of all weights
            return Losses(found.total + 0.0 * seen.frames.sum(), found.active)
        known = labels.masked_fill(labels == IGNORED, PAD)
        extra = self._settings.ctc * ctc(seen.frames, known, self.inner.texts)
        return Losses(found.total + extra, found.active)


def answer_losses(
    model: Backbone,
    prefix: Tensor,
    labels: Tensor,
    kind: LossKind,
    block: int,
    end: int,
    settings: LossSettings,
) -> Losses:
    """Of answers `labels` (B, L) behind `prefix` (B, P, d), with noise from torch's generator."""
    if kind == "next":
        logp = next_log_probabilities(model, prefix, labels)
        return Losses(autoregressive(logp, labels), 0.0)
    whole = with_endings(labels, block, end)
    if kind == "bd3lm":
        mask, weights = bernoulli_noise(whole, block)
        mask[:, 0] |= ~mask.any()  # a batch without a mask has no gradient
        logp = masked_log_probabilities(model, prefix, whole, mask, block, causal=False)
        return Losses(bd3lm(logp, mask, weights, whole), active_per_block(mask, mask, block))
    mask = suffix_noise(whole, block)
    logp = masked_log_probabilities(model, prefix, whole, mask, block, causal=True)
    thresholds = settings.thresholds
    loss = csl(logp, mask, block, thresholds) if kind == "csl" else suffix_ce(logp, mask)
    _, active = csl_weights(logp.exp(), mask, block, thresholds)  # what CSL would have count
    return Losses(loss, active_per_block(active, mask, block))
