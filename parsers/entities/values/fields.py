"""All fields of a document from its entities: values, rows, linked answers, and their checks."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.parsers.entities.schema import FieldSchema
from docpipe.parsers.entities.segments import segments
from docpipe.parsers.entities.values import mrz
from docpipe.parsers.entities.values.assembly import single_fields
from docpipe.parsers.entities.values.checks import checked
from docpipe.parsers.entities.values.forms import merged, question_fields
from docpipe.parsers.entities.values.layout import reading_order
from docpipe.parsers.entities.values.patterns import Line, pattern_fields, zone_fields
from docpipe.parsers.entities.values.reading import Context, context_of
from docpipe.parsers.entities.values.rows import row_fields
from docpipe.records import Document, Entity, Field


def fields_of(
    document: Document, entities: Sequence[Entity], schema: FieldSchema, locale: str | None = None
) -> tuple[Field, ...]:
    """The fields of a document. `locale`, such as "de_DE", decides how dates and amounts are read;
    without it the document does. Raises ConfigError for a locale that is not known."""
    lines = [
        Line(page.number, segment.bbox, segment.text)
        for page in document.pages
        for segment in segments(page)
    ]
    context = context_of([line.text for line in lines], locale)
    if schema.links_answers:
        return tuple(merged(question_fields(entities), document, entities))
    return tuple(assemble(entities, schema, context, lines))


def assemble(
    entities: Sequence[Entity], schema: FieldSchema, context: Context, lines: Sequence[Line] = ()
) -> list[Field]:
    """The fields that entities make in a document whose texts gave `context`, and those that its
    `lines` prove, checked."""
    context = _with_zone(entities, schema, context)
    single = single_fields(entities, schema, context)
    proven = pattern_fields(single, schema, lines)
    replaced = {field.name for field in proven}
    kept = [field for field in single if field.name not in replaced]
    whole = zone_fields([*kept, *proven], schema)
    return checked([*whole, *row_fields(entities, schema, context)], schema, context)


def _with_zone(entities: Sequence[Entity], schema: FieldSchema, context: Context) -> Context:
    """The context with the dates of the machine readable zone among the entities."""
    zones = {field.name for field in schema.fields if field.type == "mrz"}
    lines = [entity.text for entity in reading_order([e for e in entities if e.label in zones])]
    zone = mrz.read(lines)
    if zone is None:
        return context
    days = frozenset(day for name, day in zone.fields.items() if name.endswith("_date"))
    return context._replace(days=days)
