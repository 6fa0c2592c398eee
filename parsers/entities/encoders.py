"""Texts of entities to vectors.

Two steps, so that what never changes is done once: `prepare` turns texts into rows of a tensor on
the CPU, calling the encoder makes vectors of those rows, in training for many pages at once.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.nn import functional

from docpipe.errors import ModelError

NGRAMS = (2, 3, 4)


@runtime_checkable
class TextEncoder(Protocol):
    """What the model asks of an encoder; both below are torch modules."""

    dimension: int

    def prepare(self, texts: Sequence[str]) -> list[Tensor]:
        """A tensor per text whose first dimension counts its rows: 0 for an empty text."""
        ...

    def __call__(self, rows: Tensor, offsets: Tensor) -> Tensor:
        """Vectors (n, dimension). Text i has the rows from offsets[i] to the next offset; a text
        without rows gets zeros."""
        ...


def encode(encoder: TextEncoder, texts: Sequence[str]) -> Tensor:
    """Vectors of texts, shape (len(texts), dimension)."""
    return encoder(*join_rows(encoder.prepare(texts)))


def join_rows(prepared: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Rows of all texts one after another, and the offset at which each text begins, (n,)."""
    counts = torch.tensor([len(rows) for rows in prepared], dtype=torch.int64)
    return torch.cat(list(prepared)), counts.cumsum(0) - counts


class HashedNgramEncoder(nn.Module):
    """Mean of learned vectors of hashed character 2-4-grams and words, digits folded to 0 [D].

    Needs no download. `buckets` is the size of the table; in training a share `dropout` of the
    rows of a text is left out, and a share `blank` of the texts is left out as a whole.
    """

    def __init__(
        self,
        dimension: int = 96,
        buckets: int = 2**14,
        dropout: float = 0.15,
        blank: float = 0.0,
    ) -> None:
        super().__init__()
        self.dimension = dimension
        self.dropout, self.blank = dropout, blank
        self.table = nn.Embedding(buckets, dimension)
        nn.init.normal_(self.table.weight, std=0.1)

    def prepare(self, texts: Sequence[str]) -> list[Tensor]:
        """Bucket numbers of each text, int64 of shape (number of n-grams,)."""
        buckets = self.table.num_embeddings
        return [
            torch.tensor([_hash(gram) % buckets for gram in grams(text)], dtype=torch.int64)
            for text in texts
        ]

    def forward(self, rows: Tensor, offsets: Tensor) -> Tensor:
        at = torch.arange(len(rows), device=rows.device)
        owner = torch.bucketize(at, offsets, right=True) - 1
        keep = torch.ones(len(rows), device=rows.device, dtype=self.table.weight.dtype)
        if self.training and self.dropout:
            keep = (torch.rand_like(keep) >= self.dropout).to(keep.dtype)
        if self.training and self.blank:
            keep = keep * (torch.rand(len(offsets), device=rows.device) >= self.blank)[owner]
        total = functional.embedding_bag(
            rows, self.table.weight, offsets, mode="sum", per_sample_weights=keep
        )
        count = torch.zeros_like(total[:, 0]).index_add(0, owner, keep)
        return total / count.clamp(min=1.0).unsqueeze(1)


def grams(text: str) -> list[str]:
    """The n-grams and words of a text, folded: case and width of characters, digits to 0."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = "".join("0" if char.isdigit() else char for char in folded).split()
    padded = f" {' '.join(words)} "
    if not words:
        return []
    pieces = [padded[at : at + n] for n in NGRAMS for at in range(len(padded) - n + 1)]
    return pieces + [f"word {word}" for word in words]


def _hash(gram: str) -> int:
    return zlib.crc32(gram.encode("utf-8", "surrogatepass"))


class SentenceTransformerEncoder(nn.Module):
    """Frozen vectors of a sentence-transformers model in a local folder; nothing is downloaded.

    Its weights are no part of the model that uses it: the folder must be there to use that, too.
    Raises ModelError when no model can be loaded.
    """

    def __init__(self, path: Path, device: str = "cpu") -> None:
        super().__init__()
        from sentence_transformers import SentenceTransformer

        try:
            model = SentenceTransformer(str(path), device=device, local_files_only=True)
        except (OSError, ValueError) as error:
            raise ModelError(
                f"no sentence encoder can be loaded from {path}: {error}",
                hint="give the folder of a sentence-transformers model",
            ) from error
        self._encoders: list[Any] = [model]  # in a list: no submodule, so not saved and not trained
        self.dimension = int(model.get_embedding_dimension())

    def prepare(self, texts: Sequence[str]) -> list[Tensor]:
        """The vector of each text, float32 of shape (1, dimension), (0, dimension) for no text."""
        filled = [text for text in texts if text.strip()]
        vectors = iter(self._embed(filled)) if filled else iter(())
        empty = torch.zeros(0, self.dimension)
        return [next(vectors).unsqueeze(0) if text.strip() else empty for text in texts]

    def forward(self, rows: Tensor, offsets: Tensor) -> Tensor:
        ends = torch.cat([offsets[1:], offsets.new_tensor([len(rows)])])
        vectors = rows.new_zeros(len(offsets), self.dimension)
        vectors[ends > offsets] = rows
        return vectors

    def _embed(self, texts: list[str]) -> Tensor:
        vectors: Tensor = self._encoders[0].encode(
            texts, convert_to_tensor=True, show_progress_bar=False
        )
        return vectors.detach().float().cpu()
