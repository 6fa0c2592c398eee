"""The network of the compact policy: a score for every option, from its features, those of the run
and frozen sentence vectors."""

from __future__ import annotations

import torch
from torch import nn

from docpipe.agents.mmdocr1.compact_features import OPTION_FEATURES, RUN_FEATURES


class CompactNetwork(nn.Module):
    """Options are scored together: each sees the mean and the maximum of all.

    Sentence vectors have `dimension` numbers; `vectors` numbers compare a question with a page.
    """

    def __init__(self, dimension: int, *, width: int = 96, vectors: int = 24) -> None:
        super().__init__()
        self.settings = {"dimension": dimension, "width": width, "vectors": vectors}
        self.of_question = nn.Linear(dimension, vectors, bias=False)
        self.of_page = nn.Linear(dimension, vectors, bias=False)
        self.option = nn.Sequential(
            nn.Linear(OPTION_FEATURES + RUN_FEATURES + vectors, width),
            nn.GELU(),
            nn.Linear(width, width),
            nn.GELU(),
        )
        self.score = nn.Sequential(nn.Linear(3 * width, width), nn.GELU(), nn.Linear(width, 1))

    def forward(
        self,
        features: torch.Tensor,
        run: torch.Tensor,
        vectors: torch.Tensor,
        question: torch.Tensor,
        offered: torch.Tensor,
    ) -> torch.Tensor:
        """Logits [B, O], -inf where not `offered` [B, O].

        features [B, O, OPTION_FEATURES], run [B, RUN_FEATURES], vectors [B, O, D], question [B, D].
        """
        alike = self.of_page(vectors) * self.of_question(question).unsqueeze(1)
        everywhere = run.unsqueeze(1).expand(-1, features.shape[1], -1)
        hidden = self.option(torch.cat([features, everywhere, alike], -1))
        there = offered.unsqueeze(-1)
        mean = (hidden * there).sum(1) / there.sum(1).clamp(min=1)
        most = hidden.masked_fill(~there, -1e4).amax(1)
        context = torch.cat([mean, most], -1).unsqueeze(1).expand(-1, hidden.shape[1], -1)
        logits: torch.Tensor = self.score(torch.cat([hidden, context], -1)).squeeze(-1)
        return logits.masked_fill(~offered, float("-inf"))
