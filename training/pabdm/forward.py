"""Log-probabilities of answers under a model, in the forms that the losses need.

Shapes: B answers, P prefix positions, n answer positions (whole blocks, see with_endings), d width.
"""

from __future__ import annotations

import torch
from torch import Tensor

from docpipe.parsers.docfusion.loss import IGNORED
from docpipe.parsers.pabdm.backbone import Backbone
from docpipe.parsers.pabdm.loss import gold_log_probabilities
from docpipe.parsers.pabdm.mask import pack, packed_mask


def masked_log_probabilities(
    model: Backbone, prefix: Tensor, labels: Tensor, mask: Tensor, block: int, *, causal: bool
) -> Tensor:
    """log p of the labels (B, n) that `mask` hides behind `prefix` (B, P, d); elsewhere 0.

    The clean answer is computed once and masked runs beside it, which gives the scores of the
    doubled sequence of the released code at a lower cost (see parsers.pabdm.mask).
    """
    first, length = prefix.shape[1], labels.shape[1]
    packed = pack(mask, block, causal=causal)
    clean = labels.masked_fill(labels == IGNORED, 0)
    beside = clean.gather(1, packed.places).masked_fill(packed.masked, model.mask_id)
    straight = torch.arange(-first, length, device=labels.device).expand(len(labels), -1)
    index = torch.cat((straight, packed.places), 1)  # 0 is the answer's first
    x = model.embed(torch.cat((clean, beside), 1), index[:, first:])
    x = torch.cat((prefix, x), 1)
    allowed = packed_mask(packed, length, block, prefix=first, causal=causal)
    states = model.states(x, first + index, allowed)[:, first + length :]
    rows, at = packed.masked.nonzero(as_tuple=True)
    where = (rows, packed.places[rows, at])
    found = gold_log_probabilities(model.scores(states[rows, at]), labels[where])
    return torch.zeros(labels.shape, device=x.device).index_put(where, found)


def next_log_probabilities(model: Backbone, prefix: Tensor, labels: Tensor) -> Tensor:
    """log p of each of `labels` (B, L) given `prefix` and the labels before it, by a model that
    predicts the next token."""
    clean = labels.masked_fill(labels == IGNORED, 0)
    first, total = prefix.shape[1], prefix.shape[1] + labels.shape[1] - 1
    places = torch.arange(total, device=labels.device).expand(len(labels), -1)
    x = model.embed(clean[:, :-1], (places - first)[:, first:])
    x = torch.cat((prefix, x), 1)
    allowed = torch.ones(total, total, dtype=torch.bool, device=x.device).tril()
    states = model.states(x, places, allowed.expand(len(x), -1, -1))
    return gold_log_probabilities(model.scores(states[:, first - 1 :]), labels)
