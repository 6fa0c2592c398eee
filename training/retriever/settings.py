"""The training configuration: one TOML file.

seed = 1
weights = ""   a folder to start from, with a BERT-like model; without it the packaged MiniLM
[data]         source = "library", with library and questions, or "toy"
[training]     epochs or max_steps, batch_size, rate, …
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from docpipe.errors import ConfigError
from docpipe.training.run_folder import read_configuration

Positive = Annotated[int, msgspec.Meta(ge=1)]


class DataConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`library` is the folder of a library, `questions` a file of questions about it with their
    pages, as `docpipe data questions` writes them. The share `validation` of the documents is
    kept to measure on; "toy" makes up `documents` of its own."""

    source: Literal["library", "toy"]
    library: str = ""
    questions: str = ""
    validation: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.2
    documents: Positive = 40

    def __post_init__(self) -> None:
        if self.source == "library" and not (self.library and self.questions):
            raise ConfigError("data.library and data.questions are needed")


class TrainingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`max_steps` 0 means `epochs` decides; `warmup` is the share of the steps in which the
    learning rate grows to `rate`; `scale` multiplies cosines in the loss."""

    epochs: Positive = 2
    max_steps: Annotated[int, msgspec.Meta(ge=0)] = 0
    batch_size: Annotated[int, msgspec.Meta(ge=2)] = 16
    rate: Annotated[float, msgspec.Meta(gt=0)] = 2e-5
    warmup: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.1
    scale: Annotated[float, msgspec.Meta(gt=0)] = 20.0
    save_steps: Positive = 100
    log_steps: Positive = 10


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    data: DataConfig
    seed: int = 1
    weights: str = ""
    training: TrainingConfig = TrainingConfig()


def load_settings(path: Path) -> Settings:
    """The settings in a TOML file. Raises ConfigError that names the file and what is wrong."""
    return read_configuration(path, settings_from)


def settings_from(data: dict[str, Any]) -> Settings:
    """The settings in a mapping shaped like the file."""
    return msgspec.convert(data, Settings)
