"""One training of KNN-former, or of its floor, and what it gets right on the documents it is tested
on, kept in a file so that a bench that was stopped goes on where it was."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from docpipe.datasets.kie import KieDocument, company
from docpipe.errors import ConfigError

if TYPE_CHECKING:
    from docpipe.parsers.entities.matching import Floats
    from docpipe.parsers.entities.schema import FieldSchema
    from docpipe.training.knnformer.settings import Settings

Learner = Literal["model", "floor", "floor_alone", "floor_context"]

# Fields of SROIE as the schema of receipts has them, for the values.
_SROIE = ("company", "address", "date", "total")


Changes = dict[str, dict[str, str | int | float | bool]]


class Run(msgspec.Struct, frozen=True):
    """What is trained and tested. `name` says so in a table; runs of one name differ in `seed` and
    `fold` alone. `changes` are tables of settings, over those in `config`, a name in
    training/configs."""

    name: str
    config: str
    learner: Learner = "model"
    seed: int = 1
    fold: int | None = None
    changes: Changes = {}
    alone: bool = False

    @property
    def file(self) -> str:
        fold = "" if self.fold is None else f"-fold{self.fold}"
        return f"{self.name.replace('/', '-').replace(' ', '_')}{fold}-seed{self.seed}.json"


class Marked(msgspec.Struct, frozen=True):
    """A document: entities right, found and wanted per class by argmax and after matching, and
    values right, found and wanted per field of `values`."""

    key: str
    group: str
    argmax: list[list[int]]
    matched: list[list[int]]
    broken: tuple[int, int]
    values: dict[str, tuple[int, int, int]] = {}


class Outcome(msgspec.Struct, frozen=True):
    """`broken` of the documents are one-fields given twice, before and after matching."""

    labels: tuple[str, ...]
    ones: tuple[str, ...]
    documents: list[Marked]
    seconds: float = 0.0
    core_parameters: int = 0


def outcome(run: Run, work: Path | None, limit: int | None, data: Path | None = None) -> Outcome:
    """Of the run, from the folder `work` if it is there; see `settings_of`. Raises ConfigError."""
    stored = work / f"{limit or 'all'}-{run.file}" if work else None
    if stored is not None and stored.is_file():
        return msgspec.json.decode(stored.read_bytes(), type=Outcome)
    found = _perform(settings_of(run, limit, data), run, limit)
    if stored is not None:
        stored.parent.mkdir(parents=True, exist_ok=True)
        partial = stored.with_suffix(".part")
        partial.write_bytes(msgspec.json.encode(found))
        partial.replace(stored)
    return found


def settings_of(run: Run, limit: int | None, data: Path | None = None) -> Settings:
    """The run's configuration, with its data in the folder `data`, or in that of the environment.
    Raises ConfigError."""
    import tomllib

    from docpipe import training
    from docpipe.training.knnformer.settings import settings_from

    path = Path(next(iter(training.__path__))) / "configs" / f"knnformer-{run.config}.toml"
    if not path.is_file():
        raise ConfigError(f"no such configuration: {path}")
    tables = tomllib.loads(path.read_text("utf-8"))
    changes = dict(run.changes) | ({"data": {"fold": run.fold}} if run.fold is not None else {})
    for table, values in changes.items():
        tables[table] = tables.get(table, {}) | values
    if run.alone:
        tables.pop("extra", None)
    if limit is not None:
        tables["data"]["limit"] = min(limit, tables["data"].get("limit", limit))
    settings = settings_from(tables | {"seed": run.seed})
    return settings if data is None else _with_data(settings, data)


def _with_data(settings: Settings, folder: Path) -> Settings:
    first, *extra = (
        msgspec.structs.replace(each, path=str(folder / each.path))
        for each in (settings.data, *settings.extra)
    )
    return msgspec.structs.replace(settings, data=first, extra=tuple(extra))


def _perform(settings: Settings, run: Run, limit: int | None) -> Outcome:
    from docpipe.training.knnformer.splits import load_splits, schema_of

    schema = schema_of(settings)
    splits = load_splits(settings, schema.labels[1:])
    test = splits.test[:limit]
    if run.learner != "model":
        taus = (0.0,) * len(schema.ones)
        return _marked(_floor(run, splits.train, test, schema), test, schema, taus)
    from docpipe.training.knnformer.evaluation import asked
    from docpipe.training.train_knnformer import fit

    with tempfile.TemporaryDirectory() as folder:
        fitted = fit(settings, schema, splits, Path(folder))
    scores, _ = asked(fitted.model, test, schema)
    found = _marked(scores, test, schema, fitted.thresholds)
    return msgspec.structs.replace(
        found, seconds=fitted.seconds, core_parameters=fitted.model.core_parameters()
    )


def _floor(
    run: Run, train: Sequence[KieDocument], test: Sequence[KieDocument], schema: FieldSchema
) -> Sequence[Floats]:
    from docpipe.training.knnformer.baseline import floor_predictions
    from docpipe.training.knnformer.data import entity_page, page_labels, pages_of

    return floor_predictions(
        [entity_page(page) for page in pages_of(train)],
        [page_labels(page, schema).numpy() for page in pages_of(train)],
        [entity_page(page) for page in pages_of(test)],
        len(schema.labels),
        neighbours=run.learner != "floor_alone",
        context=run.learner == "floor_context",
        seed=run.seed,
    )


def _marked(
    scores: Sequence[Floats],
    documents: Sequence[KieDocument],
    schema: FieldSchema,
    thresholds: Sequence[float],
) -> Outcome:
    from docpipe.parsers.entities.matching import match, violations
    from docpipe.training.knnformer.data import pages_of
    from docpipe.training.knnformer.evaluation import count, truth_of

    rows: list[Marked] = []
    rest = iter(scores)
    for document in documents:
        plain, matched = [np.zeros((3, len(schema.labels)), np.int64) for _ in range(2)]
        broken = np.zeros(2, np.int64)
        labels: list[list[str]] = []
        for page in pages_of([document]):
            truth, found = truth_of(page, schema), next(rest)
            first = found.argmax(axis=1)
            second = match(found, schema.ones, thresholds, schema.required)
            plain += count(first, truth, schema)
            matched += count(second, truth, schema)
            broken += [violations(first, schema.ones), violations(second, schema.ones)]
            labels.append([schema.labels[c] for c in second])
        rows.append(
            Marked(
                document.key,
                company(document),
                plain.tolist(),
                matched.tolist(),
                (int(broken[0]), int(broken[1])),
                _values(document, labels, schema),
            )
        )
    return Outcome(schema.labels, tuple(schema.labels[c] for c in schema.ones), rows)


def _values(
    document: KieDocument, labels: Sequence[Sequence[str]], schema: FieldSchema
) -> dict[str, tuple[int, int, int]]:
    """Values right, found and wanted of the fields of a receipt, where the document has them."""
    from docpipe.parsers.entities.schema import FieldSchema, find_schema
    from docpipe.parsers.entities.values.fields import assemble
    from docpipe.parsers.entities.values.reading import context_of
    from docpipe.parsers.entities.values.scoring import is_right
    from docpipe.records import Entity, Region, Source

    if not document.values or schema.labels[1:] != FIELDS_OF_SROIE:
        return {}
    receipt = find_schema("receipt")
    specs = FieldSchema(tuple(receipt.spec(name) for name in _SROIE))
    entities = [
        Entity(
            f"{p}/{e}", labels[p][e], (), Source((Region(p + 1, entity.box),), ""), entity.text, 1.0
        )
        for p, page in enumerate(document.pages)
        for e, entity in enumerate(page.entities)
        if labels[p][e] in _SROIE
    ]
    context = context_of(entity.text for entity in document.entities())
    first = {field.name: field for field in reversed(assemble(entities, specs, context))}
    gold = {name: value for name in _SROIE if (value := document.values.get(name, "").strip())}
    return {
        name: (
            int(
                name in first
                and name in gold
                and is_right(first[name], gold[name], specs.spec(name), context)
            ),
            int(name in first),
            int(name in gold),
        )
        for name in _SROIE
    }


FIELDS_OF_SROIE = ("company", "date", "address", "total")
