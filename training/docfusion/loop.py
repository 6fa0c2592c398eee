"""transformers' Trainer for models that read crops: batches of one task, runs by the clock,
evaluation by prediction."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments

from docpipe.datasets.docfusion.samples import Sample
from docpipe.training.docfusion.data import Collator, Examples, TaskBatches
from docpipe.training.docfusion.metrics import Prediction
from docpipe.training.docfusion.pictures import save_sheet
from docpipe.training.docfusion.prediction import evaluate
from docpipe.training.docfusion.progress import Progress
from docpipe.training.docfusion.settings import DataSettings, TrainingSettings
from docpipe.training.docfusion.sources import evaluation_samples

Show = Callable[[float, dict[str, float]], None]
"""Told the share that is done after each step, and what is logged."""

_STATE = "state.safetensors"
_PICTURED = 12


class Predicts(Protocol):
    """`figures` are those of the last samples that they do not tell themselves."""

    figures: dict[str, float]

    def predict(self, samples: Sequence[Sample]) -> list[Prediction]:
        """In the order of the samples, which are all of one task."""
        ...


class SampleTrainer(Trainer):  # type: ignore[misc]
    """Trains on batches of `examples`; evaluates by prediction samples of each task, and leaves
    pictures of some in `pictures`. A subclass says what the loss is.

    `model` must not have an attribute `config`: Trainer would write to it, and ours are frozen.
    """

    def __init__(
        self,
        model: nn.Module,
        examples: Examples,
        collate: Collator,
        predictor: Predicts,
        settings: DataSettings,
        folder: Path,
        pictures: Path,
        progress: Progress,
        callbacks: Sequence[TrainerCallback] = (),
        show: Show | None = None,
    ) -> None:
        self._settings, self._predictor = settings, predictor
        self._pictures, self._progress = pictures, progress
        optimizer = make_optimizer(model, settings.training)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, progress.rate)
        super().__init__(
            model=model,
            args=training_arguments(settings, folder, progress),
            train_dataset=examples,
            data_collator=collate,
            optimizers=(optimizer, schedule),
            callbacks=[Milestones(settings.training, progress, show), *callbacks],
        )
        self.remove_callback(PrinterCallback)  # stdout is for results

    def get_train_dataloader(self) -> DataLoader[Any]:
        """Not shared out by accelerate: batches know which process they are for, and begin where
        the run is."""
        training = self._settings.training
        batches = TaskBatches(
            self._settings,
            self.train_dataset.sizes,
            self._progress,
            lambda: self.state.global_step * training.accumulation,
            self.args.process_index,
            self.args.world_size,
        )
        return DataLoader(
            self.train_dataset,
            batch_sampler=batches,
            collate_fn=self.data_collator,
            num_workers=training.workers,
            generator=torch.Generator(),  # else it draws from the one that checkpoints keep
        )

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Figures of every task, `eval_<task>_<figure>`; the other processes wait for the first."""
        figures: dict[str, float] = {}
        if self.is_world_process_zero():
            for task in self._settings.tasks:
                samples = evaluation_samples(self._settings, task)
                predictions = self._predictor.predict(samples)
                some = slice(_PICTURED)
                path = self._pictures / f"{task}-{self.state.global_step}.png"
                save_sheet(samples[some], predictions[some], path)
                found = evaluate(samples, predictions) | self._predictor.figures
                figures |= {f"eval_{task}_{name}": value for name, value in found.items()}
            self.log(dict(figures))  # Trainer adds to what it logs
        self.accelerator.wait_for_everyone()
        return figures

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        """All weights, adapters and those for training only among them, tables that are one tensor
        once."""
        from safetensors.torch import save_model

        folder = Path(output_dir or self.args.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        save_model(self.model, str(folder / _STATE))
        self._progress.save(folder)

    def _load_from_checkpoint(
        self, resume_from_checkpoint: str, model: nn.Module | None = None
    ) -> None:
        from safetensors.torch import load_model

        load_model(model or self.model, str(Path(resume_from_checkpoint) / _STATE))
        self._progress.load(Path(resume_from_checkpoint))


class Milestones(TrainerCallback):  # type: ignore[misc]
    """Evaluates and saves at even shares of a run, and ends it with its minutes."""

    def __init__(
        self, settings: TrainingSettings, progress: Progress, show: Show | None = None
    ) -> None:
        self._settings, self._progress, self._show = settings, progress, show
        self._last = 0.0

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._progress.start()
        self._last = self._progress.at(state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        done = agreed(self._progress.at(state.global_step))
        due = self._passes(done, self._settings.evaluations)
        control.should_evaluate = due and done < 1.0  # what is done at the end, anyway
        control.should_save = self._passes(done, self._settings.checkpoints)
        control.should_training_stop |= done >= 1.0
        self._last = done
        if self._show is not None:
            self._show(done, {})

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        control.should_save = False  # Trainer asks once more after the last step

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if self._show is not None:
            self._show(self._last, {"step": state.global_step} | dict(logs or {}))

    def _passes(self, done: float, times: int) -> bool:
        """Whether one of `times` even milestones lies between the last step and this one."""
        return int(done * times) > int(self._last * times)


def agreed(done: float) -> float:
    """The first process's view of how far the run is: clocks of processes differ."""
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return done
    value = torch.tensor([done], dtype=torch.float64)
    torch.distributed.broadcast(value, 0)
    return float(value)


def training_arguments(
    settings: DataSettings, folder: Path, progress: Progress
) -> TrainingArguments:
    training, on_cpu = settings.training, not torch.cuda.is_available()
    return TrainingArguments(
        output_dir=str(folder),
        use_cpu=on_cpu,
        ddp_backend="gloo" if on_cpu and "LOCAL_RANK" in os.environ else None,
        ddp_find_unused_parameters=False,  # every batch has gradients of all weights
        max_steps=progress.steps,
        per_device_train_batch_size=training.batch_size,
        gradient_accumulation_steps=training.accumulation,
        max_grad_norm=training.clip,
        bf16=training.bf16 or (not on_cpu and torch.cuda.is_bf16_supported()),
        logging_steps=training.log_steps,
        eval_strategy="no",  # Milestones decides
        save_strategy="no",
        save_total_limit=2,
        seed=settings.seed,
        ignore_data_skip=True,  # TaskBatches begins where the run is
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        report_to="none",
        disable_tqdm=True,
    )


def make_optimizer(model: nn.Module, settings: TrainingSettings) -> torch.optim.Optimizer:
    """AdamW; weight decay for matrices alone."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in trained if p.ndim > 1], "weight_decay": settings.weight_decay},
        {"params": [p for p in trained if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=settings.rate, betas=(0.9, 0.98))
