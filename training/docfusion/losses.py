"""The losses that training can minimise: GK-CEL, cross-entropy and the controls of the study."""

from __future__ import annotations

import torch
from torch import Tensor

from docpipe.parsers.docfusion.codec import Codec
from docpipe.parsers.docfusion.config import DocFusionConfig, Task
from docpipe.parsers.docfusion.loss import (
    IGNORED,
    ctc,
    smoothed_log_probability,
)
from docpipe.parsers.docfusion.model import Output
from docpipe.parsers.docfusion.vocabulary import PAD
from docpipe.training.docfusion.regions import region_loss
from docpipe.training.docfusion.settings import LossSettings


def training_loss(
    output: Output,
    labels: Tensor,
    task: Task,
    codec: Codec,
    config: DocFusionConfig,
    settings: LossSettings,
) -> Tensor:
    """The mean over the targets of a batch (B, L), with the auxiliary losses of lines of text and
    of pages.

    The mean of weighted losses is over the number of targets: a lower weight of location tokens
    leaves the gradient of text as it is.
    """
    counts = (labels != PAD) & (labels != IGNORED)
    targets = labels[counts]
    losses = token_losses(output.logits[counts], targets, config, settings)
    if settings.location_weight != 1.0:
        located = is_location(targets, config)
        losses = torch.where(located, losses * settings.location_weight, losses)
    loss = losses.mean()
    known = labels.masked_fill(labels == IGNORED, PAD)
    # Processes that train together must all have gradients of all weights: hence the zeros.
    if output.frames is not None:
        if task == "text":
            loss = loss + settings.ctc * ctc(output.frames, known, config.first_bin)
        else:
            loss = loss + 0.0 * output.frames.sum()
    if output.regions is not None:
        if task == "layout":
            boxes = [codec.read_layout(ids) for ids in known.tolist()]
            loss = loss + settings.boxes * region_loss(output.regions, boxes, config)
        else:
            loss = loss + 0.0 * (output.regions.labels.sum() + output.regions.places.sum())
    return loss


def token_losses(
    logits: Tensor, targets: Tensor, config: DocFusionConfig, settings: LossSettings
) -> Tensor:
    """The loss of each target: (T, V) and (T,) to (T,)."""
    places = (config.first_bin, config.first_bin + config.bins)
    sigma = settings.sigma or config.sigma
    kernel = settings.kernel or config.kernel
    if settings.kind == "soft":
        return soft_losses(logits, targets, places, sigma, kernel)
    kernel = kernel if settings.kind == "gk_cel" else 1
    return -smoothed_log_probability(logits, targets, places, sigma, kernel)


def soft_losses(
    logits: Tensor, targets: Tensor, places: tuple[int, int], sigma: float, kernel: int
) -> Tensor:
    """Cross-entropy with fixed Gaussian labels around a location, which sum to 1; a control for
    GK-CEL, whose labels follow the model's own distribution."""
    first, end = places
    logp = logits.log_softmax(-1)
    near = torch.arange(kernel, device=logits.device) - kernel // 2
    around = targets.unsqueeze(-1) + near
    located = (targets >= first) & (targets < end)
    inside = (around >= first) & (around < end)
    weights = torch.exp(near**2 / (-2.0 * sigma**2)) * inside
    weights = weights / weights.sum(-1, keepdim=True).clamp_min(1e-9)
    spread = -(logp.gather(-1, around.clamp(0, logits.shape[-1] - 1)) * weights).sum(-1)
    plain = -logp.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return torch.where(located, spread, plain)


def is_location(targets: Tensor, config: DocFusionConfig) -> Tensor:
    return (targets >= config.first_bin) & (targets < config.first_bin + config.bins)
