"""What becomes of entities whose labels are right: values, links of answers, and rows.

Receipts of SROIE's training part, lines as labelled: F1 of the four values.
Forms of FUNSD with their gold entities: F1 of links from questions to answers, beside the usual
floor, the nearest question on the same line at the left or above in the same column. Made-up
invoices and receipts, of designs that nothing was tuned on: rows whose values are all right.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from docpipe.bench.result import Measured, Row
from docpipe.bench.task import Options, chosen
from docpipe.datasets import kie_sources
from docpipe.datasets.kie import KieDocument, company
from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.records import Entity, Field, Region, Source

Pair = tuple[str, str]

_SPLITS = {"train": "training_data", "test": "testing_data"}
_MADE_UP = ("invoice", "receipt")
_DOCUMENTS = 100
_SEED = 99


def links(data: Path, options: Options) -> Measured:
    """F1 of links in both parts of FUNSD, in the folder `data`. Raises ConfigError."""
    rows, figures = [], {}
    for split, folder in _SPLITS.items():
        paths = sorted((data / "funsd" / folder / "annotations").glob("*.json"))
        if not paths:
            raise ConfigError(f"no forms in {data / 'funsd' / folder}", hint="see docs/data.md")
        forms = [json.loads(path.read_text("utf-8"))["form"] for path in chosen(paths, options)]
        gold = [_gold_links(form) for form in forms]
        for name, predict in (("links", _links), ("nearest", _nearest)):
            found = [predict(form) for form in forms]
            for figure, value in zip(
                ("f1", "precision", "recall"), _scores(found, gold), strict=True
            ):
                figures[f"{split}.{name}.{figure}"] = value
        rows += [
            Row(f"{split} {path.stem}", {"links.f1": _scores([_links(form)], [pairs])[0]})
            for path, form, pairs in zip(chosen(paths, options), forms, gold, strict=True)
            if pairs
        ]
    return Measured(rows, figures)


def labels(data: Path, options: Options) -> Measured:
    """F1 of the values of SROIE's receipts. Raises ConfigError, SchemaError."""
    from docpipe.bench.extract import schema
    from docpipe.parsers.entities.values.fields import assemble
    from docpipe.parsers.entities.values.reading import context_of
    from docpipe.parsers.entities.values.scoring import score_values

    fields = schema()
    measured, scored = [], []
    for receipt in chosen(kie_sources.load("sroie", data / "sroie", "train"), options):
        context = context_of(entity.text for entity in receipt.entities())
        found = assemble(_entities(receipt, fields.labels[1:]), fields, context)
        scored.append((found, receipt.values, context))
        one = score_values(scored[-1:], fields)
        measured.append(Row(receipt.key, {"labels.f1": one.micro}, group=company(receipt)))
    whole = score_values(scored, fields)
    figures = {f"labels.{name}.f1": value for name, value in whole.fields.items()}
    return Measured(measured, {"labels.micro.f1": whole.micro} | figures)


def _entities(document: KieDocument, names: Collection[str]) -> list[Entity]:
    """The entities with one of these labels."""
    return [
        _entity(f"{number}/{at}", each.label, each.text, each.box, number)
        for number, page in enumerate(document.pages, start=1)
        for at, each in enumerate(page.entities)
        if each.label in names
    ]


def rows(options: Options) -> Measured:
    """F1 of rows of made-up documents."""
    from docpipe.datasets.synthetic_kie import generate

    measured, figures = [], {}
    for schema in _MADE_UP:
        count = min(options.limit or _DOCUMENTS, _DOCUMENTS)
        documents = generate(schema, count, _SEED, "test")
        counts = [(document.key, _row_counts(document, schema)) for document in documents]
        right, found, wanted = (sum(each[at] for _, each in counts) for at in range(3))
        figures[f"{schema}.rows.f1"] = 2 * right / max(found + wanted, 1)
        measured += [
            Row(key, {f"{schema}.row_recall": right / wanted})
            for key, (right, _, wanted) in counts
            if wanted
        ]
    return Measured(measured, figures)


def _row_counts(document: KieDocument, schema: str) -> tuple[int, int, int]:
    """Rows right, found and wanted. A row is right with all values that the document has of it; of
    a description its first line is wanted, and a quantity of 1 may go without saying."""
    from docpipe.parsers.entities.schema import find_schema
    from docpipe.parsers.entities.values.fields import assemble
    from docpipe.parsers.entities.values.reading import context_of

    fields = find_schema(schema)
    context = context_of(entity.text for entity in document.entities())
    entities = _entities(document, fields.row_names)
    found: dict[int, dict[str, Field]] = {}
    for field in assemble(entities, fields, context):
        if field.row is not None:
            found.setdefault(field.row, {})[field.name] = field
    rest = list(found.values())
    right = 0
    for wanted in document.rows:
        match = next((row for row in rest if _is_row(row, wanted, fields, context)), None)
        if match is not None:
            rest.remove(match)
            right += 1
    return right, len(found), len(document.rows)


def _is_row(row: dict[str, Field], wanted: dict[str, str], fields: Any, context: Any) -> bool:
    from docpipe.parsers.entities.values.scoring import is_right

    for name, value in wanted.items():
        if name not in row:
            if name == "item.quantity" and value == "1":
                continue
            return False
        begins = str(row[name].value).casefold().startswith(value.casefold())
        described = name == "item.description" and begins
        if not (described or is_right(row[name], value, fields.spec(name), context)):
            return False
    return True


# ── Links of FUNSD ───────────────────────────────────────────────────────────────────────────────


def _gold_links(form: Sequence[dict[str, Any]]) -> set[Pair]:
    labels = {part["id"]: part["label"] for part in form}
    pairs = {
        (one, other)
        for part in form
        for link in part["linking"]
        for one, other in (link, link[::-1])
        if (labels.get(one), labels.get(other)) == ("question", "answer")
    }
    return {(str(one), str(other)) for one, other in pairs}


def _links(form: Sequence[dict[str, Any]]) -> set[Pair]:
    from docpipe.parsers.entities.values.links import link

    questions, answers = _parts(form, "question"), _parts(form, "answer")
    found = link(questions, answers, [*_parts(form, "header"), *_parts(form, "other")])
    return {(each.question.id, each.answer.id) for each in found}


def _nearest(form: Sequence[dict[str, Any]]) -> set[Pair]:
    questions = [(part.id, _box(part)) for part in _parts(form, "question")]
    found = set()
    for answer in _parts(form, "answer"):
        near = [
            (distance, id) for id, box in questions for distance in _distances(box, _box(answer))
        ]
        if near:
            found.add((min(near)[1], answer.id))
    return found


def _distances(question: BBox, answer: BBox) -> Iterator[float]:
    lower = min(question.height, answer.height)
    if question.y_overlap(answer) > 0.5 * lower:
        if answer.center[0] > question.center[0]:
            yield max(0.0, answer.x0 - question.x1)
    elif question.x_overlap(answer) > 0 and answer.center[1] > question.center[1]:
        yield max(0.0, answer.y0 - question.y1)


def _parts(form: Iterable[dict[str, Any]], label: str) -> list[Entity]:
    return [
        _entity(str(part["id"]), label, part["text"], BBox(*map(float, part["box"])))
        for part in form
        if part["label"] == label and part["text"].strip()
    ]


def _entity(id: str, label: str, text: str, box: BBox, page: int = 1) -> Entity:
    return Entity(id, label, (), Source((Region(page, box),), "gold"), text, 1.0)


def _box(entity: Entity) -> BBox:
    return entity.source.regions[0].bbox


def _scores(found: Sequence[set[Pair]], gold: Sequence[set[Pair]]) -> tuple[float, float, float]:
    """F1, precision and recall."""
    hits = sum(len(one & other) for one, other in zip(found, gold, strict=True))
    guesses, wanted = sum(map(len, found)), sum(map(len, gold))
    return 2 * hits / max(guesses + wanted, 1), hits / max(guesses, 1), hits / max(wanted, 1)
