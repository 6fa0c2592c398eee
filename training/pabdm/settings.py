"""The training configuration: one TOML file.

What [[stage]], [[source]], [lengths], [training], [lora], seed, licence and half say is told in
docpipe.training.docfusion.settings; tasks are text, formula and table. Besides:

[model]     preset = "tiny" or init = a folder of weights; changes to the preset; vision = a folder
            of DocFusion weights to take the vision tower from
[[phase]]   until (share of the run), loss = "next" | "suffix_ce" | "csl" | "bd3lm"
[loss]      csl = "code" | "paper", or high and low; ctc
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from docpipe.errors import ConfigError
from docpipe.parsers.pabdm.config import Mode, PaBdmConfig
from docpipe.parsers.pabdm.loss import CSL, Thresholds
from docpipe.parsers.pabdm.presets import PRESETS
from docpipe.training.docfusion.settings import (
    DataSettings,
    ModelSettings,
    read_settings,
    with_changes,
)

LossKind = Literal["next", "suffix_ce", "csl", "bd3lm"]

MODES: dict[LossKind, Mode] = {
    "next": "next",
    "suffix_ce": "causal",
    "csl": "causal",
    "bd3lm": "bidirectional",
}


class StartSettings(ModelSettings, frozen=True, forbid_unknown_fields=True):
    """`changes` is merged into the preset; with `init` the configuration is that of the weights,
    but for the `block` to train on, where one is given."""

    vision: str = ""
    block: int | None = None

    def pabdm(self) -> PaBdmConfig:
        """Raises ConfigError for an unknown preset or a change that does not fit."""
        if self.preset not in PRESETS:
            known = ", ".join(PRESETS)
            raise ConfigError(f"unknown preset {self.preset!r}", hint=f"known: {known}")
        return with_changes(PRESETS[self.preset](), self.changes)


class Phase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is minimised until this share of the run is done."""

    until: float
    loss: LossKind


class LossSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`csl` names the thresholds, unless `high` and `low` are given; `ctc` is the weight of the
    auxiliary loss on text."""

    csl: Literal["paper", "code"] = "code"
    high: float | None = None
    low: float | None = None
    ctc: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.thresholds.low <= self.thresholds.high <= 1:
            raise ConfigError("[loss] low and high must be 0 <= low <= high <= 1")

    @property
    def thresholds(self) -> Thresholds:
        named = CSL[self.csl]
        return Thresholds(
            named.high if self.high is None else self.high,
            named.low if self.low is None else self.low,
        )


class Settings(DataSettings, frozen=True, forbid_unknown_fields=True, rename={"phases": "phase"}):
    model: StartSettings = StartSettings()
    phases: tuple[Phase, ...] = (Phase(0.3, "next"), Phase(1.0, "suffix_ce"))
    loss: LossSettings = LossSettings()

    def __post_init__(self) -> None:
        super().__post_init__()
        ends = [phase.until for phase in self.phases]
        if not ends or ends != sorted(ends) or ends[-1] < 1.0:
            raise ConfigError("[[phase]] tables must go on to until = 1.0, in order")
        if "layout" in self.tasks:
            raise ConfigError("PA-BDM reads crops, no layout", hint="see [[stage]] tasks")

    @property
    def mode(self) -> Mode:
        """How the weights are decoded at the end."""
        return MODES[self.phases[-1].loss]


def load_settings(path: Path) -> Settings:
    """The settings in a TOML file. Raises ConfigError that names the file and what is wrong."""
    return read_settings(path, Settings)
