"""Train the text embedder on questions and pages: configuration -> data -> model -> trainer ->
evaluation -> model card.

    docpipe train retriever training/configs/retriever-toy.toml -o OUT

writes into OUT: the model (what `embedder.weights` names), model_card.json (data, settings, page
recall before and after, the command), metrics.jsonl (a line per logged step), predictions.jsonl
(the pages found for each question measured on), and checkpoints/, from which --resume goes on.

The loss is that of sentence-transformers for a question, its answer and its opposite (InfoNCE):
the other answers and opposites of a batch are opposites, too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from docpipe.retrieval.dense import MAX_TOKENS, MiniLmEmbedder, weights_folder
from docpipe.training.retriever.data import Data, Example, load_data
from docpipe.training.retriever.evaluation import Evaluation, evaluate, rank
from docpipe.training.retriever.settings import Settings, load_settings
from docpipe.training.run_folder import (
    CHECKPOINTS,
    last_checkpoint,
    run_script,
    versions,
    write_lines,
    write_run,
)


class ModelCard(msgspec.Struct, frozen=True):
    """What a reader must know of a trained embedder; `seconds` is the training alone."""

    command: str
    settings: Settings
    examples: int
    before: Evaluation
    after: Evaluation
    steps: int
    seconds: float
    versions: dict[str, str]


def train(
    settings: Settings,
    folder: Path,
    *,
    resume: bool = False,
    command: str = "",
    callbacks: Sequence[Any] = (),
) -> ModelCard:
    """Train, evaluate and write everything into `folder`. Raises ConfigError, ModelError.

    On the CPU, a run that was stopped and resumed ends with the weights of one that was not.
    """
    import transformers

    start = Path(settings.weights) if settings.weights else weights_folder()
    data = load_data(settings)
    before = evaluate(rank(MiniLmEmbedder(start), data))
    transformers.set_seed(settings.seed)
    model = _model(start)
    trainer = _trainer(model, data, settings, folder / CHECKPOINTS, callbacks)
    began = time.perf_counter()
    trainer.train(resume_from_checkpoint=last_checkpoint(folder) if resume else None)
    seconds = time.perf_counter() - began
    model.save_pretrained(str(folder), create_model_card=False)
    ranked = rank(MiniLmEmbedder(folder), data)
    card = ModelCard(
        command=command,
        settings=settings,
        examples=len(data.train),
        before=before,
        after=evaluate(ranked),
        steps=trainer.state.global_step,
        seconds=round(seconds, 1),
        versions=versions(),
    )
    write_run(folder, card, trainer.state.log_history)
    write_lines(folder / "predictions.jsonl", ranked)
    return card


def _model(start: Path) -> Any:
    """The embedder as `dense.MiniLmEmbedder` has it: mean of the token vectors, unit length."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Normalize, Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    local = {"local_files_only": True}
    words = Transformer(
        str(start),
        max_seq_length=MAX_TOKENS,
        model_kwargs=local,
        processor_kwargs=local,
        config_kwargs=local,
    )
    mean = Pooling(words.get_embedding_dimension(), pooling_mode="mean")
    return SentenceTransformer(modules=[words, mean, Normalize()], device="cpu")


def _trainer(
    model: Any, data: Data, settings: Settings, checkpoints: Path, callbacks: Sequence[Any]
) -> Any:
    import datasets
    from sentence_transformers import (
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from transformers import PrinterCallback

    config = settings.training
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=config.epochs,
        max_steps=config.max_steps or -1,
        per_device_train_batch_size=config.batch_size,
        learning_rate=config.rate,
        warmup_steps=config.warmup,
        logging_steps=config.log_steps,
        save_steps=config.save_steps,
        save_total_limit=2,
        seed=settings.seed,
        batch_sampler="no_duplicates",
        dataloader_pin_memory=False,
        report_to="none",
        disable_tqdm=True,
    )
    names = Example.__struct_fields__
    columns = {name: [getattr(example, name) for example in data.train] for name in names}
    trainer = SentenceTransformerTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets.Dataset.from_dict(columns),
        loss=MultipleNegativesRankingLoss(model, scale=config.scale),
        callbacks=list(callbacks),
    )
    trainer.remove_callback(PrinterCallback)  # the log is in metrics.jsonl
    trainer.remove_callback(trainer.model_card_callback_class)  # and the card is docpipe's
    return trainer


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""

    def run(config: Path, out: Path, resume: bool, command: str) -> dict[str, Evaluation]:
        card = train(load_settings(config), out, resume=resume, command=command)
        return {"before": card.before, "after": card.after}

    return run_script("retriever", run, arguments)


if __name__ == "__main__":
    sys.exit(main())
