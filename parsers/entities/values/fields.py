"""All fields of a document from its entities: values, rows, linked answers, and their checks."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.parsers.entities.schema import FieldSchema
from docpipe.parsers.entities.segments import segments
from docpipe.parsers.entities.values.assembly import single_fields
from docpipe.parsers.entities.values.reading import Context, context_of
from docpipe.records import Document, Entity, Field


def fields_of(
    document: Document, entities: Sequence[Entity], schema: FieldSchema, locale: str | None = None
) -> tuple[Field, ...]:
    """The fields of a document. `locale`, such as "de_DE", decides how dates and amounts are read;
    without it the document does. Raises ConfigError for a locale that is not known."""
    texts = [segment.text for page in document.pages for segment in segments(page)]
    return tuple(assemble(entities, schema, context_of(texts, locale)))


def assemble(entities: Sequence[Entity], schema: FieldSchema, context: Context) -> list[Field]:
    """The fields that entities make in a document whose texts gave `context`."""
    return single_fields(entities, schema, context)
