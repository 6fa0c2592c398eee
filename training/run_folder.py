"""The folder of a training run, and the command that fills it: the same for every stage."""

from __future__ import annotations

import argparse
import platform
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from docpipe.errors import ConfigError, DocpipeError

S = TypeVar("S")

CHECKPOINTS = "checkpoints"
METRICS = "metrics.jsonl"
CARD = "model_card.json"


def read_configuration(path: Path, settings_from: Callable[[dict[str, Any]], S]) -> S:
    """The settings in a TOML file. Raises ConfigError that names the file and what is wrong."""
    try:
        return settings_from(tomllib.loads(path.read_text("utf-8")))
    except FileNotFoundError as error:
        raise ConfigError(f"no such training configuration: {path}") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"training configuration {path}: {error}") from error


def last_checkpoint(folder: Path) -> str:
    """The checkpoint to go on from. Raises ConfigError where there is none."""
    from transformers.trainer_utils import get_last_checkpoint

    checkpoints = folder / CHECKPOINTS
    last = get_last_checkpoint(str(checkpoints)) if checkpoints.is_dir() else None
    if last is None:
        raise ConfigError(f"no checkpoint in {checkpoints}", hint="train without --resume")
    return str(last)


def write_run(folder: Path, card: msgspec.Struct, history: Iterable[dict[str, Any]]) -> None:
    """Write model_card.json, and metrics.jsonl: a line for each logged step."""
    text = msgspec.json.format(msgspec.json.encode(card), indent=2)
    (folder / CARD).write_bytes(text + b"\n")
    write_lines(folder / METRICS, history)


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write JSON Lines."""
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


def versions() -> dict[str, str]:
    """What a trained model depends on besides its configuration."""
    import torch
    import transformers

    return {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "transformers": transformers.__version__,
    }


def run_script(
    stage: str,
    run: Callable[[Path, Path, bool, str], object],
    arguments: Sequence[str] | None = None,
) -> int:
    """`python -m docpipe.training.train_STAGE CONFIG OUT [--resume]`; returns its exit code.

    `run` gets the configuration, the folder, whether to resume, and the command for the model card;
    what it returns is printed as JSON, unless it is empty.
    """
    parser = argparse.ArgumentParser(description=f"Train the stage {stage}.")
    parser.add_argument("config", type=Path, help="TOML file, see training/configs")
    parser.add_argument("out", type=Path, help="folder for the model and what was measured")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    given = parser.parse_args(arguments)
    words = [str(given.config), str(given.out), *(["--resume"] if given.resume else [])]
    command = shlex.join(["python", "-m", f"docpipe.training.train_{stage}", *words])
    try:
        result = run(given.config, given.out, given.resume, command)
    except DocpipeError as error:
        print(error, file=sys.stderr)
        return 2
    if result:
        print(msgspec.json.format(msgspec.json.encode(result), indent=2).decode())
    return 0
