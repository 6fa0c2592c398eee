"""Trainer with the losses of PA-BDM and of what it is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import Tensor
from transformers import TrainerCallback

from docpipe.datasets.docfusion.samples import Task
from docpipe.parsers.pabdm.model import PaBdm
from docpipe.parsers.pabdm.reader import policy_for
from docpipe.training.docfusion.data import Collator, Examples, part_at
from docpipe.training.docfusion.loop import SampleTrainer, Show
from docpipe.training.docfusion.progress import Progress
from docpipe.training.pabdm.data import Encoder
from docpipe.training.pabdm.objective import Losses, Objective
from docpipe.training.pabdm.prediction import Predictor
from docpipe.training.pabdm.settings import MODES, Phase, Settings

TAU = 0.95
"""Of decoding while it learns: the paper's."""


class PaBdmTrainer(SampleTrainer):
    """Logs, besides losses, how many tokens of a block count (`active_per_block`): where CSL is to
    train more than first tokens, it grows."""

    def __init__(
        self,
        model: PaBdm,
        settings: Settings,
        folder: Path,
        pictures: Path,
        progress: Progress,
        callbacks: Sequence[TrainerCallback] = (),
        show: Show | None = None,
    ) -> None:
        self._phases, self._block = settings.phases, model.config.block
        self._active: list[float] = []
        self._reads = Predictor(model, policy_for(settings.mode, self._block, TAU))
        encode = Encoder(model.config)
        super().__init__(
            Objective(model, settings.loss),
            Examples(settings, encode),
            Collator(encode),
            self._reads,
            settings,
            folder,
            pictures,
            progress,
            callbacks,
            show,
        )

    @property
    def phase(self) -> Phase:
        return part_at(self._phases, self._progress.at(self.state.global_step))

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        task: Task = inputs["task"]
        labels: Tensor = inputs["labels"]
        self._progress.saw(task, len(labels) * self.args.world_size)
        found: Losses = model(inputs["pixels"], inputs["prompt"], labels, task, self.phase.loss)
        if found.active:
            self._active.append(found.active)
        return (found.total, {}) if return_outputs else found.total

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Decoded as fits the phase that was trained last."""
        phase = part_at(self._phases, self._progress.at(max(self.state.global_step - 1, 0)))
        self._reads.policy = policy_for(MODES[phase.loss], self._block, TAU)
        return super().evaluate()

    def log(self, logs: dict[str, float], *arguments: Any, **named: Any) -> None:
        if "loss" in logs and self._active:
            logs["active_per_block"] = round(sum(self._active) / len(self._active), 4)
            self._active.clear()
        super().log(logs, *arguments, **named)
