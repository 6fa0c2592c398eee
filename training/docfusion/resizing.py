"""Weights carried over into a model of another size of images, to train on from them."""

from __future__ import annotations

import torch

from docpipe.errors import ConfigError
from docpipe.parsers.docfusion.config import DocFusionConfig
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.weights import TRAINING_ONLY

_POSITIONS = (
    "language_model.model.encoder.embed_positions.weight",
    "language_model.model.decoder.embed_positions.weight",
    "image_pos_embed.row_embeddings.weight",
    "image_pos_embed.column_embeddings.weight",
)


@torch.no_grad()
def resized(model: DocFusion, config: DocFusionConfig) -> DocFusion:
    """The model with this configuration; `model` itself where that is its own.

    Tables of positions keep their rows and get fresh ones after them; heads that `model` lacks are
    fresh. Raises ConfigError where any other tensor differs in shape.
    """
    if config == model.config:
        return model
    larger = DocFusion(config)
    given = model.state_dict()
    for name, tensor in larger.state_dict().items():
        old = given.get(name)
        if old is not None and old.shape == tensor.shape:
            tensor.copy_(old)
        elif old is not None and name in _POSITIONS and len(old) < len(tensor):
            tensor[: len(old)] = old
        elif not name.startswith(TRAINING_ONLY):
            raise ConfigError(
                f"[model.changes] do not fit the weights of init: {name} would be "
                f"{tuple(tensor.shape)}",
                hint="only image sizes, windows, heads for training and more positions can change",
            )
    return larger
