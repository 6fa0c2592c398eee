"""Fields from entities: which entities are one value, what it is, and how sure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from docpipe.parsers.entities.schema import FieldSchema, FieldSpec
from docpipe.parsers.entities.values.layout import blocks, near, raw_text, reading_order, rows
from docpipe.parsers.entities.values.reading import Context, read_value
from docpipe.records import Entity, Field, Source

STAGE = "fields"
# A line that lost a field that stands once gets another label, however unlikely: such lines, less
# likely than this share of the best of their field, are no part of a value.
_SHARE_OF_BEST = 0.25


def single_fields(entities: Sequence[Entity], schema: FieldSchema, context: Context) -> list[Field]:
    """The fields of a document besides those of its rows, in the order of the schema."""
    return [
        field
        for name in schema.single_names
        for spec in [schema.spec(name)]
        for field in _values(
            _labelled(entities, name), spec, context, _labelled(entities, spec.beside)
        )
    ]


def _labelled(entities: Sequence[Entity], label: str) -> list[Entity]:
    return [entity for entity in entities if entity.label == label]


def make_field(
    entities: Sequence[Entity], spec: FieldSpec, context: Context, *, row: int | None = None
) -> Field:
    """The value of entities that belong together; it is as sure as the least sure of them."""
    ordered = reading_order(entities)
    lines = [" ".join(entity.text for entity in line) for line in rows(ordered)]
    read = read_value(spec, lines, context)
    return Field(
        name=spec.name,
        value=read.value,
        raw=raw_text(ordered),
        entities=tuple(entity.id for entity in ordered),
        source=Source(tuple(region for e in ordered for region in e.source.regions), STAGE),
        score=min(entity.score for entity in ordered),
        notes=read.notes,
        row=row,
        unit=read.unit,
    )


def _values(
    entities: Sequence[Entity], spec: FieldSpec, context: Context, beside: Sequence[Entity]
) -> list[Field]:
    if not entities:
        return []
    if spec.cardinality == "one":
        each = [make_field([entity], spec, context) for entity in entities]
        return _distinct(sorted(each, key=lambda field: field.value is None))
    best = max(entity.score for entity in entities)
    found = blocks([entity for entity in entities if entity.score >= _SHARE_OF_BEST * best])
    if spec.repeated:
        return _distinct([make_field(block, spec, context) for block in found])
    there = [block for block in found if any(near(e, other) for e in block for other in beside)]
    return [make_field(max(there or found, key=_weight), spec, context)]


def _weight(block: Sequence[Entity]) -> float:
    return sum(entity.score for entity in block)


def _distinct(fields: Sequence[Field]) -> list[Field]:
    """Fields of one value together: the same total may stand on several lines."""
    found: dict[object, Field] = {}
    for field in fields:
        key = field.raw if field.value is None else field.value
        pages = {region.page for region in field.source.regions}
        found[key] = _merged(found[key], field) if key in found and pages else field
    return list(found.values())


def _merged(one: Field, other: Field) -> Field:
    return msgspec.structs.replace(
        one,
        entities=(*one.entities, *other.entities),
        source=Source((*one.source.regions, *other.source.regions), STAGE),
        score=max(one.score, other.score),
    )
