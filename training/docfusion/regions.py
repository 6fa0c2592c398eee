"""What image tokens of a page should tell of the boxes they lie in, an auxiliary loss [D].

A box learnt from the decoder's targets alone has five tokens to teach with; here each image token
that the box covers learns it, too. Lines of text are lower than a token, so that a token may hold
several boxes: it learns the uppermost and the lowest.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from docpipe.parsers.docfusion.codec import Bins, Found
from docpipe.parsers.docfusion.config import DocFusionConfig
from docpipe.parsers.docfusion.loss import smoothed_log_probability
from docpipe.parsers.docfusion.model import Regions


def region_loss(
    regions: Regions, pages: Sequence[Sequence[Found]], config: DocFusionConfig
) -> Tensor:
    """Cross-entropy of the labels over all tokens, plus GK-CEL of the bins over those in boxes."""
    targets = [region_targets(found, config) for found in pages]
    device = regions.labels.device
    labels = torch.stack([labels for labels, _ in targets]).to(device)
    bins = torch.stack([bins for _, bins in targets]).to(device)
    labelled = functional.cross_entropy(regions.labels.flatten(0, 2).float(), labels.flatten())
    inside = labels < len(config.labels)
    placed = -smoothed_log_probability(
        regions.places[inside].float(),
        bins[inside],
        (0, config.bins),
        config.sigma,
        config.kernel,
    )
    return labelled + placed.sum() / max(placed.numel(), 1)


def region_targets(found: Sequence[Found], config: DocFusionConfig) -> tuple[Tensor, Tensor]:
    """Labels (N, 2) and bins (N, 2, 4) of the uppermost and the lowest box at each image token;
    tokens in none have the label after the last."""
    rows, columns = config.vision.map_size(config.page)
    labels = torch.full((rows, columns, 2), len(config.labels))
    bins = torch.zeros(rows, columns, 2, 4, dtype=torch.long)
    known = [item for item in found if item.label in config.labels]
    from_below = sorted(known, key=lambda item: -item.bins[1])
    from_above = sorted(known, key=lambda item: item.bins[3])
    for slot, order in enumerate((from_below, from_above)):
        for item in order:  # what is painted last stays
            across, down = _covered(item.bins, config.bins, rows, columns)
            labels[down, across, slot] = config.labels.index(item.label)
            bins[down, across, slot] = torch.tensor(item.bins)
    return labels.flatten(0, 1), bins.flatten(0, 1)


def _covered(box: Bins, bins: int, rows: int, columns: int) -> tuple[slice, slice]:
    """Columns whose middle the box covers, at least one, and rows that it reaches into."""
    x0, y0, x1, y1 = box
    left, right = round(x0 * columns / bins), round((x1 + 1) * columns / bins)
    if right <= left:
        left = (x0 + x1) * columns // (2 * bins)
        right = left + 1
    return slice(left, right), slice(y0 * rows // bins, max(y0, y1) * rows // bins + 1)
