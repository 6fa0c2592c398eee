"""A cross-encoder: a model that reads a query and a chunk together and says how well they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from docpipe.errors import ModelError
from docpipe.records import Hit


class CrossEncoderReranker:
    """A Reranker by a sequence classifier with one output, such as the MS MARCO or BGE rerankers.

    `model` is a folder or a hub id, which is taken from the local cache; only `download` fetches
    it. Scores are the outputs as chances, 0-1. `device` is a torch device.
    """

    def __init__(
        self,
        model: str,
        *,
        device: str = "cpu",
        batch_size: int = 16,
        max_tokens: int = 512,
        download: bool = False,
    ) -> None:
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()
        local: dict[str, Any] = {"local_files_only": not download}
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(model, **local)
            loaded = AutoModelForSequenceClassification.from_pretrained(
                model, use_safetensors=True, **local
            )
        except (OSError, ValueError) as error:
            raise ModelError(
                f"no model can be loaded from {model}: {error}",
                code="model_missing",
                hint="give a folder with a model, or set reranker.download = true to fetch it",
            ) from error
        if loaded.config.num_labels != 1:
            raise ModelError(
                f"{model} has {loaded.config.num_labels} outputs, not one",
                hint="a cross-encoder trained for ranking is needed",
            )
        self._model = loaded.to(torch.device(device)).eval()
        self._device = device
        self._batch_size = batch_size
        self._max_tokens = max_tokens

    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """The hits by how well their chunks fit the query, with that as their score."""
        order = sorted(range(len(hits)), key=lambda at: len(hits[at].chunk.text))  # little padding
        scores = dict[int, float]()
        for start in range(0, len(order), self._batch_size):
            some = order[start : start + self._batch_size]
            texts = [hits[at].chunk.text for at in some]
            scores |= dict(zip(some, self._scores(query, texts), strict=True))
        scored = [msgspec.structs.replace(hit, score=scores[at]) for at, hit in enumerate(hits)]
        return sorted(scored, key=lambda hit: -hit.score)

    def _scores(self, query: str, texts: list[str]) -> list[float]:
        import torch

        tokens = self._tokenizer(
            [query] * len(texts),
            texts,
            padding=True,
            truncation="only_second",
            max_length=self._max_tokens,
            return_tensors="pt",
        ).to(self._device)
        with torch.inference_mode():
            logits = self._model(**tokens).logits[:, 0]
        return [float(score) for score in torch.sigmoid(logits.float())]
