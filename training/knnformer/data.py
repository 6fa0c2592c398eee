"""Documents to examples: pages as tensors with the class of each entity."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, cast

import torch
from torch import Tensor
from torch.nn.functional import pad

from docpipe.datasets import kie_sources
from docpipe.datasets.kie import (
    KieDocument,
    KiePage,
    company,
    grouped_folds,
    read_jsonl,
    split_by_key,
)
from docpipe.errors import ConfigError
from docpipe.parsers.entities.batch import PageTensors, collate, page_tensors
from docpipe.parsers.entities.features import EntityPage
from docpipe.parsers.entities.losses import IGNORED
from docpipe.parsers.entities.model import KnnFormer
from docpipe.parsers.entities.schema import FieldSchema, FieldSpec
from docpipe.training.knnformer.settings import DataConfig, Settings
from docpipe.training.knnformer.toy import TOY_FIELDS, toy_documents


class Splits(NamedTuple):
    """`validation` is cut from the training split by a hash of keys and tunes thresholds."""

    train: list[KieDocument]
    validation: list[KieDocument]
    test: list[KieDocument]


class Example(NamedTuple):
    """A page of n entities: `labels` (n,) int64, `candidates` (n, C) bool where an entity would be
    right for a class besides its label."""

    page: PageTensors
    labels: Tensor
    candidates: Tensor


def schema_of(settings: Settings) -> FieldSchema:
    """The fields of the configuration, else those of its data set."""
    source = settings.data.source
    if settings.fields:
        return FieldSchema(settings.fields)
    if source == "toy":
        return FieldSchema(TOY_FIELDS)
    if source in kie_sources.FIELDS:
        fields = kie_sources.FIELDS[source]
        specs = (FieldSpec(name, kind) for name, kind in fields.items())  # type: ignore[arg-type]
        return FieldSchema(tuple(specs))
    raise ConfigError(
        f"the fields of data source {source!r} are not known",
        hint="add a [[field]] table with name and cardinality per field",
    )


def load_splits(config: DataConfig, labels: Sequence[str]) -> Splits:
    """Raises ConfigError where no document is left to train or to evaluate on."""
    everything = _load(config, config.train, labels)[: config.limit]
    test = _load(config, config.test, labels) if config.test else []
    if config.folds and not config.test:
        parts = grouped_folds(everything, config.folds, company)
        test = parts.pop(config.fold)
        everything = [document for part in parts for document in part]
    train, validation = split_by_key(everything, config.validation)
    if config.source == "toy":
        train = validation = everything  # learnt by heart, so looked at by heart
    test = test or validation
    if not train or not test:
        raise ConfigError(
            f"no documents to {'evaluate' if train else 'train'} on",
            hint="give [data] test, or another limit or validation share",
        )
    return Splits(train, validation, test)


def _load(config: DataConfig, split: str, labels: Sequence[str]) -> list[KieDocument]:
    if config.source == "toy":
        return toy_documents()
    folder = Path(os.environ.get("DOCPIPE_DATA", "")) / config.path
    if config.source == "jsonl":
        return read_jsonl(folder / f"{split}.jsonl", labels)
    return kie_sources.load(cast(kie_sources.Source, config.source), folder, split)


def pages_of(documents: Sequence[KieDocument]) -> list[KiePage]:
    """Their pages that have entities."""
    return [page for document in documents for page in document.pages if page.entities]


def entity_page(page: KiePage) -> EntityPage:
    texts = tuple(entity.text for entity in page.entities)
    boxes = tuple(entity.box for entity in page.entities)
    return EntityPage(page.width, page.height, texts, boxes)


def page_labels(page: KiePage, schema: FieldSchema) -> Tensor:
    """The class of each entity, (n,) int64."""
    return torch.tensor([schema.class_of(entity.label) for entity in page.entities])


def make_example(page: KiePage, model: KnnFormer, schema: FieldSchema) -> Example:
    candidates = torch.zeros(len(page.entities), len(schema.labels), dtype=torch.bool)
    for at, entity in enumerate(page.entities):
        for label in entity.also:
            candidates[at, schema.class_of(label)] = True
    tensors = page_tensors(entity_page(page), model.encoder, model.design)
    return Example(tensors, page_labels(page, schema), candidates)


def collate_examples(examples: Sequence[Example]) -> dict[str, Tensor]:
    """A padded batch: the arguments of the model, `labels` (B, N) and `candidates` (B, N, C)."""
    batch = collate([example.page for example in examples])
    n = batch["mask"].shape[1]
    lacks = [n - len(example.labels) for example in examples]
    labels = [
        pad(e.labels, (0, lack), value=IGNORED) for e, lack in zip(examples, lacks, strict=True)
    ]
    candidates = [
        pad(e.candidates, (0, 0, 0, lack)) for e, lack in zip(examples, lacks, strict=True)
    ]
    return batch | {"labels": torch.stack(labels), "candidates": torch.stack(candidates)}
