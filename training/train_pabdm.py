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
from docpipe.training.docfusion.frame import (
    PICTURES,
    ModelCard,
    learn,
    make_card,
    training_command,
    write_model,
)
from docpipe.training.docfusion.loop import Show
from docpipe.training.docfusion.progress import Progress
from docpipe.training.pabdm.settings import Settings, StartSettings, load_settings
from docpipe.training.pabdm.trainer import PaBdmTrainer
from docpipe.training.run_folder import CHECKPOINTS

Card = ModelCard[Settings, PaBdmConfig]


def train(
    settings: Settings,
    folder: Path,
    *,
    resume: bool = False,
    command: str = "",
    callbacks: Sequence[TrainerCallback] = (),
    show: Show | None = None,
    clock: Callable[[], float] | None = None,
) -> Card:
    """Train, evaluate and write everything into `folder`. Raises ConfigError, ModelError.

    On the CPU, a run by steps that was stopped and resumed ends with the weights of one that was
    not. `clock` (seconds) stands in for the time of a run by minutes.
    """
    transformers.set_seed(settings.seed)
    model = make_model(settings.model)

    def start(progress: Progress) -> PaBdmTrainer:
        own, pictures = folder / CHECKPOINTS, folder / PICTURES
        return PaBdmTrainer(model, settings, own, pictures, progress, callbacks, show)

    adapted = [model.vision, model.decoder]
    done = learn(model, adapted, settings, folder, start, resume=resume, clock=clock)
    config = msgspec.structs.replace(model.config, mode=settings.mode)
    card = make_card(done, settings, config, count_parameters(model), command)
    write_model(done, folder, card, lambda out: save(out, model, settings.mode, half=settings.half))
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
    return training_command("pabdm", load_settings, train, arguments)


if __name__ == "__main__":
    sys.exit(main())
