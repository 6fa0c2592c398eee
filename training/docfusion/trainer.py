"""Trainer with DocFusion's losses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import Tensor, nn
from transformers import TrainerCallback

from docpipe.datasets.docfusion.samples import Task
from docpipe.parsers.docfusion.codec import Codec
from docpipe.parsers.docfusion.model import DocFusion, Output
from docpipe.parsers.docfusion.vocabulary import Vocabulary
from docpipe.training.docfusion.data import Collator, Encoder, Examples
from docpipe.training.docfusion.guidance import GuidedHead
from docpipe.training.docfusion.loop import SampleTrainer, Show
from docpipe.training.docfusion.losses import training_loss
from docpipe.training.docfusion.prediction import Predictor
from docpipe.training.docfusion.progress import Progress
from docpipe.training.docfusion.settings import Settings


class Wrapped(nn.Module):
    """A model as Trainer takes it: without a configuration to write to."""

    def __init__(self, inner: DocFusion) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, pixels: Tensor, prompt: Tensor, labels: Tensor) -> Output:
        output: Output = self.inner(pixels, prompt, labels)
        return output


class DocFusionTrainer(SampleTrainer):
    def __init__(
        self,
        model: DocFusion,
        vocabulary: Vocabulary,
        settings: Settings,
        folder: Path,
        pictures: Path,
        progress: Progress,
        callbacks: Sequence[TrainerCallback] = (),
        show: Show | None = None,
    ) -> None:
        self._config, self._loss = model.config, settings.loss
        self._codec = Codec(model.config, vocabulary)
        self._guided = GuidedHead(model) if settings.loss.attention else None
        guided = self._guided is not None
        encode = Encoder(model.config, vocabulary, jitter=settings.loss.jitter, guided=guided)
        super().__init__(
            Wrapped(model),
            Examples(settings, encode),
            Collator(vocabulary),
            Predictor(model, vocabulary),
            settings,
            folder,
            pictures,
            progress,
            callbacks,
            show,
        )

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
        output = model(inputs["pixels"], inputs["prompt"], labels)
        loss = training_loss(output, labels, task, self._codec, self._config, self._loss)
        places: Tensor | None = inputs.get("places")
        if self._guided is not None and places is not None:
            size = (inputs["pixels"].shape[2], inputs["pixels"].shape[3])
            guided = self._guided.loss(places, size, self._config)
            loss = loss + self._loss.attention * guided
        return (loss, {"logits": output.logits}) if return_outputs else loss
