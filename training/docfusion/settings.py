"""The training configuration: one TOML file.

seed = 1
licence = "" of the weights, half = false: whether they are stored in 16 bits
[model]       preset = "tiny" or init = a folder of weights, and what differs from the preset
[[stage]]     until (share of the run), level, tasks with their shares of the batches
[[source]]    task, kind, path, share: data besides the synthetic
[loss]        kind, location_weight, ctc, jitter
[training]    minutes or steps, batch sizes, learning rate, …
[lora]        rank, alpha, targets: adapters in place of full training
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from docpipe.datasets.docfusion.samples import TASKS, Task
from docpipe.datasets.docfusion.synthetic import Level
from docpipe.errors import ConfigError
from docpipe.parsers.docfusion.config import DocFusionConfig
from docpipe.parsers.docfusion.presets import PRESETS
from docpipe.training.run_folder import read_configuration

C = TypeVar("C", bound=msgspec.Struct)
S = TypeVar("S", bound=msgspec.Struct)

LossKind = Literal["gk_cel", "cross_entropy", "soft"]
SourceKind = Literal["stored", "printed", "doclaynet", "pubtabnet", "unimer", "doclatex"]


class ModelSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`changes` is merged into the preset or, with `init`, into the configuration of the weights:
    tables of positions may grow, heads that only training has come and go."""

    preset: str = "tiny"
    init: str = ""
    changes: dict[str, Any] = {}

    def config(self) -> DocFusionConfig:
        """Raises ConfigError for an unknown preset or a change that does not fit."""
        if self.preset not in PRESETS:
            known = ", ".join(PRESETS)
            raise ConfigError(f"unknown preset {self.preset!r}", hint=f"known: {known}")
        return with_changes(PRESETS[self.preset](), self.changes)


class Stage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Part of the curriculum: what batches are of until this share of the run is done."""

    until: float
    tasks: dict[Task, float]
    level: Level = "lines"


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Data of a task besides the synthetic: `share` of its samples.

    `path` is looked for in the folder that DOCPIPE_DATA names unless it is absolute; `split` as the
    set has it.
    """

    task: Task
    kind: SourceKind
    path: str
    share: float = 0.5
    split: str = "train"
    limit: int = 5000


class LossSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`soft` are fixed Gaussian labels. `location_weight` counts location tokens so much; `ctc` and
    `boxes` are the weights of the auxiliary losses on text and on pages, `attention` that of guided
    attention on pages and tables; `jitter` moves the labels of boxes by up to so many bins, to
    study noise. `sigma` and `kernel` None are those of the model."""

    kind: LossKind = "gk_cel"
    location_weight: float = 1.0
    ctc: float = 1.0
    boxes: float = 1.0
    attention: float = 0.0
    jitter: int = 0
    sigma: float | None = None
    kernel: int | None = None


class TrainingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A run takes `steps`, or `minutes` of wall-clock time where they are given; learning rate and
    curriculum follow either. `evaluations` and `checkpoints` are spread evenly over it.

    `pool` limits synthetic training samples of a task to so many different ones, which are kept in
    memory (0: no limit);
    `evaluation` is the number of samples of a task that are read to evaluate, `on` those of the
    training ("train") or held out. `workers` make samples beside the training process.
    `bf16` computes in 16 bits where that is safe; weights keep 32. GPUs that can always do.
    """

    steps: int = 0
    minutes: float = 0.0
    batch_size: int = 16
    batch_sizes: dict[Task, int] = {}
    accumulation: int = 1
    rate: float = 1e-3
    last_rate: float = 0.02
    warmup: float = 0.03
    weight_decay: float = 0.01
    clip: float = 1.0
    evaluations: int = 4
    evaluation: int = 64
    on: Literal["train", "held_out"] = "held_out"
    checkpoints: int = 8
    log_steps: int = 20
    pool: int = 0
    workers: int = 0
    bf16: bool = False

    def __post_init__(self) -> None:
        if (self.steps > 0) == (self.minutes > 0):
            raise ConfigError("[training] needs either steps or minutes")


class Lengths(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The most characters of synthetic targets, and lines of a text crop."""

    text: int = 46
    formula: int = 120
    table: int = 500
    lines: int = 1


class LoraSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Adapters of this rank on modules whose names end so; the other weights stay as they are."""

    rank: int = 8
    alpha: int = 16
    targets: tuple[str, ...] = ("q_proj", "v_proj", "qkv")


EVERYTHING: dict[Task, float] = {"layout": 0.4, "text": 0.25, "table": 0.2, "formula": 0.15}


class DataSettings(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"stages": "stage", "sources": "source"},
):
    """What any model that learns from these samples is told: which ones, and for how long.
    `licence` is that of the weights, for their card; `half` stores them in 16 bits."""

    training: TrainingSettings
    seed: int = 1
    licence: str = ""
    half: bool = False
    lora: LoraSettings | None = None
    stages: tuple[Stage, ...] = (Stage(1.0, EVERYTHING),)
    sources: tuple[Source, ...] = ()
    lengths: Lengths = Lengths()

    def __post_init__(self) -> None:
        ends = [stage.until for stage in self.stages]
        if not ends or ends != sorted(ends) or ends[-1] < 1.0:
            raise ConfigError("[[stage]] tables must go on to until = 1.0, in order")
        if any(not stage.tasks or min(stage.tasks.values()) < 0 for stage in self.stages):
            raise ConfigError("each [[stage]] needs tasks with shares of 0 or more")

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks of any stage, in their usual order."""
        return tuple(task for task in TASKS if any(s.tasks.get(task) for s in self.stages))


class Settings(DataSettings, frozen=True, forbid_unknown_fields=True):
    model: ModelSettings = ModelSettings()
    loss: LossSettings = LossSettings()


def load_settings(path: Path) -> Settings:
    """The settings in a TOML file. Raises ConfigError that names the file and what is wrong."""
    return read_settings(path, Settings)


def read_settings(path: Path, kind: type[S]) -> S:
    """Settings of this kind; see `load_settings`."""
    return read_configuration(path, lambda data: msgspec.convert(data, kind))


def with_changes(config: C, changes: dict[str, Any]) -> C:
    """A model's configuration with the leaves of `changes` in their place. Raises ConfigError."""
    plain = msgspec.to_builtins(config)
    try:
        return msgspec.convert(_merged(plain, changes), type(config))
    except msgspec.ValidationError as error:
        raise ConfigError(f"[model.changes]: {error}") from error


def _merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`base` with the leaves of `changes` in their place."""
    return base | {
        key: _merged(base[key], value)
        if isinstance(value, dict) and isinstance(base.get(key), dict)
        else value
        for key, value in changes.items()
    }
