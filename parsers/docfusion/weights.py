"""A DocFusion model in a folder (see folder), docpipe's own or the public one's.

The public checkpoint (`sc22mc/DocFusion`) stores its token table four times, for the prompt, the
encoder, the decoder and the output; others store it once. Either loads: what equals the first table
is one with it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
import torch
from torch import Tensor

from docpipe.errors import ModelError
from docpipe.parsers.docfusion.config import DocFusionConfig, from_public
from docpipe.parsers.docfusion.folder import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    check_keys,
    read_tensors,
    reading,
    write,
)
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.vocabulary import Vocabulary, build_vocabulary

SHIPPED = Path(__file__).parent / "tiny"

_SHARED = "language_model.model.shared.weight"
_ENCODER = "language_model.model.encoder.embed_tokens.weight"  # no use is made of it
_OWN: dict[Literal["decoder", "head"], str] = {
    "decoder": "language_model.model.decoder.embed_tokens.weight",
    "head": "language_model.lm_head.weight",
}
_COMPUTED = ("language_model.final_logits_bias", "visual_temporal_embed.pos_idx_to_embed")
TRAINING_ONLY = ("ctc_head.", "box_head.")


class Loaded(NamedTuple):
    model: DocFusion
    vocabulary: Vocabulary


def shipped() -> Path:
    """The folder of the small model that is in the package. Raises ModelError without it."""
    if not (SHIPPED / WEIGHTS_FILE).is_file():
        raise ModelError(
            "DocFusion needs weights, and docpipe ships none",
            hint="set weights to a folder with config.json and model.safetensors: the public "
            "checkpoint sc22mc/DocFusion, or one you trained",
        )
    return SHIPPED


def save(folder: Path, model: DocFusion, *, half: bool = False) -> None:
    """Write the files, each tensor once; with `half` numbers of 16 bits."""
    shared = {_ENCODER, *(name for part, name in _OWN.items() if part not in _separate(model))}
    tensors = {
        name: tensor.half() if half else tensor
        for name, tensor in model.state_dict().items()
        if name not in shared
    }
    write(folder, model.config, tensors, TRAINING_ONLY)


def load(folder: Path, device: str = "cpu") -> Loaded:
    """The model in a folder, ready for use, with its vocabulary.

    Raises ModelError that says what is wrong with the folder.
    """
    with reading("DocFusion", folder):
        config = read_config(folder)
        model = from_state(config, read_tensors(folder)).to(device)
    return Loaded(model.eval(), build_vocabulary(config, folder))


def read_config(folder: Path) -> DocFusionConfig:
    """The configuration in a folder. Raises FileNotFoundError, ValueError or ConfigError."""
    data = json.loads((folder / CONFIG_FILE).read_text("utf-8"))
    if isinstance(data, dict) and "vision_config" in data:
        return from_public(data)
    return msgspec.convert(data, DocFusionConfig)


def from_state(config: DocFusionConfig, state: dict[str, Tensor]) -> DocFusion:
    """A model of this configuration with the weights in a state dict, in single precision.

    Raises ModelError for weights of another model.
    """
    state = {name: tensor.float() for name, tensor in state.items()}
    shared = next((state[name] for name in (_SHARED, *_OWN.values()) if name in state), None)
    if shared is None:
        raise ModelError("the weights have no token table", hint="they are of another model")
    separate = tuple(
        part for part, name in _OWN.items() if name in state and not state[name].equal(shared)
    )
    text = msgspec.structs.replace(config.text, separate=separate)
    model = DocFusion(msgspec.structs.replace(config, text=text))
    state = {_SHARED: shared, _ENCODER: shared} | dict.fromkeys(_OWN.values(), shared) | state
    found = model.load_state_dict(state | {_ENCODER: shared}, strict=False)
    check_keys(found, _COMPUTED + TRAINING_ONLY)
    return model


def _separate(model: DocFusion) -> tuple[Literal["decoder", "head"], ...]:
    return model.config.text.separate


@torch.no_grad()
def count_parameters(model: DocFusion) -> int:
    """Numbers that inference uses, a shared token table counted once."""
    return sum(
        parameter.numel()
        for name, parameter in model.named_parameters()
        if not name.startswith(TRAINING_ONLY)
    )
