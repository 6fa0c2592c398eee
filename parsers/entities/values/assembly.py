"""Fields from entities: which entities are one value, what it is, and how sure."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.parsers.entities.schema import ROW_PREFIX, FieldSchema, FieldSpec
from docpipe.parsers.entities.values.layout import blocks, raw_text, reading_order, rows
from docpipe.parsers.entities.values.reading import Context, read_value
from docpipe.records import Entity, Field, Region, Source

STAGE = "fields"


def single_fields(entities: Sequence[Entity], schema: FieldSchema, context: Context) -> list[Field]:
    """The fields of a document besides those of its rows, in the order of the schema."""
    return [
        field
        for spec in schema.fields
        if not spec.name.startswith(ROW_PREFIX)
        for field in _values([e for e in entities if e.label == spec.name], spec, context)
    ]


def make_field(
    entities: Sequence[Entity], spec: FieldSpec, context: Context, *, row: int | None = None
) -> Field:
    """The value of entities that belong together; it is as sure as the least sure of them."""
    ordered = reading_order(entities)
    lines = [" ".join(entity.text for entity in line) for line in rows(ordered)]
    value, notes = read_value(spec, lines, context)
    return Field(
        name=spec.name,
        value=value,
        raw=raw_text(ordered),
        entities=tuple(entity.id for entity in ordered),
        source=Source(tuple(region for e in ordered for region in e.source.regions), STAGE),
        score=min(entity.score for entity in ordered),
        notes=notes,
        row=row,
    )


def _values(entities: Sequence[Entity], spec: FieldSpec, context: Context) -> list[Field]:
    if not entities:
        return []
    if spec.cardinality == "one":
        return _distinct([make_field([entity], spec, context) for entity in entities])
    found = blocks(entities)
    if spec.repeated:
        return _distinct([make_field(block, spec, context) for block in found])
    return [make_field(max(found, key=_weight), spec, context)]


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
    regions: tuple[Region, ...] = (*one.source.regions, *other.source.regions)
    return Field(
        name=one.name,
        value=one.value,
        raw=one.raw,
        entities=(*one.entities, *other.entities),
        source=Source(regions, STAGE),
        score=max(one.score, other.score),
        notes=one.notes,
    )
