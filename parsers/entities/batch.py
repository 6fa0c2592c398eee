"""Pages to tensors: once per page what training never changes, then padded batches of pages.

Pages are dense and small (some dozens of entities), so pages of a batch are padded to the longest
one; hop distances are per page, and nothing joins two pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from docpipe.parsers.entities.encoders import TextEncoder, join_rows
from docpipe.parsers.entities.features import EntityPage, page_features
from docpipe.parsers.entities.graph import nearest_on_sides, page_hops
from docpipe.parsers.entities.model import ModelConfig


class PageTensors(NamedTuple):
    """A page of n entities as the model sees it.

    `rows`: a tensor per text (see TextEncoder.prepare); `features` (n, FEATURE_SIZE); `centres`
    (n, 2) in page widths; `hops` (n, n) uint8; `sides` (n, 4) int64, -1 for none.
    """

    rows: list[Tensor]
    features: Tensor
    centres: Tensor
    hops: Tensor
    sides: Tensor


def page_tensors(page: EntityPage, encoder: TextEncoder, config: ModelConfig) -> PageTensors:
    boxes = page.box_array()
    hops = page_hops(boxes, config.neighbours, config.hop_cap, config.nearness)
    return PageTensors(
        encoder.prepare(page.texts),
        torch.from_numpy(page_features(page)),
        torch.from_numpy((boxes[:, :2] + boxes[:, 2:]) / 2).float(),
        torch.from_numpy(hops),
        torch.from_numpy(nearest_on_sides(boxes)),
    )


def collate(pages: Sequence[PageTensors]) -> dict[str, Tensor]:
    """The arguments of KnnFormer.forward for some pages, of which at least one has an entity."""
    n = max(len(page.features) for page in pages)
    blank = next(rows for page in pages for rows in page.rows)[:0]
    padded = [rows for page in pages for rows in page.rows + [blank] * (n - len(page.rows))]
    rows, offsets = join_rows(padded)
    lacks = [n - len(page.features) for page in pages]
    return {
        "rows": rows,
        "offsets": offsets,
        "features": _padded([page.features for page in pages], n),
        "centres": _padded([page.centres for page in pages], n),
        "hops": torch.stack(
            [pad(p.hops, (0, lack, 0, lack)) for p, lack in zip(pages, lacks, strict=True)]
        ),
        "sides": _padded([page.sides for page in pages], n, -1),
        "mask": torch.arange(n) < torch.tensor([[n - lack] for lack in lacks]),
    }


def _padded(rows: Sequence[Tensor], n: int, value: float = 0) -> Tensor:
    return torch.stack([pad(page, (0, 0, 0, n - len(page)), value=value) for page in rows])
