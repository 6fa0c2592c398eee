"""The model: a page or crop and a task's prompt in, the task's text out.

    features = DaViT(image) + 2-D positions;  V = norm([mean; features] W);  X = [V; prompt]
    p(token | tokens before, X) by a BART decoder over X

There are no transformer encoder layers [C]: the "encoder" adds BART's positions to X and normalises
it. Module names are those of the public checkpoint, so that its state dict loads as it is.

Shapes: B images, N = rows x columns image tokens, S = 1 + N + prompt tokens, L target tokens,
d width, V vocabulary.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from docpipe.parsers.docfusion.config import DocFusionConfig, TextConfig
from docpipe.parsers.docfusion.davit import DaViT
from docpipe.parsers.docfusion.decoder import OFFSET, Cache, Decoder
from docpipe.parsers.docfusion.loss import IGNORED
from docpipe.parsers.docfusion.vocabulary import EOS, PAD

_FRAMES = 100  # of a video; an image is the first
_RANK = 64  # of the scores of the head for boxes


class Output(NamedTuple):
    """`logits` (B, L, V); of the heads that are for training only, if the model has them,
    `frames` (B, columns x ctc_frames, first_bin) and `regions`."""

    logits: Tensor
    frames: Tensor | None
    regions: Regions | None = None


class Regions(NamedTuple):
    """What image tokens tell of the boxes they lie in: of the uppermost and of the lowest one
    `labels` (B, N, 2, labels + 1), the last for none, and `places` (B, N, 2, 4, bins) of the bins
    of x0 y0 x1 y1."""

    labels: Tensor
    places: Tensor


class PositionTables(nn.Module):
    """Learned positions: the first half of the channels by column, the other by row [C]."""

    def __init__(self, size: int, dim: int) -> None:
        super().__init__()
        self.row_embeddings = nn.Embedding(size, dim // 2)
        self.column_embeddings = nn.Embedding(size, dim - dim // 2)

    def forward(self, rows: int, columns: int) -> Tensor:
        """(rows, columns, dim)"""
        across = self.column_embeddings.weight[:columns].expand(rows, -1, -1)
        down = self.row_embeddings.weight[:rows].unsqueeze(1).expand(-1, columns, -1)
        return torch.cat((across, down), -1)


class TimeTable(nn.Module):
    """Sines and cosines of time [C]; only the first row is used, for an image has no other."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.register_buffer("pos_idx_to_embed", sinusoids(_FRAMES, dim))

    def forward(self) -> Tensor:
        table: Tensor = self.pos_idx_to_embed  # type: ignore[assignment]
        return table[0]


class Encoder(nn.Module):
    """Positions and layer norm for image and prompt; no layers."""

    def __init__(self, config: TextConfig, table: nn.Embedding) -> None:
        super().__init__()
        self.embed_tokens = table
        self.embed_positions = nn.Embedding(config.sources + OFFSET, config.width)
        self.layernorm_embedding = nn.LayerNorm(config.width)
        self.drop = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, places: Tensor) -> Tensor:
        out: Tensor = self.drop(self.layernorm_embedding(x + self.embed_positions(places + OFFSET)))
        return out


class Bart(nn.Module):
    def __init__(self, config: TextConfig) -> None:
        super().__init__()
        self.shared = nn.Embedding(config.vocabulary, config.width)
        self.encoder = Encoder(config, self.shared)
        apart = "decoder" in config.separate
        own = nn.Embedding(config.vocabulary, config.width) if apart else self.shared
        self.decoder = Decoder(config, own)


class LanguageModel(nn.Module):
    def __init__(self, config: TextConfig) -> None:
        super().__init__()
        self.model = Bart(config)
        self.lm_head = nn.Linear(config.width, config.vocabulary, bias=False)
        if "head" not in config.separate:
            self.lm_head.weight = self.model.shared.weight
        self.register_buffer("final_logits_bias", torch.zeros(1, config.vocabulary))


class BoxHead(nn.Module):
    """Reads boxes off image tokens, for training only [D]: it makes the tokens tell what the
    decoder is to write. Bins are scored through the decoder's own location tokens."""

    def __init__(self, width: int, labels: int) -> None:
        super().__init__()
        self.label = nn.Linear(width, 2 * (labels + 1))
        self.place = nn.Linear(width, 2 * 4 * _RANK)
        self.bin = nn.Linear(width, _RANK)

    def forward(self, image: Tensor, locations: Tensor) -> Regions:
        """Of image tokens (B, N, d), with the table (bins, d) of location tokens."""
        labels = self.label(image).unflatten(-1, (2, -1))
        places = self.place(image).unflatten(-1, (2, 4, _RANK)) @ self.bin(locations).T
        return Regions(labels, places)


class DocFusion(nn.Module):
    """Fresh weights: see `_initialise`; those of a folder: see weights."""

    def __init__(self, config: DocFusionConfig) -> None:
        super().__init__()
        dim, width = config.vision.dims[-1], config.text.width
        self.config = config
        self.vision_tower = DaViT(config.vision)
        self.image_pos_embed = PositionTables(config.vision.grid, dim)
        self.visual_temporal_embed = TimeTable(dim)
        self.image_projection = nn.Parameter(torch.empty(dim, width))
        self.image_proj_norm = nn.LayerNorm(width)
        self.language_model = LanguageModel(config.text)
        self.ctc_head = (
            nn.Linear(width, config.ctc_frames * config.first_bin) if config.ctc_frames else None
        )
        self.box_head = BoxHead(width, len(config.labels)) if config.box_head else None
        _initialise(self)

    def forward(self, pixels: Tensor, prompt: Tensor, labels: Tensor) -> Output:
        """Scores of each of `labels` (B, L; padded with PAD or -100) given those before it.

        `pixels` (B, 3, height, width) are normalised, `prompt` (B, tokens) are ids.
        """
        image, size = self.look(pixels)
        before = labels.masked_fill(labels == IGNORED, PAD).roll(1, 1)
        before[:, 0] = EOS  # what BART starts with
        states, _ = self.decoder(before, self.start(image, size, prompt))
        return Output(self.scores(states), self._frames(image, size), self._regions(image, size))

    def look(self, pixels: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Image tokens (B, 1 + N, d), the first their mean, and the rows and columns of the N."""
        features = self.vision_tower(pixels)
        _, rows, columns, _ = features.shape
        x = features + self.image_pos_embed(rows, columns)
        x = x.flatten(1, 2) + self.visual_temporal_embed()
        x = torch.cat((x.mean(1, keepdim=True), x), 1) @ self.image_projection
        return self.image_proj_norm(x), (rows, columns)

    def start(self, image: Tensor, size: tuple[int, int], prompt: Tensor) -> Cache:
        """The decoder's cache for image tokens (see `look`) and a prompt."""
        encoder = self.language_model.model.encoder
        x = torch.cat((image, self.language_model.model.shared(prompt)), 1)
        places = source_places(size, self.config.columns, prompt.shape[1]).to(x.device)
        return self.decoder.start(encoder(x, places))

    @property
    def decoder(self) -> Decoder:
        return self.language_model.model.decoder

    def scores(self, states: Tensor) -> Tensor:
        """Logits (B, T, V) of decoder states (B, T, d)."""
        bias: Tensor = self.language_model.final_logits_bias  # type: ignore[assignment]
        out: Tensor = self.language_model.lm_head(states) + bias
        return out

    def _frames(self, image: Tensor, size: tuple[int, int]) -> Tensor | None:
        if self.ctc_head is None:
            return None
        columns = image[:, 1:].view(len(image), *size, -1).mean(1)
        scores: Tensor = self.ctc_head(columns)
        return scores.reshape(len(image), -1, self.config.first_bin)

    def _regions(self, image: Tensor, size: tuple[int, int]) -> Regions | None:
        """Of all tokens of a whole page. Of a crop, which has no boxes, one token is enough to
        give the head a gradient, which processes that train together need."""
        if self.box_head is None:
            return None
        whole = size == self.config.vision.map_size(self.config.page)
        first, bins = self.config.first_bin, self.config.bins
        locations = self.language_model.lm_head.weight[first : first + bins]
        regions: Regions = self.box_head(image[:, 1:] if whole else image[:, :1], locations)
        return regions


def source_places(size: tuple[int, int], columns: int, prompt: int) -> Tensor:
    """Positions of the mean, the image tokens and the prompt: 0, 1, 2, … for a whole page.

    A smaller image has the positions of the top left of a grid of `columns`, so that a place has
    one position in images of all sizes [D].
    """
    rows, across = size
    grid = torch.arange(rows).unsqueeze(1) * columns + torch.arange(across)
    last = 1 + (rows - 1) * columns + across
    return torch.cat(
        (torch.zeros(1, dtype=torch.long), 1 + grid.flatten(), last + torch.arange(prompt))
    )


def sinusoids(rows: int, dim: int) -> Tensor:
    """(rows, dim): sines in even channels, cosines in odd ones, wavelengths up to 10,000."""
    half = (dim + 1) // 2
    rates = torch.exp(torch.arange(half) * (-math.log(10_000) / half))
    angles = torch.arange(rows).unsqueeze(1) * rates
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)[:, :dim]


@torch.no_grad()
def _initialise(model: DocFusion) -> None:
    """Fresh weights [D]: small token tables, positions that begin as sines; the rest as torch has
    it."""
    config = model.config
    text = model.language_model.model
    scale = 0.02  # as BART: first scores are near even
    for table in {text.shared, text.decoder.embed_tokens}:
        nn.init.normal_(table.weight, std=scale)
    nn.init.normal_(model.language_model.lm_head.weight, std=scale)
    nn.init.normal_(text.encoder.embed_positions.weight, std=scale)
    places = sinusoids(config.text.targets + OFFSET, config.text.width)
    text.decoder.embed_positions.weight.copy_(scale * places)
    for axis in (model.image_pos_embed.row_embeddings, model.image_pos_embed.column_embeddings):
        axis.weight.copy_(sinusoids(*axis.weight.shape))
    nn.init.normal_(model.image_projection, std=config.vision.dims[-1] ** -0.5)
