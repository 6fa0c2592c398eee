"""Train PA-BDM: configuration -> data -> model -> trainer -> evaluation -> model card.

    python -m docpipe.training.train_pabdm training/configs/pabdm-toy.toml OUT

writes into OUT: model.safetensors and config.json (what the recogniser loads), model_card.json
(data, sizes, measured scores, the command), metrics.jsonl (a line per logged step), samples/
(crops with what was read off them, as pictures), and checkpoints/, from which --resume goes on.
Several processes: `torchrun --nproc-per-node N -m docpipe.training.train_pabdm …`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import transformers
from transformers import TrainerCallback

from docpipe.parsers.pabdm.config import PaBdmConfig
from docpipe.parsers.pabdm.model import PaBdm
from docpipe.parsers.pabdm.weights import count_parameters, load, save, take_vision
from docpipe.training.docfusion.adapters import add_adapters, merge_adapters
from docpipe.training.docfusion.loop import Show
from docpipe.training.docfusion.progress import Progress
from docpipe.training.pabdm.settings import Settings, StartSettings, load_settings
from docpipe.training.pabdm.trainer import PaBdmTrainer
from docpipe.training.run_folder import (
    CHECKPOINTS,
    last_checkpoint,
    run_script,
    versions,
    write_run,
)
from docpipe.training.train_docfusion import PICTURES, log_line


class ModelCard(msgspec.Struct, frozen=True):
    """What a reader must know of a trained model. `evaluation` is on synthetic samples, of the
    profile that the settings name; `samples` trained on are by task, `minutes` with evaluations."""

    command: str
    settings: Settings
    config: PaBdmConfig
    parameters: int
    trained_parameters: int
    evaluation: dict[str, float]
    steps: int
    samples: dict[str, int]
    minutes: float
    versions: dict[str, str]


def train(
    settings: Settings,
    folder: Path,
    *,
    resume: bool = False,
    command: str = "",
    callbacks: Sequence[TrainerCallback] = (),
    show: Show | None = None,
    clock: Callable[[], float] | None = None,
) -> ModelCard:
    """Train, evaluate and write everything into `folder`. Raises ConfigError, ModelError.

    On the CPU, a run by steps that was stopped and resumed ends with the weights of one that was
    not. `clock` (seconds) stands in for the time of a run by minutes.
    """
    transformers.set_seed(settings.seed)
    model = make_model(settings.model)
    if settings.lora is not None:
        add_adapters(model, [model.vision, model.decoder], settings.lora)
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
    progress = Progress(settings.training, clock) if clock else Progress(settings.training)

    trainer = PaBdmTrainer(
        model, settings, folder / CHECKPOINTS, folder / PICTURES, progress, callbacks, show
    )
    trainer.train(resume_from_checkpoint=last_checkpoint(folder) if resume else None)
    minutes = progress.minutes
    evaluation = trainer.evaluate()

    model = model.cpu().eval()
    if settings.lora is not None:
        merge_adapters(model)
    card = ModelCard(
        command=command,
        settings=settings,
        config=msgspec.structs.replace(model.config, mode=settings.mode),
        parameters=count_parameters(model),
        trained_parameters=trained,
        evaluation={name: round(value, 5) for name, value in evaluation.items()},
        steps=trainer.state.global_step,
        samples=progress.samples,
        minutes=round(minutes, 2),
        versions=versions(),
    )
    if trainer.is_world_process_zero():
        save(folder, model, settings.mode, half=settings.half)
        write_run(folder, card, trainer.state.log_history)
    return card


def make_model(start: StartSettings) -> PaBdm:
    """Fresh weights, or those of `init`; with the eyes of `vision`."""
    model = load(Path(start.init)) if start.init else PaBdm(start.pabdm())
    if start.block is not None:
        model.config = msgspec.structs.replace(model.config, block=start.block)
    if start.vision:
        take_vision(model, Path(start.vision))
    return model


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""

    def run(config: Path, out: Path, resume: bool, command: str) -> dict[str, float]:
        settings = load_settings(config)
        card = train(settings, out, resume=resume, command=command, show=log_line)
        return card.evaluation  # the first process has it

    return run_script("pabdm", run, arguments)


if __name__ == "__main__":
    sys.exit(main())
