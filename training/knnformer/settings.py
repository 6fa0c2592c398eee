"""The training configuration: one TOML file.

seed = 1
schema = ""   a built-in schema or a TOML file; without it the fields are those of the set
licence = "", attribution = []   of the weights, for their card
compact = false   store the weights in a fifth of the space, a little less exact
[data]        source, path, train, test: a public set, "synthetic-…", "jsonl" or "toy"
[[extra]]     more documents to train on, in the same form
[model]       preset = "hop_radius_relative", and what differs from it
[loss]        targets, field_loss, weight, label_smoothing
[training]    epochs or max_steps, batch_size, learning rates, …
[[field]]     name, cardinality, required; needed for "jsonl", else those of the set
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from docpipe.errors import ConfigError
from docpipe.parsers.entities.losses import LossConfig
from docpipe.parsers.entities.model import PRESETS, ModelConfig
from docpipe.parsers.entities.schema import FieldSpec
from docpipe.training.run_folder import read_configuration


class DataConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`source` is "toy", "jsonl", "synthetic-invoice" and the like (see datasets.synthetic_kie), or
    a set of datasets.kie_sources; sets and "jsonl" are in the folder `path`, which is looked for in
    the folder that the variable DOCPIPE_DATA names unless it is absolute.

    `train` and `test` name splits, for "jsonl" files in `path`. Without `test`, part number `fold`
    (from 0) of `folds` of the training documents is tested on, no company in two parts; without
    `folds` the documents kept for validation. `validation` is their share of those left to train,
    `limit` takes the first documents only, and is the number of made-up ones.
    """

    source: str
    path: str = ""
    train: str = "train"
    test: str = ""
    folds: int = 0
    fold: int = 0
    validation: float = 0.1
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.folds and not 0 <= self.fold < self.folds:
            raise ConfigError(f"fold {self.fold} is not in 0..{self.folds - 1}")
        if self.folds == 1:
            raise ConfigError("with one fold nothing is left to train on", hint="use 2 or more")


class TrainingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`table_rate` is the peak learning rate of the hashed n-gram table, `rate` that of all else;
    `jitter` and `shift` are standard deviations in shares of the page: of each box, and of the
    place and size of a whole page. On the share `placeless` of the pages nothing says where on the
    page an entity stands, so that the model learns from what is around it, too. The share `noisy`
    of the documents is made to look as OCR may give them (see noise). `max_steps` 0 means `epochs`
    decides."""

    epochs: int = 20
    max_steps: int = 0
    batch_size: int = 8
    rate: float = 2e-3
    table_rate: float = 8e-3
    weight_decay: float = 0.01
    clip: float = 1.0
    jitter: float = 0.01
    shift: float = 0.03
    placeless: float = 0.0
    noisy: float = 0.0
    save_steps: int = 500
    log_steps: int = 10


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"fields": "field"}):
    data: DataConfig
    seed: int = 1
    schema: str = ""
    licence: str = ""
    attribution: tuple[str, ...] = ()
    compact: bool = False
    extra: tuple[DataConfig, ...] = ()
    model: ModelConfig = ModelConfig()
    loss: LossConfig = LossConfig()
    training: TrainingConfig = TrainingConfig()
    fields: tuple[FieldSpec, ...] = ()


def load_settings(path: Path) -> Settings:
    """The settings in a TOML file. Raises ConfigError that names the file and what is wrong."""
    return read_configuration(path, settings_from)


def settings_from(data: dict[str, Any]) -> Settings:
    """The settings in a mapping shaped like the file."""
    model = dict(data.get("model", {}))
    preset = model.pop("preset", "hop_radius_relative")
    if preset not in PRESETS:
        raise ConfigError(f"unknown preset {preset!r}", hint=f"known: {', '.join(PRESETS)}")
    return msgspec.convert(data | {"model": PRESETS[preset] | model}, Settings)
