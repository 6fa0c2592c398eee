"""A small model in a folder: `config.json` and `model.safetensors`.

A folder that training wrote has `training.safetensors` besides: what only training needs. A warm
start goes on with it; a folder to use or to ship can do without.
"""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import torch
from torch import Tensor

from docpipe.errors import ConfigError, ModelError
from docpipe.parsers.docfusion.weights import load as load_docfusion
from docpipe.parsers.pabdm.config import Mode, PaBdmConfig
from docpipe.parsers.pabdm.model import PaBdm

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
TRAINING_FILE = "training.safetensors"
_TRAINING_ONLY = "vision.ctc_head."


def save(folder: Path, model: PaBdm, mode: Mode, *, half: bool = False) -> None:
    """Write the files. `mode` is what it was trained for; with `half`, numbers of 16 bits."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    kind = torch.float16 if half else torch.float32
    tensors = {n: t.detach().to("cpu", kind).contiguous() for n, t in model.state_dict().items()}
    apart = {name: tensors.pop(name) for name in list(tensors) if name.startswith(_TRAINING_ONLY)}
    save_file(tensors, folder / WEIGHTS_FILE)
    save_file(apart, folder / TRAINING_FILE)
    config = msgspec.structs.replace(model.config, mode=mode)
    text = msgspec.json.format(msgspec.json.encode(config), indent=2)
    (folder / CONFIG_FILE).write_bytes(text + b"\n")


def load(folder: Path, device: str = "cpu") -> PaBdm:
    """The model in a folder, ready for use. Raises ModelError that says what is wrong with it."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        config = msgspec.json.decode((folder / CONFIG_FILE).read_bytes(), type=PaBdmConfig)
        model = PaBdm(config)
        state = load_file(folder / WEIGHTS_FILE)
        if (folder / TRAINING_FILE).exists():
            state |= load_file(folder / TRAINING_FILE)
        found = model.load_state_dict(state, strict=False)
    except FileNotFoundError as error:
        raise ModelError(
            f"no PA-BDM model in {folder}: {error.filename or error} is missing",
            hint=f"a folder with {CONFIG_FILE} and {WEIGHTS_FILE} is needed",
        ) from error
    except (OSError, ValueError, ConfigError, SafetensorError, RuntimeError) as error:
        raise ModelError(
            f"the PA-BDM model in {folder} cannot be used: {error}",
            hint=f"{CONFIG_FILE} and {WEIGHTS_FILE} must belong together",
        ) from error
    missing = [name for name in found.missing_keys if not name.startswith(_TRAINING_ONLY)]
    if missing or found.unexpected_keys:
        wrong = [*missing, *found.unexpected_keys]
        raise ModelError(
            f"weights and configuration in {folder} differ in {len(wrong)} tensors, such as "
            f"{wrong[0]}",
            hint="they are of another model",
        )
    return model.to(device).eval()


@torch.no_grad()
def take_vision(model: PaBdm, folder: Path) -> None:
    """Give the model the eyes of the DocFusion model in `folder`, which must have the same vision
    tower and width. Raises ModelError.

    The constant that DocFusion adds as the time of an image goes into the position tables, and of
    features that are merged the mean is projected.
    """
    given, _ = load_docfusion(folder)
    state = vision_state(given.state_dict(), math.prod(model.config.merge))
    own = {name: tensor.shape for name, tensor in model.vision.state_dict().items()}
    wrong = [name for name, tensor in state.items() if own.get(name) != tensor.shape]
    if wrong or given.config.vision != model.config.vision:
        raise ModelError(
            f"the vision tower in {folder} has another form",
            hint="[model.changes.vision] and width must be those of the DocFusion model",
        )
    model.vision.load_state_dict(state, strict=False)


def vision_state(state: dict[str, Tensor], merged: int) -> dict[str, Tensor]:
    """Of a DocFusion model's tensors those of Vision that puts so many features together."""
    parts = ("vision_tower.", "image_pos_embed.", "image_projection", "image_proj_norm.")
    found = {name: tensor.clone() for name, tensor in state.items() if name.startswith(parts)}
    time = state["visual_temporal_embed.pos_idx_to_embed"][0]
    columns = found["image_pos_embed.column_embeddings.weight"]
    rows = found["image_pos_embed.row_embeddings.weight"]
    columns += time[: columns.shape[1]]  # a position has the column's channels, then the row's
    rows += time[columns.shape[1] :]
    found["image_projection"] = found["image_projection"].repeat(merged, 1) / merged
    return found


def count_parameters(model: PaBdm) -> int:
    """Numbers that inference uses."""
    return sum(
        parameter.numel()
        for name, parameter in model.named_parameters()
        if not name.startswith(_TRAINING_ONLY)
    )
