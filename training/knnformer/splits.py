"""Documents to train, tune and test on, as the configuration names them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, cast

from docpipe.datasets import kie_sources
from docpipe.datasets.kie import KieDocument, company, grouped_folds, read_jsonl, split_by_key
from docpipe.errors import ConfigError
from docpipe.parsers.entities.schema import FieldSchema, FieldSpec, find_schema
from docpipe.training.knnformer.settings import DataConfig, Settings
from docpipe.training.knnformer.toy import TOY_FIELDS, toy_documents

SYNTHETIC = "synthetic-"
SYNTHETIC_COUNT = 1000
TEST_COUNT = 200
_SEEDS = {"train": 1, "test": 2}


class Splits(NamedTuple):
    """`validation` is cut from the training split by a hash of keys and tunes thresholds."""

    train: list[KieDocument]
    validation: list[KieDocument]
    test: list[KieDocument]


def schema_of(settings: Settings) -> FieldSchema:
    """The fields of the configuration, else those of its data set."""
    source = settings.data.source
    if settings.fields:
        return FieldSchema(settings.fields)
    if settings.schema:
        return find_schema(settings.schema)
    if source == "toy":
        return FieldSchema(TOY_FIELDS)
    if source.startswith(SYNTHETIC):
        return find_schema(source.removeprefix(SYNTHETIC))
    if source in kie_sources.FIELDS:
        fields = kie_sources.FIELDS[source]
        specs = (FieldSpec(name, kind) for name, kind in fields.items())
        return FieldSchema(tuple(specs))
    raise ConfigError(
        f"the fields of data source {source!r} are not known",
        hint="add a [[field]] table with name and cardinality per field, or a schema",
    )


def load_splits(settings: Settings, labels: Sequence[str]) -> Splits:
    """Raises ConfigError where no document is left to train or to evaluate on."""
    config = settings.data
    everything = _documents(settings, config, config.train, labels)
    test = _documents(settings, config, config.test, labels) if config.test else []
    if config.folds and not config.test:
        parts = grouped_folds(everything, config.folds, company)
        test = parts.pop(config.fold)
        everything = [document for part in parts for document in part]
    train, validation = split_by_key(everything[: config.limit], config.validation)
    if config.source == "toy":
        train = validation = everything  # learnt by heart, so looked at by heart
    for more in settings.extra:
        found = _documents(settings, more, more.train, labels)[: more.limit]
        learnt, kept = split_by_key(found, more.validation)
        train, validation = [*train, *learnt], [*validation, *kept]
    test = test or validation
    if not train or not test:
        raise ConfigError(
            f"no documents to {'evaluate' if train else 'train'} on",
            hint="give [data] test, or another limit or validation share",
        )
    return Splits(train, validation, test)


def _documents(
    settings: Settings, config: DataConfig, split: str, labels: Sequence[str]
) -> list[KieDocument]:
    """A split in the labels of the settings' schema."""
    names = kie_sources.RECEIPT_LABELS.get(cast(kie_sources.Source, config.source))
    found = _load(config, split, labels)
    if settings.schema == "receipt" and names is not None:
        return [kie_sources.relabelled(document, names) for document in found]
    if config.source.startswith(SYNTHETIC):  # made with all fields of their schema
        same = {label: label for label in labels}
        return [kie_sources.relabelled(document, same) for document in found]
    return found


def _load(config: DataConfig, split: str, labels: Sequence[str]) -> list[KieDocument]:
    if config.source == "toy":
        return toy_documents()
    if config.source.startswith(SYNTHETIC):
        return _synthetic(config, split)
    folder = Path(os.environ.get("DOCPIPE_DATA", "")) / config.path
    if config.source == "jsonl":
        return read_jsonl(folder / f"{split}.jsonl", labels)
    return kie_sources.load(cast(kie_sources.Source, config.source), folder, split)


def _synthetic(config: DataConfig, split: str) -> list[KieDocument]:
    from docpipe.datasets import synthetic_kie

    kind = cast(synthetic_kie.Schema, config.source.removeprefix(SYNTHETIC))
    if split not in _SEEDS:
        raise ConfigError(f"made-up documents have no split {split!r}", hint="train or test")
    count = config.limit or SYNTHETIC_COUNT
    if split == "test":
        count = min(count, TEST_COUNT)
    chosen = cast(synthetic_kie.Split, split)
    return list(synthetic_kie.generate(kind, count, _SEEDS[split], chosen))
