"""Samples as tensors of a PA-BDM model; batches are made as for DocFusion."""

from __future__ import annotations

import torch

from docpipe.datasets.docfusion.samples import Sample, Task
from docpipe.errors import ConfigError
from docpipe.parsers.pabdm.config import PaBdmConfig
from docpipe.parsers.pabdm.vision import pixels_of
from docpipe.parsers.pabdm.vocabulary import Tokens
from docpipe.stages import ElementKind
from docpipe.training.docfusion.data import Example


class Encoder:
    """An Encode, and the prompts of the tasks."""

    def __init__(self, config: PaBdmConfig) -> None:
        self._config, self._tokens = config, Tokens(config.pieces)
        self.longest = config.longest

    def __call__(self, sample: Sample, seed: str = "") -> Example:
        pixels = pixels_of(sample.image, self._config.crop(kind_of(sample.task)))
        return Example(sample.task, pixels, torch.tensor(self._tokens.target(sample.text)))

    def prompt(self, task: Task) -> list[int]:
        return self._tokens.prompt(kind_of(task))


def kind_of(task: Task) -> ElementKind:
    if task == "layout":
        raise ConfigError("PA-BDM reads crops, no layout")
    return task
