"""Beam search over a batch: which beams go on, and the best that ended.

Outputs compare by their mean log-probability a token, the end included. An image is done when as
many outputs as beams have ended and none that goes on is better than the worst of them [C: three
beams, no early stop].
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from docpipe.parsers.docfusion.vocabulary import EOS


class Ended(NamedTuple):
    """`ids` and `scores` of a row with its last token."""

    mean: float
    ids: Tensor
    scores: Tensor


class Beams:
    """The state of a search for `batch` images with `beams` rows each; at most `longest` steps."""

    def __init__(self, batch: int, beams: int, longest: int) -> None:
        self._beams = beams
        self._longest = longest
        self._steps = 0
        self._sums = torch.full((batch, beams), -torch.inf)
        self._sums[:, 0] = 0.0  # the rows of an image begin alike
        self._ended: list[list[Ended]] = [[] for _ in range(batch)]
        self._done = [False] * batch

    @property
    def is_done(self) -> bool:
        return all(self._done)

    def advance(self, logp: Tensor, ids: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Rows to go on from and the token that each takes, (batch * beams) both.

        `logp` (rows, V) are log-probabilities of the next token, `ids` and `scores` the rows so
        far.
        """
        self._steps += 1
        size = logp.shape[-1]
        sums = self._sums.to(logp).unsqueeze(-1) + logp.view(*self._sums.shape, size)
        top = sums.flatten(1).topk(min(2 * self._beams, sums[0].numel()))
        rows, tokens = [], []
        for image, (values, places) in enumerate(
            zip(top.values.tolist(), top.indices.tolist(), strict=True)
        ):
            going = self._sort(image, values, places, size, logp, ids, scores)
            self._sums[image] = torch.tensor([value for value, _, _ in going])
            rows += [row for _, row, _ in going]
            tokens += [token for _, _, token in going]
        device = ids.device
        return torch.tensor(rows, device=device), torch.tensor(tokens, device=device)

    def best(self) -> list[tuple[Tensor, Tensor]]:
        """Tokens and scores of the best output of each image."""
        return [max(ended, key=lambda one: one.mean)[1:] for ended in self._ended]

    def _sort(
        self,
        image: int,
        values: list[float],
        places: list[int],
        size: int,
        logp: Tensor,
        ids: Tensor,
        scores: Tensor,
    ) -> list[tuple[float, int, int]]:
        """Sum, row and token of the beams of an image that go on; those that end are kept."""
        going: list[tuple[float, int, int]] = []
        last = self._steps == self._longest
        for rank, (value, place) in enumerate(zip(values, places, strict=True)):
            row, token = image * self._beams + place // size, place % size
            if token != EOS and len(going) < self._beams:
                going.append((value, row, token))
            if (token == EOS or last) and rank < self._beams and not self._done[image]:
                self._keep(image, value, row, token, logp, ids, scores)
        going += [(-float("inf"), image * self._beams, EOS)] * (self._beams - len(going))
        self._done[image] |= last or self._cannot_improve(image, going[0][0])
        return going

    def _keep(
        self,
        image: int,
        value: float,
        row: int,
        token: int,
        logp: Tensor,
        ids: Tensor,
        scores: Tensor,
    ) -> None:
        if value == -float("inf"):
            return
        ended = Ended(
            value / self._steps,
            torch.cat((ids[row], ids.new_tensor([token]))),
            torch.cat((scores[row], logp[row, token].to(scores).unsqueeze(0))),
        )
        kept = sorted([*self._ended[image], ended], key=lambda one: -one.mean)
        self._ended[image] = kept[: self._beams]

    def _cannot_improve(self, image: int, best: float) -> bool:
        ended = self._ended[image]
        return len(ended) == self._beams and best / self._steps <= ended[-1].mean
