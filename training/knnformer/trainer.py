"""transformers' Trainer with the losses of KNN-former and augmentation of whole batches.

Augmentation happens in the training step, from torch's global generator, which checkpoints keep: a
resumed run sees the very numbers that an uninterrupted one does.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import Dataset, Sampler
from torch_geometric.data import Data
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments

from docpipe.parsers.entities.features import LAYOUT_SIZE, PLACE
from docpipe.parsers.entities.losses import total_loss
from docpipe.parsers.entities.model import KnnFormer
from docpipe.parsers.entities.schema import FieldSchema
from docpipe.training.knnformer.data import Collator
from docpipe.training.knnformer.settings import Settings, TrainingConfig

_RISE = 0.15  # of the steps, in which the learning rates grow
_POOL = 8  # batches from which examples of like size are put together


class Examples(Dataset[Data]):
    def __init__(self, examples: Sequence[Data]) -> None:
        self.examples = examples

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, at: int) -> Data:
        return self.examples[at]


class LikeSizes(Sampler[int]):
    """The order of examples: drawn anew each epoch, then those of like size put into batches
    together, so that little is padding. Depends on the seed and the epoch alone."""

    def __init__(self, sizes: Sequence[int], batch_size: int, seed: int) -> None:
        self._sizes, self._batch_size, self._seed = list(sizes), batch_size, seed
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self._epoch = epoch

    def __len__(self) -> int:
        return len(self._sizes)

    def __iter__(self) -> Iterator[int]:
        draw = random.Random(f"{self._seed}/{self._epoch}")
        order = draw.sample(range(len(self)), len(self))
        pool = _POOL * self._batch_size
        pools = [order[at : at + pool] for at in range(0, len(order), pool)]
        alike = [at for some in pools for at in sorted(some, key=self._sizes.__getitem__)]
        # The last batch stays last: it may be smaller than the others.
        starts = list(range(0, len(alike) - self._batch_size, self._batch_size))
        last = (starts[-1] + self._batch_size) if starts else 0
        draw.shuffle(starts)
        for start in starts:
            yield from alike[start : start + self._batch_size]
        yield from alike[last:]


class KnnFormerTrainer(Trainer):  # type: ignore[misc]
    """Trains on pages; logs and checkpoints are as of any Trainer."""

    def __init__(
        self,
        model: KnnFormer,
        examples: Sequence[Data],
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
            data_collator=Collator(model.design.hop_cap),
            optimizers=optimizer_and_schedule(model, settings.training, steps),
            callbacks=list(callbacks),
        )
        self.remove_callback(PrinterCallback)  # the log is in metrics.jsonl

    def _get_train_sampler(self, train_dataset: Any = None) -> Sampler[int]:
        sizes = [graph.num_nodes for graph in self.train_dataset.examples]
        training = self._settings.training
        return LikeSizes(sizes, training.batch_size * self.args.world_size, self._settings.seed)

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, Tensor],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        batch = augment(dict(inputs), self._settings.training)
        labels, candidates, unknown = (
            batch.pop(name) for name in ("labels", "candidates", "unknown")
        )
        logits = model(**batch)
        loss = total_loss(
            logits, labels, self._schema.ones, self._settings.loss, candidates, unknown
        )
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
    optimizer = torch.optim.AdamW(
        groups, lr=config.rate, weight_decay=config.weight_decay, fused=True
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, peaks, total_steps=steps + 1, pct_start=_RISE, cycle_momentum=False
    )
    return optimizer, schedule


def augment(batch: dict[str, Tensor], config: TrainingConfig) -> dict[str, Tensor]:
    """The batch with boxes moved a little, and each page as a whole moved and scaled; on some pages
    the features that say where an entity stands say nothing.

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
    if config.placeless:
        hidden = torch.rand(pages, 1, 1, device=layout.device) < config.placeless
        place = torch.zeros(features.shape[-1], dtype=torch.bool, device=layout.device)
        place[list(PLACE)] = True
        features = features.masked_fill(hidden & place, 0.5)
    return batch | {"features": features, "centres": batch["centres"] * scale + move}
