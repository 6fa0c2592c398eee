"""A model in a folder: `config.json` and `model.safetensors`, docpipe's own or the public one's.

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

from docpipe.errors import ConfigError, ModelError
from docpipe.parsers.docfusion.config import DocFusionConfig, from_public
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.vocabulary import Vocabulary, build_vocabulary

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
SHIPPED = Path(__file__).parent / "tiny"

_SHARED = "language_model.model.shared.weight"
_ENCODER = "language_model.model.encoder.embed_tokens.weight"  # no use is made of it
_OWN: dict[Literal["decoder", "head"], str] = {
    "decoder": "language_model.model.decoder.embed_tokens.weight",
    "head": "language_model.lm_head.weight",
}
_COMPUTED = {"language_model.final_logits_bias", "visual_temporal_embed.pos_idx_to_embed"}
_TRAINING_ONLY = ("ctc_head.", "box_head.")


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
    """Write both files, each tensor once, without what only training needs; with `half` numbers of
    16 bits."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    shared = {_ENCODER, *(name for part, name in _OWN.items() if part not in _separate(model))}
    tensors = {
        name: (tensor.detach().half() if half else tensor.detach()).cpu().contiguous()
        for name, tensor in model.state_dict().items()
        if name not in shared and not name.startswith(_TRAINING_ONLY)
    }
    save_file(tensors, folder / WEIGHTS_FILE)
    text = msgspec.json.format(msgspec.json.encode(model.config), indent=2)
    (folder / CONFIG_FILE).write_bytes(text + b"\n")


def load(folder: Path, device: str = "cpu") -> Loaded:
    """The model in a folder, ready for use, with its vocabulary.

    Raises ModelError that says what is wrong with the folder.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        config = read_config(folder)
        state = load_file(folder / WEIGHTS_FILE)
        model = from_state(config, state).to(device)
    except FileNotFoundError as error:
        raise ModelError(
            f"no DocFusion model in {folder}: {error.filename or error} is missing",
            hint=f"a folder with {CONFIG_FILE} and {WEIGHTS_FILE} is needed",
        ) from error
    except (OSError, ValueError, ConfigError, SafetensorError, RuntimeError) as error:
        raise ModelError(
            f"the DocFusion model in {folder} cannot be used: {error}",
            hint=f"{CONFIG_FILE} and {WEIGHTS_FILE} must belong together",
        ) from error
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
    missing = [
        name
        for name in found.missing_keys
        if name not in _COMPUTED and not name.startswith(_TRAINING_ONLY)
    ]
    if missing or found.unexpected_keys:
        wrong = [*missing, *found.unexpected_keys]
        raise ModelError(
            f"weights and configuration differ in {len(wrong)} tensors, such as {wrong[0]}",
            hint="they are of another model",
        )
    return model


def _separate(model: DocFusion) -> tuple[Literal["decoder", "head"], ...]:
    return model.config.text.separate


@torch.no_grad()
def count_parameters(model: DocFusion) -> int:
    """Numbers that inference uses, a shared token table counted once."""
    return sum(
        parameter.numel()
        for name, parameter in model.named_parameters()
        if not name.startswith(_TRAINING_ONLY)
    )
