"""Vectors of page images and of queries by a ColPali or ColQwen2 model of transformers.

Late interaction (Faysse et al., arXiv 2407.01449): a page is a vector for each patch of its image,
a query one for each token; MaxSim compares them (`visual_store`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from docpipe.errors import ModelError

if TYPE_CHECKING:
    from PIL import Image

Vectors = np.ndarray[Any, np.dtype[np.float32]]

# Model types of transformers with `process_images`, `process_queries` and `embeddings`.
_CLASSES = {
    "colpali": "ColPaliForRetrieval",
    "colqwen2": "ColQwen2ForRetrieval",
    "colmodernvbert": "ColModernVBertForRetrieval",
}
_DOWNLOAD = "give a folder with a model, or set visual.download = true to fetch it from the hub"


class ColVisionEmbedder:
    """A VisualEmbedder by the model in a local folder or of a hub id.

    A hub id is taken from the local cache; only `download` fetches it. `device` is a torch device,
    `batch_size` the pages embedded at a time; `dtype` a torch type such as "bfloat16".
    """

    def __init__(
        self,
        model: str,
        *,
        device: str = "cpu",
        dtype: str = "float32",
        batch_size: int = 2,
        download: bool = False,
    ) -> None:
        import torch
        import transformers
        from transformers.utils import logging

        logging.disable_progress_bar()
        local: dict[str, Any] = {"local_files_only": not download}
        try:
            kind = transformers.AutoConfig.from_pretrained(model, **local).model_type
            if kind not in _CLASSES:
                raise ModelError(
                    f"{model} is a {kind}, not a model of page images",
                    hint=f"one of {', '.join(_CLASSES)} is needed",
                )
            self._processor = transformers.AutoProcessor.from_pretrained(model, **local)
            loaded = getattr(transformers, _CLASSES[kind]).from_pretrained(
                model, use_safetensors=True, dtype=getattr(torch, dtype), **local
            )
        except (OSError, ValueError) as error:
            raise ModelError(
                f"no model can be loaded from {model}: {error}",
                code="model_missing",
                hint=_DOWNLOAD,
            ) from error
        self._model = loaded.to(torch.device(device)).eval()
        self._device = device
        self._batch_size = batch_size

    @property
    def dimension(self) -> int:
        return int(self._model.config.embedding_dim)

    def embed_images(self, images: Sequence[Image.Image]) -> list[Vectors]:
        """Of each image its vectors, shape (patches, dimension), each of unit length."""
        found: list[Vectors] = []
        for start in range(0, len(images), self._batch_size):
            batch = [image.convert("RGB") for image in images[start : start + self._batch_size]]
            found += self._embed(self._processor.process_images(images=batch))
        return found

    def embed_queries(self, queries: Sequence[str]) -> list[Vectors]:
        """Of each query its vectors, shape (tokens, dimension), each of unit length."""
        return list(self._embed(self._processor.process_queries(text=list(queries))))

    def _embed(self, inputs: Mapping[str, Any]) -> Iterator[Vectors]:
        import torch

        given = {key: value.to(self._device) for key, value in inputs.items() if key != "labels"}
        with torch.inference_mode():
            vectors = self._model(**given).embeddings
        for row, mask in zip(vectors, given["attention_mask"].bool(), strict=True):
            yield row[mask].float().cpu().numpy()
