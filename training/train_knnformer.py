"""Train KNN-former: configuration -> data -> model -> trainer -> evaluation -> model card.

    docpipe train knnformer training/configs/knnformer-toy.toml -o OUT

or, with several processes,

    torchrun --nproc-per-node N -m docpipe.training.train_knnformer CONFIG OUT

writes into OUT: model.safetensors and config.json (what KnnFormerClassifier loads), model_card.json
(data, sizes, measured scores, the command), metrics.jsonl (a line per logged step),
predictions.jsonl (the entities of the tested pages), and checkpoints/, from which --resume goes on.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import transformers
from transformers import TrainerCallback

from docpipe.datasets.kie import KieDocument
from docpipe.parsers.entities.matching import Floats, match, tune_thresholds
from docpipe.parsers.entities.model import KnnFormer
from docpipe.parsers.entities.schema import FieldSchema
from docpipe.parsers.entities.weights import SavedConfig, build_model, save
from docpipe.training.knnformer.data import make_examples, pages_of
from docpipe.training.knnformer.evaluation import Evaluation, asked, evaluate
from docpipe.training.knnformer.noise import with_noise
from docpipe.training.knnformer.settings import Settings, load_settings
from docpipe.training.knnformer.splits import Splits, load_splits, schema_of
from docpipe.training.knnformer.trainer import KnnFormerTrainer
from docpipe.training.run_folder import (
    CHECKPOINTS,
    last_checkpoint,
    run_script,
    versions,
    write_lines,
    write_run,
)


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


class Fitted(NamedTuple):
    """A trained model on the CPU, the tau of its one-fields, and what training took."""

    model: KnnFormer
    thresholds: tuple[float, ...]
    steps: int
    seconds: float
    history: list[dict[str, Any]]


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
    schema = schema_of(settings)
    splits = load_splits(settings, schema.labels[1:])
    fitted = fit(settings, schema, splits, folder, resume=resume, callbacks=callbacks)
    model, thresholds = fitted.model, fitted.thresholds
    scores, truths = asked(model, splits.test, schema)
    card = ModelCard(
        command=command,
        settings=settings,
        schema=schema,
        train_pages=len(pages_of(splits.train)),
        validation_pages=len(pages_of(splits.validation)),
        test_pages=len(truths),
        core_parameters=model.core_parameters(),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        thresholds=thresholds,
        evaluation=evaluate(scores, truths, schema, thresholds),
        steps=fitted.steps,
        seconds=round(fitted.seconds, 1),
        versions=versions(),
    )
    if int(os.environ.get("RANK", "0")):  # of several processes the first writes
        return card
    save(folder, model, SavedConfig(settings.model, schema, thresholds), compact=settings.compact)
    write_run(folder, card, fitted.history)
    write_lines(folder / "predictions.jsonl", _predictions(splits.test, scores, schema, thresholds))
    return card


def fit(
    settings: Settings,
    schema: FieldSchema,
    splits: Splits,
    folder: Path,
    *,
    resume: bool = False,
    callbacks: Sequence[TrainerCallback] = (),
) -> Fitted:
    """Train a model, its checkpoints in `folder`, and tune its thresholds on the validation part.
    Raises ConfigError where there is nothing to resume."""
    transformers.set_seed(settings.seed)
    model = build_model(settings.model, schema)
    ones = [schema.labels[c] for c in schema.ones]
    documents = with_noise(splits.train, settings.training.noisy, ones, settings.seed)
    examples = make_examples(documents, model, schema)
    trainer = KnnFormerTrainer(
        model, examples, schema, settings, folder / CHECKPOINTS, callbacks=callbacks
    )
    started = time.perf_counter()
    trainer.train(resume_from_checkpoint=last_checkpoint(folder) if resume else None)
    seconds = time.perf_counter() - started
    model = model.cpu().eval()
    return Fitted(
        model,
        _thresholds(model, splits.validation, schema),
        trainer.state.global_step,
        seconds,
        trainer.state.log_history,
    )


def _thresholds(
    model: KnnFormer, documents: Sequence[KieDocument], schema: FieldSchema
) -> tuple[float, ...]:
    if not documents or not schema.ones:
        return (0.0,) * len(schema.ones)
    scores, truths = asked(model, documents, schema)
    return tune_thresholds(scores, [truth.classes for truth in truths], schema.ones)


def _predictions(
    documents: Sequence[KieDocument],
    scores: Sequence[Floats],
    schema: FieldSchema,
    thresholds: Sequence[float],
) -> list[dict[str, Any]]:
    """The entities of the tested pages with their gold and predicted label."""
    labels = schema.labels
    return [
        {"page": number, "text": entity.text, "gold": entity.label, "predicted": labels[found]}
        for number, (page, rows) in enumerate(zip(pages_of(documents), scores, strict=True))
        for entity, found in zip(
            page.entities, match(rows, schema.ones, thresholds, schema.required), strict=True
        )
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""

    def run(config: Path, out: Path, resume: bool, command: str) -> Evaluation:
        return train(load_settings(config), out, resume=resume, command=command).evaluation

    return run_script("knnformer", run, arguments)


if __name__ == "__main__":
    sys.exit(main())
