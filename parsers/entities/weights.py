"""A trained model in a folder: `model.safetensors`, and `config.json` that says how to build it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec
import torch
from torch import Tensor, nn

from docpipe.errors import ConfigError, ModelError
from docpipe.parsers.entities.encoders import (
    HashedNgramEncoder,
    SentenceTransformerEncoder,
    TextEncoder,
)
from docpipe.parsers.entities.model import KnnFormer, ModelConfig
from docpipe.parsers.entities.schema import FieldSchema

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"

_TABLE = "encoder.table.weight"
_SCALE = "encoder.table.scale"


class SavedConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`thresholds`: tau of each one-field of the schema, in its order."""

    model: ModelConfig
    schema: FieldSchema
    thresholds: tuple[float, ...]


class Trained(NamedTuple):
    model: KnnFormer
    config: SavedConfig


def build_model(config: ModelConfig, schema: FieldSchema, device: str = "cpu") -> KnnFormer:
    """A model with fresh weights on `device`."""
    encoder: TextEncoder
    if config.encoder == "hashed":
        encoder = HashedNgramEncoder(
            config.width, config.buckets, config.gram_dropout, config.blank
        )
    else:
        encoder = SentenceTransformerEncoder(Path(config.encoder), device)
    return KnnFormer(config, len(schema.labels), encoder).to(device)


def save(folder: Path, model: nn.Module, config: SavedConfig, *, compact: bool = False) -> None:
    """Write both files; the folder is made where it is missing.

    `compact` keeps the encoder's table as bytes with a scale per row, and all else in half
    precision: about a fourth of the size.
    """
    from safetensors.torch import save as serialise

    folder.mkdir(parents=True, exist_ok=True)
    tensors = {name: tensor.cpu().contiguous() for name, tensor in model.state_dict().items()}
    # Not save_file: what that writes only its owner may read. And never over a file that a model in
    # use may have mapped into memory.
    new = folder / f"{WEIGHTS_FILE}.new"
    new.write_bytes(serialise(_compacted(tensors) if compact else tensors))
    new.replace(folder / WEIGHTS_FILE)
    text = msgspec.json.format(msgspec.json.encode(config), indent=2)
    (folder / CONFIG_FILE).write_bytes(text + b"\n")


def _compacted(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    small = {name: tensor.half() for name, tensor in tensors.items()}
    if _TABLE in tensors:
        scale = (tensors[_TABLE].abs().amax(1, keepdim=True) / 127).clamp(min=1e-8)
        small[_TABLE] = (tensors[_TABLE] / scale).round().to(torch.int8)
        small[_SCALE] = scale
    return small


def _restored(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    scale = tensors.pop(_SCALE, None)
    full = {name: tensor.float() for name, tensor in tensors.items()}
    return full if scale is None else full | {_TABLE: full[_TABLE] * scale}


def load(folder: Path, device: str = "cpu") -> Trained:
    """The model in a folder, ready for use. Raises ModelError that says what is wrong with it."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        config = msgspec.json.decode((folder / CONFIG_FILE).read_bytes(), type=SavedConfig)
        if len(config.thresholds) != len(config.schema.ones):
            raise ModelError(
                f"{folder / CONFIG_FILE} has {len(config.thresholds)} thresholds for "
                f"{len(config.schema.ones)} one-fields",
                hint="train it again, or set one threshold per one-field",
            )
        model = build_model(config.model, config.schema, device)
        model.load_state_dict(_restored(load_file(folder / WEIGHTS_FILE, device=device)))
    except FileNotFoundError as error:
        raise ModelError(
            f"no trained entity model in {folder}: {error.filename or error} is missing",
            hint="make one with docpipe train knnformer",
        ) from error
    except (OSError, msgspec.DecodeError, ConfigError, SafetensorError, RuntimeError) as error:
        raise ModelError(
            f"the entity model in {folder} cannot be used: {error}",
            hint=f"{CONFIG_FILE} and {WEIGHTS_FILE} must come from one training",
        ) from error
    return Trained(model.eval(), config)
