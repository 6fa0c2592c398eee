"""What trainings of models that read crops have in common: from a model to its card."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

import msgspec
from torch import nn

from docpipe.training.docfusion.adapters import add_adapters, merge_adapters
from docpipe.training.docfusion.loop import SampleTrainer, Show
from docpipe.training.docfusion.progress import Progress
from docpipe.training.docfusion.settings import DataSettings
from docpipe.training.run_folder import last_checkpoint, run_script, versions, write_run

PICTURES = "samples"

S = TypeVar("S", bound=DataSettings)
C = TypeVar("C", bound=msgspec.Struct)
Given = TypeVar("Given", bound=DataSettings, contravariant=True)


class ModelCard(msgspec.Struct, Generic[S, C], frozen=True):
    """What a reader must know of a trained model. `evaluation` is on synthetic samples, of the
    profile that the settings name; `samples` trained on are by task, `minutes` with evaluations."""

    command: str
    settings: S
    config: C
    parameters: int
    trained_parameters: int
    evaluation: dict[str, float]
    steps: int
    samples: dict[str, int]
    minutes: float
    versions: dict[str, str]


class Done(NamedTuple):
    """A training that is over, with its last evaluation."""

    trainer: SampleTrainer
    progress: Progress
    trained: int
    minutes: float
    evaluation: dict[str, float]


def learn(
    model: nn.Module,
    adapted: Sequence[nn.Module],
    settings: DataSettings,
    folder: Path,
    start: Callable[[Progress], SampleTrainer],
    *,
    resume: bool,
    clock: Callable[[], float] | None,
) -> Done:
    """Train and evaluate the model; where settings ask for adapters, those are put on the parts to
    be `adapted` before, and merged behind. `start` makes the trainer. Raises ConfigError."""
    if settings.lora is not None:
        add_adapters(model, adapted, settings.lora)
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
    progress = Progress(settings.training, clock) if clock else Progress(settings.training)
    trainer = start(progress)
    trainer.train(resume_from_checkpoint=last_checkpoint(folder) if resume else None)
    minutes = progress.minutes
    evaluation = trainer.evaluate()
    model.cpu().eval()
    if settings.lora is not None:
        merge_adapters(model)
    return Done(trainer, progress, trained, minutes, evaluation)


def make_card(done: Done, settings: S, config: C, parameters: int, command: str) -> ModelCard[S, C]:
    return ModelCard(
        command=command,
        settings=settings,
        config=config,
        parameters=parameters,
        trained_parameters=done.trained,
        evaluation={name: round(value, 5) for name, value in done.evaluation.items()},
        steps=done.trainer.state.global_step,
        samples=done.progress.samples,
        minutes=round(done.minutes, 2),
        versions=versions(),
    )


def write_model(
    done: Done, folder: Path, card: msgspec.Struct, save: Callable[[Path], None]
) -> None:
    """Write weights, card and log; of several processes, the first does."""
    if done.trainer.is_world_process_zero():
        save(folder)
        write_run(folder, card, done.trainer.state.log_history)


class _Trains(Protocol[Given]):
    def __call__(
        self, settings: Given, folder: Path, *, resume: bool, command: str, show: Show | None
    ) -> _HasEvaluation: ...


class _HasEvaluation(Protocol):
    @property
    def evaluation(self) -> dict[str, float]: ...


def training_command(
    stage: str,
    load_settings: Callable[[Path], S],
    train: _Trains[S],
    arguments: Sequence[str] | None,
) -> int:
    """`python -m docpipe.training.train_STAGE CONFIG OUT [--resume]`; returns its exit code."""

    def run(config: Path, out: Path, resume: bool, command: str) -> dict[str, float]:
        settings = load_settings(config)
        card = train(settings, out, resume=resume, command=command, show=log_line)
        return card.evaluation  # the first process has it

    return run_script(stage, run, arguments)


def log_line(done: float, logs: dict[str, float]) -> None:
    """Write what is logged to stderr, a line each."""
    if logs:
        shown = "  ".join(f"{name} {value:.4g}" for name, value in logs.items())
        print(f"{done:6.1%}  {shown}", file=sys.stderr, flush=True)
