"""The configuration of a training: one TOML file, a table for each class below.

seed = 1
[data]        library and questions = paths, or toy = number of made-up questions
[policy]      name = "language", and its options
[env] [reward] [advantage] [loss] [training]
[imitation]   what is imitated first, if anything
[lora]        adapters in place of all weights, for language models
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from docpipe.errors import ConfigError
from docpipe.training.docfusion.settings import LoraSettings, read_settings
from docpipe.training.rl.batch import AdvantageSettings
from docpipe.training.rl.env import EnvSettings
from docpipe.training.rl.losses import LossSettings
from docpipe.training.rl.rewards import RewardSettings


class DataSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`library` is a folder that docpipe has ingested; `questions` and `evaluation` are JSON Lines
    of `GoldQuestion`, those of the training by default. With `toy` questions are made up over a
    made-up library, and evaluated on."""

    library: str = ""
    questions: str = ""
    evaluation: str = ""
    toy: int = 0

    def __post_init__(self) -> None:
        if bool(self.toy) == bool(self.library and self.questions):
            raise ConfigError("[data] needs a library and questions, or toy")


class PolicySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`name` is known to `train_agent`, or `module:factory`."""

    name: str = "language"
    options: dict[str, Any] = {}


class TrainingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A step makes `group` runs for each of `questions` questions and passes `epochs` times over
    them, with an update for every `minibatch` runs (0: for all). `micro_batch` runs are scored at
    once, which changes memory and speed, not the result. `warmup` is in steps, `clip` the
    gradient's largest norm.

    Every `evaluate_every` steps the evaluation's questions are rolled out, always the likeliest
    choice; every `checkpoint_every` steps is one to resume from. `together` runs are made at once
    where the policy can. `workers` processes roll out beside this one, each one run at a time; with
    0 it does so itself.
    """

    steps: int = 100
    questions: int = 4
    group: int = 4
    epochs: int = 1
    minibatch: int = 0
    micro_batch: int = 4
    rate: float = 1e-5
    warmup: int = 0
    weight_decay: float = 0.0
    clip: float = 1.0
    evaluate_every: int = 20
    checkpoint_every: int = 20
    together: int = 16
    workers: int = 0
    tensorboard: bool = False

    def __post_init__(self) -> None:
        least = (self.steps, self.epochs, self.minibatch, self.workers)
        if min(self.questions, self.group, self.micro_batch, self.together) < 1 or min(least) < 0:
            raise ConfigError("[training] numbers must not be negative, batches not empty")


class ImitationSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`steps` of imitation come first, each of `batch` demonstrated runs.

    `source` is a policy of docpipe ("offline", "one_pass", `module:Class`) or a file of
    trajectories (`.jsonl`, as `docpipe ask --trace-file` writes them). Runs that earn less than
    `least` are left out.
    """

    source: str = "offline"
    steps: int = 20
    batch: int = 8
    rate: float = 1e-4
    least: float = 0.0


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    data: DataSettings
    seed: int = 1
    policy: PolicySettings = PolicySettings()
    env: EnvSettings = EnvSettings()
    reward: RewardSettings = RewardSettings()
    advantage: AdvantageSettings = AdvantageSettings()
    loss: LossSettings = LossSettings()
    training: TrainingSettings = TrainingSettings()
    imitation: ImitationSettings | None = None
    lora: LoraSettings | None = None

    @property
    def imitated(self) -> int:
        """Steps of imitation, which come before the others."""
        return self.imitation.steps if self.imitation else 0

    @property
    def steps(self) -> int:
        """All steps."""
        return self.imitated + self.training.steps


def load_settings(path: Path) -> Settings:
    """The settings in a TOML file. Raises ConfigError that names the file and what is wrong."""
    return read_settings(path, Settings)
