"""Train KNN-former: configuration -> data -> model -> trainer -> evaluation -> model card.

    python -m docpipe.training.train_knnformer training/configs/knnformer-toy.toml OUT

writes into OUT: model.safetensors and config.json (what KnnFormerClassifier loads), model_card.json
(data, sizes, measured scores, the command), metrics.jsonl (a line per logged step), samples.jsonl
(predictions on some test pages), and checkpoints/, from which --resume goes on.
"""

from __future__ import annotations

import argparse
import platform
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch
import transformers
from transformers import TrainerCallback

from docpipe.datasets.kie import KiePage
from docpipe.errors import ConfigError, DocpipeError
from docpipe.parsers.entities.classifier import log_probabilities
from docpipe.parsers.entities.matching import Floats, match, tune_thresholds
from docpipe.parsers.entities.model import KnnFormer
from docpipe.parsers.entities.schema import FieldSchema
from docpipe.parsers.entities.weights import SavedConfig, build_model, save
from docpipe.training.knnformer.data import (
    entity_page,
    load_splits,
    make_example,
    page_labels,
    pages_of,
    schema_of,
)
from docpipe.training.knnformer.evaluation import Evaluation, evaluate
from docpipe.training.knnformer.settings import Settings, load_settings
from docpipe.training.knnformer.trainer import KnnFormerTrainer

CHECKPOINTS = "checkpoints"
SAMPLE_PAGES = 5


class ModelCard(msgspec.Struct, frozen=True):
    """What a reader must know of a trained model; `seconds` is the training alone."""

    command: str
    settings: Settings
    schema: FieldSchema
    train_pages: int
    validation_pages: int
    test_pages: int
    core_parameters: int
    parameters: int
    thresholds: tuple[float, ...]
    evaluation: Evaluation
    steps: int
    seconds: float
    versions: dict[str, str]


def train(
    settings: Settings,
    folder: Path,
    *,
    resume: bool = False,
    command: str = "",
    callbacks: Sequence[TrainerCallback] = (),
) -> ModelCard:
    """Train, evaluate and write everything into `folder`. Raises ConfigError.

    On the CPU, a run that was stopped and resumed ends with the weights of one that was not.
    """
    transformers.set_seed(settings.seed)
    schema = schema_of(settings)
    splits = load_splits(settings.data, schema.labels[1:])
    model = build_model(settings.model, schema)
    examples = [make_example(page, model, schema) for page in pages_of(splits.train)]

    trainer = KnnFormerTrainer(
        model, examples, schema, settings, folder / CHECKPOINTS, callbacks=callbacks
    )
    started = time.perf_counter()
    trainer.train(resume_from_checkpoint=_last_checkpoint(folder) if resume else None)
    seconds = time.perf_counter() - started

    model = model.cpu().eval()
    validation, test = pages_of(splits.validation), pages_of(splits.test)
    thresholds = _thresholds(model, validation, schema)
    scores = log_probabilities(model, [entity_page(page) for page in test])
    gold = [page_labels(page, schema).numpy() for page in test]
    card = ModelCard(
        command=command,
        settings=settings,
        schema=schema,
        train_pages=len(examples),
        validation_pages=len(validation),
        test_pages=len(test),
        core_parameters=model.core_parameters(),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        thresholds=thresholds,
        evaluation=evaluate(scores, gold, schema, thresholds),
        steps=trainer.state.global_step,
        seconds=round(seconds, 1),
        versions=_versions(),
    )
    save(folder, model, SavedConfig(settings.model, schema, thresholds))
    (folder / "model_card.json").write_bytes(
        msgspec.json.format(msgspec.json.encode(card), indent=2) + b"\n"
    )
    _write_lines(folder / "metrics.jsonl", trainer.state.log_history)
    _write_lines(folder / "samples.jsonl", _samples(test, scores, schema, thresholds))
    return card


def _thresholds(
    model: KnnFormer, pages: Sequence[KiePage], schema: FieldSchema
) -> tuple[float, ...]:
    if not pages or not schema.ones:
        return (0.0,) * len(schema.ones)
    scores = log_probabilities(model, [entity_page(page) for page in pages])
    gold = [page_labels(page, schema).numpy() for page in pages]
    return tune_thresholds(scores, gold, schema.ones)


def _last_checkpoint(folder: Path) -> str:
    from transformers.trainer_utils import get_last_checkpoint

    checkpoints = folder / CHECKPOINTS
    last = get_last_checkpoint(str(checkpoints)) if checkpoints.is_dir() else None
    if last is None:
        raise ConfigError(f"no checkpoint in {checkpoints}", hint="train without --resume")
    return str(last)


def _samples(
    pages: Sequence[KiePage],
    scores: Sequence[Floats],
    schema: FieldSchema,
    thresholds: Sequence[float],
) -> list[dict[str, Any]]:
    """Entities of some pages with their gold and predicted label."""
    labels = schema.labels
    return [
        {"page": number, "text": entity.text, "gold": entity.label, "predicted": labels[found]}
        for number, (page, rows) in enumerate(zip(pages[:SAMPLE_PAGES], scores, strict=False))
        for entity, found in zip(
            page.entities, match(rows, schema.ones, thresholds, schema.required), strict=True
        )
    ]


def _versions() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "transformers": transformers.__version__,
    }


def _write_lines(path: Path, rows: Sequence[Any]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(description="Train KNN-former.")
    parser.add_argument("config", type=Path, help="TOML file, see training/configs")
    parser.add_argument("out", type=Path, help="folder for the model and what was measured")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    given = parser.parse_args(arguments)
    words = [str(given.config), str(given.out), *(["--resume"] if given.resume else [])]
    command = shlex.join(["python", "-m", "docpipe.training.train_knnformer", *words])
    try:
        card = train(load_settings(given.config), given.out, resume=given.resume, command=command)
    except DocpipeError as error:
        print(error, file=sys.stderr)
        return 2
    print(msgspec.json.format(msgspec.json.encode(card.evaluation), indent=2).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
