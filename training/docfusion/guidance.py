"""Guided attention, an auxiliary loss [D]: one head of the decoder looks at what it writes.

What is read already, of the boxes of a page and the cells of a table, shows in where the decoder
looked; that it learns late from the text alone. Where the data knows the place of a token, the
head's attention to the image is to fall into it; all other heads are free.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from docpipe.parsers.docfusion.codec import Codec
from docpipe.parsers.docfusion.config import DocFusionConfig
from docpipe.parsers.docfusion.decoder import Attention, Keys
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.processor import Fit
from docpipe.parsers.docfusion.vocabulary import Vocabulary
from docpipe.records import Cell

NOWHERE = (-1.0, -1.0, -1.0, -1.0)
_HEAD = 0
_SPAN = re.compile(r"\\multicolumn\{(\d+)\}")


class GuidedHead:
    """The first head of the decoder's middle layer, and what its last forward pass was given."""

    def __init__(self, model: DocFusion) -> None:
        layers = model.decoder.layers
        self._attention: Attention = layers[len(layers) // 2].encoder_attn  # type: ignore[assignment]
        self._given: tuple[Tensor, Keys] | None = None
        self._attention.register_forward_hook(self._note)

    def _note(self, module: object, given: tuple[Tensor, Keys], output: object) -> None:
        self._given = given

    def loss(self, places: Tensor, size: tuple[int, int], config: DocFusionConfig) -> Tensor:
        """Mean of -log of the attention inside `places` (B, L, 4), x0 y0 x1 y1 in pixels of
        images of `size` (height, width); 0 where no token has a place."""
        assert self._given is not None
        x, keys = self._given
        inside = tokens_inside(places, size, config)
        with torch.autocast(x.device.type, enabled=False):
            query = self._attention.q_proj(x.float()).unflatten(-1, (self._attention.heads, -1))
            scores = query[:, :, _HEAD] @ keys.keys[:, _HEAD].float().transpose(1, 2)
            attention = (scores / math.sqrt(query.shape[-1])).log_softmax(-1)
        placed = inside.any(-1)
        seen = attention[:, :, 1 : 1 + inside.shape[-1]]
        within = seen.masked_fill(~inside, -torch.inf)[placed].logsumexp(-1)
        loss: Tensor = -within.sum() / max(len(within), 1)
        return loss


def tokens_inside(places: Tensor, size: tuple[int, int], config: DocFusionConfig) -> Tensor:
    """Which image tokens each place reaches into, (B, L, N) of bool."""
    rows, columns = config.vision.map_size(size)
    down, across = (math.prod(stride[axis] for stride in config.vision.strides) for axis in (0, 1))
    top = torch.arange(rows, device=places.device) * down
    left = torch.arange(columns, device=places.device) * across
    x0, y0, x1, y1 = places.unsqueeze(-1).unbind(-2)
    vertical = (y0 < top + down) & (y1 > top)
    horizontal = (x0 < left + across) & (x1 > left)
    return (vertical.unsqueeze(-1) & horizontal.unsqueeze(-2)).flatten(-2)


def places_on_page(ids: Sequence[int], codec: Codec, config: DocFusionConfig) -> Tensor:
    """Of the location tokens of a layout target the boxes that they tell, (L, 4)."""
    places = torch.tensor([NOWHERE] * len(ids))
    height, width = (side / config.bins for side in config.page)
    for found in codec.read_layout(ids):
        x0, y0, x1, y1 = found.bins
        box = (x0 * width, y0 * height, (x1 + 1) * width, (y1 + 1) * height)
        places[list(found.positions[-4:])] = torch.tensor(box)
    return places


def places_in_table(
    ids: Sequence[int], vocabulary: Vocabulary, cells: Sequence[Cell], fit: Fit
) -> Tensor:
    """Of the tokens of a table's LaTeX the cells that they stand in, (L, 4); none where the places
    of cells are not known."""
    places = torch.tensor([NOWHERE] * len(ids))
    boxes = {(cell.row, cell.column): cell.region.bbox for cell in cells if cell.region}
    texts = [vocabulary.decode([id]) for id in ids]
    starts = torch.tensor([0] + [len(text) for text in texts[:-1]]).cumsum(0)
    for span in cell_spans("".join(texts)):
        box = boxes.get((span.row, span.column))
        if box is not None:
            places[(starts >= span.start) & (starts < span.end)] = torch.tensor(fit.box(box))
    return places


class CellSpan(NamedTuple):
    """Which characters of a table's LaTeX are those of a cell."""

    start: int
    end: int
    row: int
    column: int


def cell_spans(latex: str) -> Iterator[CellSpan]:
    """In the order in which they are written, empty ones too."""
    row = column = depth = 0
    begun = latex.find(r"\toprule") + len(r"\toprule") if r"\toprule" in latex else 0
    at = begun
    while at < len(latex):
        if latex.startswith(r"\\", at):
            yield CellSpan(begun, at, row, column)
            row, column, begun = row + 1, 0, at + 2
        elif latex[at] == "&" and depth == 0:
            yield CellSpan(begun, at, row, column)
            span = _SPAN.search(latex, begun, at)
            column, begun = column + (int(span[1]) if span else 1), at + 1
        depth += {"{": 1, "}": -1}.get(latex[at], 0)
        at += 2 if latex[at] == "\\" else 1
