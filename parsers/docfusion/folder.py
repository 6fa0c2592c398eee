"""A model in a folder, whichever it is: `config.json` and `model.safetensors`.

A folder that training wrote has `training.safetensors` besides: heads that only training needs. A
warm start goes on with them; a folder to use or to ship can do without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
from torch import Tensor

from docpipe.errors import ConfigError, ModelError

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
TRAINING_FILE = "training.safetensors"


class Keys(NamedTuple):
    """What a model lacked, and what it had no use for: the answer of `load_state_dict`."""

    missing_keys: Sequence[str]
    unexpected_keys: Sequence[str]


def write(
    folder: Path, config: msgspec.Struct, tensors: dict[str, Tensor], heads: tuple[str, ...]
) -> None:
    """Write the files; tensors whose names begin as one of `heads` are for training only."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    own = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    apart = {name: own.pop(name) for name in list(own) if name.startswith(heads)}
    save_file(own, folder / WEIGHTS_FILE)
    save_file(apart, folder / TRAINING_FILE)
    text = msgspec.json.format(msgspec.json.encode(config), indent=2)
    (folder / CONFIG_FILE).write_bytes(text + b"\n")


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """All there are, those for training among them."""
    from safetensors.torch import load_file

    found = load_file(folder / WEIGHTS_FILE)
    if (folder / TRAINING_FILE).exists():
        found |= load_file(folder / TRAINING_FILE)
    return found


@contextmanager
def reading(model: str, folder: Path) -> Iterator[None]:
    """Tells what is wrong with the folder of a `model` as a ModelError."""
    from safetensors import SafetensorError

    try:
        yield
    except FileNotFoundError as error:
        raise ModelError(
            f"no {model} model in {folder}: {error.filename or error} is missing",
            hint=f"a folder with {CONFIG_FILE} and {WEIGHTS_FILE} is needed",
        ) from error
    except (OSError, ValueError, ConfigError, SafetensorError, RuntimeError) as error:
        raise ModelError(
            f"the {model} model in {folder} cannot be used: {error}",
            hint=f"{CONFIG_FILE} and {WEIGHTS_FILE} must belong together",
        ) from error


def check_keys(found: Keys, not_needed: tuple[str, ...]) -> None:
    """Raises ModelError where tensors are lacking or strange, but for those `not_needed`, which are
    named by how they begin."""
    missing = [name for name in found.missing_keys if not name.startswith(not_needed)]
    wrong = [*missing, *found.unexpected_keys]
    if wrong:
        raise ModelError(
            f"weights and configuration differ in {len(wrong)} tensors, such as {wrong[0]}",
            hint="they are of another model",
        )
