"""A small PA-BDM model in a folder (see docfusion.folder), and what DocFusion's lends it."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import torch
from torch import Tensor

from docpipe.errors import ModelError
from docpipe.parsers.docfusion.folder import (
    CONFIG_FILE,
    TRAINING_FILE,
    WEIGHTS_FILE,
    check_keys,
    read_tensors,
    reading,
    write,
)
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.weights import load as load_docfusion
from docpipe.parsers.pabdm.config import Mode, PaBdmConfig
from docpipe.parsers.pabdm.model import PaBdm

SHIPPED = Path(__file__).parent / "tiny"
_TRAINING_ONLY = ("vision.ctc_head.",)


def save(folder: Path, model: PaBdm, mode: Mode, *, half: bool = False) -> None:
    """Write the files. `mode` is what it was trained for; with `half`, numbers of 16 bits."""
    tensors = {n: tensor.half() if half else tensor for n, tensor in model.state_dict().items()}
    write(folder, msgspec.structs.replace(model.config, mode=mode), tensors, _TRAINING_ONLY)


def load(folder: Path, device: str = "cpu") -> PaBdm:
    """The model in a folder, ready for use. Raises ModelError that says what is wrong with it."""
    with reading("PA-BDM", folder):
        config = msgspec.json.decode((folder / CONFIG_FILE).read_bytes(), type=PaBdmConfig)
        model = PaBdm(config)
        check_keys(model.load_state_dict(read_tensors(folder), strict=False), _TRAINING_ONLY)
    return model.to(device).eval()


def shipped() -> Path:
    """The folder of the small model that is in the package. Raises ModelError without it."""
    if not (SHIPPED / WEIGHTS_FILE).is_file():
        raise ModelError(
            "PA-BDM needs weights, and docpipe ships none",
            hint="set weights to a folder that `docpipe train pabdm` has written",
        )
    return SHIPPED


@torch.no_grad()
def take_vision(model: PaBdm, folder: Path) -> None:
    """Give the model the eyes of the DocFusion model in `folder`, which must have the same vision
    tower and width. Raises ModelError.

    The constant that DocFusion adds as the time of an image goes into the position tables, and of
    features that are merged the mean is projected. The head that reads text off columns comes
    along if it is there and knows the same pieces.
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
    if (folder / TRAINING_FILE).exists():
        _take_head(model, given)


def _take_head(model: PaBdm, given: DocFusion) -> None:
    """DocFusion's classes are the tokens of texts, and labels behind them."""
    own, theirs, count = model.vision.ctc_head, given.ctc_head, model.config.ctc_frames
    same = (count, model.config.pieces) == (given.config.ctc_frames, given.config.pieces)
    if own is None or theirs is None or not same:
        return
    for part, lent in ((own.weight, theirs.weight), (own.bias, theirs.bias)):
        part.copy_(lent.reshape(count, -1, *lent.shape[1:])[:, : model.texts].flatten(0, 1))


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
