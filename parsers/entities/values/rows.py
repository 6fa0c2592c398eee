"""Line items: the entities of columns grouped into rows.

A row hangs on a line with its amount (where there is none, its price, quantity or description).
Lines without belong to the row above or below: to the one below where most such lines would
otherwise have no description, as on receipts that print "2 x 3.50  7.00" under the name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from docpipe.parsers.entities.schema import FieldSchema
from docpipe.parsers.entities.values.assembly import make_field
from docpipe.parsers.entities.values.layout import place, rows
from docpipe.parsers.entities.values.reading import Context
from docpipe.records import Entity, Field

Line = list[Entity]

_NUMBERS = ("money", "number")


def row_fields(entities: Sequence[Entity], schema: FieldSchema, context: Context) -> list[Field]:
    """The fields of the rows of a document, numbered from 1 over all pages."""
    columns = [entity for entity in entities if entity.label in schema.row_names]
    pages = sorted({place(entity)[0] for entity in columns})
    grouped = [
        row for page in pages for row in _group([e for e in columns if place(e)[0] == page], schema)
    ]
    return _without_numbers(
        [
            make_field(parts, schema.spec(name), context, row=number)
            for number, row in enumerate(grouped, start=1)
            for name in schema.row_names
            for parts in [[entity for entity in row if entity.label == name]]
            if parts
        ]
    )


def _without_numbers(fields: list[Field]) -> list[Field]:
    """The fields, texts without the number of their row where all rows from 1 on have theirs."""
    for name in {field.name for field in fields}:
        column = [field for field in fields if field.name == name]
        starts = [re.match(rf"0*{field.row}[.):]?\s+(?=\S)", str(field.value)) for field in column]
        if len(column) > 1 and all(starts) and isinstance(column[0].value, str):
            for field, start in zip(column, starts, strict=True):
                value = str(field.value)[start.end() if start else 0 :]
                fields[fields.index(field)] = msgspec.structs.replace(field, value=value)
    return fields


def _group(entities: Sequence[Entity], schema: FieldSchema) -> list[Line]:
    lines = rows(entities)
    anchor = _anchor(lines, schema)
    anchors = [at for at, line in enumerate(lines) if _has(line, anchor)]
    if not anchors:
        return lines
    below = _texts_are_above(lines, anchors, schema)
    found: dict[int, Line] = {at: list(lines[at]) for at in anchors}
    for at, line in enumerate(lines):
        if at not in found:
            found[_home(at, anchors, below)] += line
    return [found[at] for at in anchors]


def _home(at: int, anchors: Sequence[int], below: bool) -> int:
    """The anchor that the line at `at` belongs to."""
    before = [anchor for anchor in anchors if anchor < at]
    after = [anchor for anchor in anchors if anchor > at]
    if below:
        return after[0] if after else before[-1]
    return before[-1] if before else after[0]


def _texts_are_above(lines: Sequence[Line], anchors: Sequence[int], schema: FieldSchema) -> bool:
    """Whether most anchors have no text of their own."""
    texts = [name for name in schema.row_names if schema.spec(name).type not in _NUMBERS]
    bare = sum(not any(_has(lines[at], name) for name in texts) for at in anchors)
    return bool(texts) and bare * 2 > len(anchors)


def _anchor(lines: Sequence[Line], schema: FieldSchema) -> str:
    """The column on which rows hang: the last of amounts or numbers that at least half as many
    lines have as have any, else the first column."""
    numbers = [name for name in schema.row_names if schema.spec(name).type in _NUMBERS]
    counts = {name: sum(_has(line, name) for line in lines) for name in numbers}
    most = max(counts.values(), default=0)
    usable = [name for name in numbers if counts[name] and counts[name] * 2 >= most]
    return usable[-1] if usable else schema.row_names[0]


def _has(line: Line, name: str) -> bool:
    return any(entity.label == name for entity in line)
