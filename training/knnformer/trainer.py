"""transformers' Trainer with the losses of KNN-former and augmentation of whole batches.

Augmentation happens in the training step, from torch's global generator, which checkpoints keep: a
resumed run sees the very numbers that an uninterrupted one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments

from docpipe.parsers.entities.features import LAYOUT_SIZE
from docpipe.parsers.entities.losses import total_loss
from docpipe.parsers.entities.model import KnnFormer
from docpipe.parsers.entities.schema import FieldSchema
from docpipe.training.knnformer.data import Example, collate_examples
from docpipe.training.knnformer.settings import Settings, TrainingConfig


class Examples(Dataset[Example]):
    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = examples

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, at: int) -> Example:
        return self.examples[at]


class KnnFormerTrainer(Trainer):  # type: ignore[misc]
    """Trains on pages; logs and checkpoints are as of any Trainer."""

    def __init__(
        self,
        model: KnnFormer,
        examples: Sequence[Example],
        schema: FieldSchema,
        settings: Settings,
        folder: Path,
        callbacks: Sequence[TrainerCallback] = (),
    ) -> None:
        self._schema, self._settings = schema, settings
        arguments = training_arguments(settings, folder)
        steps = arguments.max_steps
        if steps <= 0:
            batches = -(-len(examples) // settings.training.batch_size)
            steps = batches * settings.training.epochs
        super().__init__(
            model=model,
            args=arguments,
            train_dataset=Examples(examples),
            data_collator=collate_examples,
            optimizers=optimizer_and_schedule(model, settings.training, steps),
            callbacks=list(callbacks),
        )

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, Tensor],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        batch = augment(dict(inputs), self._settings.training)
        labels, candidates = batch.pop("labels"), batch.pop("candidates")
        logits = model(**batch)
        loss = total_loss(logits, labels, self._schema.ones, self._settings.loss, candidates)
        return (loss, {"logits": logits}) if return_outputs else loss


def training_arguments(settings: Settings, folder: Path) -> TrainingArguments:
    config = settings.training
    return TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=config.epochs,
        max_steps=config.max_steps or -1,
        per_device_train_batch_size=config.batch_size,
        max_grad_norm=config.clip,
        logging_steps=config.log_steps,
        save_steps=config.save_steps,
        save_total_limit=2,
        seed=settings.seed,
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        report_to="none",
        disable_tqdm=True,
    )


def optimizer_and_schedule(
    model: KnnFormer, config: TrainingConfig, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    """AdamW with a higher rate for the text encoder's table, and one cycle over all steps [D]."""
    encoder = [p for name, p in model.named_parameters() if name.startswith("encoder.")]
    body = [p for name, p in model.named_parameters() if not name.startswith("encoder.")]
    groups = [{"params": body}] + ([{"params": encoder}] if encoder else [])
    peaks = [config.rate, config.table_rate][: len(groups)]
    optimizer = torch.optim.AdamW(groups, lr=config.rate, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, peaks, total_steps=steps + 1, cycle_momentum=False
    )
    return optimizer, schedule


def augment(batch: dict[str, Tensor], config: TrainingConfig) -> dict[str, Tensor]:
    """The batch with boxes moved a little, and each page as a whole moved and scaled.

    Hop distances stay those of the true boxes. Page width is taken as the unit of both axes of
    `centres`, so what moves y there is scaled as x is.
    """
    layout = batch["features"][..., :LAYOUT_SIZE].clone()
    pages = layout.shape[0]
    scale = 1.0 + config.shift * torch.randn(pages, 1, 1, device=layout.device)
    shift = config.shift * torch.randn(pages, 1, 2, device=layout.device)
    jitter = config.jitter * torch.randn(*layout.shape[:2], 2, device=layout.device)
    move = shift + jitter
    layout[..., :4] = layout[..., :4] * scale + move.repeat(1, 1, 2)
    layout[..., 4:6] = layout[..., 4:6] * scale
    features = torch.cat([layout, batch["features"][..., LAYOUT_SIZE:]], -1)
    return batch | {"features": features, "centres": batch["centres"] * scale + move}
