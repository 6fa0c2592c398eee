"""Train DocFusion: configuration -> data -> model -> trainer -> evaluation -> model card.

    python -m docpipe.training.train_docfusion training/configs/docfusion-toy.toml OUT

writes into OUT: model.safetensors and config.json (what the DocFusion stages load), model_card.json
(data, sizes, measured scores, the command), metrics.jsonl (a line per logged step), samples/ (pages
and crops with what was read off them, as pictures), and checkpoints/, from which --resume goes on.
Several processes: `torchrun --nproc-per-node N -m docpipe.training.train_docfusion …`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import transformers
from transformers import TrainerCallback

from docpipe.parsers.docfusion.config import DocFusionConfig
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.vocabulary import Vocabulary, build_vocabulary
from docpipe.parsers.docfusion.weights import count_parameters, load, save
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
from docpipe.training.docfusion.resizing import resized
from docpipe.training.docfusion.settings import Settings, load_settings, with_changes
from docpipe.training.docfusion.trainer import DocFusionTrainer
from docpipe.training.run_folder import CHECKPOINTS

Card = ModelCard[Settings, DocFusionConfig]


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
    model, vocabulary = make_model(settings)

    def start(progress: Progress) -> DocFusionTrainer:
        own, pictures = folder / CHECKPOINTS, folder / PICTURES
        return DocFusionTrainer(
            model, vocabulary, settings, own, pictures, progress, callbacks, show
        )

    adapted = [model.vision_tower, model.language_model]
    done = learn(model, adapted, settings, folder, start, resume=resume, clock=clock)
    card = make_card(done, settings, model.config, count_parameters(model), command)
    write_model(done, folder, card, lambda out: save(out, model, half=settings.half))
    return card


def make_model(settings: Settings) -> tuple[DocFusion, Vocabulary]:
    """Fresh weights, or those of `init`. Raises ConfigError, ModelError."""
    if settings.model.init:
        model, vocabulary = load(Path(settings.model.init))
        return resized(model, with_changes(model.config, settings.model.changes)), vocabulary
    config = settings.model.config()
    return DocFusion(config), build_vocabulary(config, Path())


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    return training_command("docfusion", load_settings, train, arguments)


if __name__ == "__main__":
    sys.exit(main())
