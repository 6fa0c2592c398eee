"""What a training is resumed from: weights, optimizer, reference, and how far it was.

Chance is not stored: every step seeds its own (see docpipe.training.rl.rolling).
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import torch

from docpipe.training.rl.policy import TrainablePolicy
from docpipe.training.rl.updates import Updater
from docpipe.training.rl.workers import trained_weights
from docpipe.training.run_folder import CHECKPOINTS

KEPT = 2
_STATE = "state.pt"


def save(folder: Path, step: int, policy: TrainablePolicy[Any], updater: Updater) -> None:
    """Write the checkpoint after `step` steps, whole or not at all, and drop all but the last."""
    target = folder / CHECKPOINTS / f"checkpoint-{step}"
    part = target.with_name(f"part-{step}")
    part.mkdir(parents=True, exist_ok=True)
    state = {
        "step": step,
        "weights": trained_weights(policy),
        "optimizer": updater.optimizer.state_dict(),
        "reference": updater.reference,
    }
    torch.save(state, part / _STATE)
    shutil.rmtree(target, ignore_errors=True)
    os.replace(part, target)
    kept = sorted(target.parent.glob("checkpoint-*"), key=lambda path: int(path.name[11:]))
    for path in kept[:-KEPT]:
        shutil.rmtree(path)


def load(checkpoint: Path, policy: TrainablePolicy[Any], updater: Updater) -> int:
    """Restore a checkpoint; the number of steps that were done."""
    state = torch.load(checkpoint / _STATE, weights_only=True)
    policy.model.load_state_dict(state["weights"], strict=False)
    updater.optimizer.load_state_dict(state["optimizer"])
    device = updater.parameters[0].device
    updater.reference = [tensor.to(device) for tensor in state["reference"]]
    return int(state["step"])
