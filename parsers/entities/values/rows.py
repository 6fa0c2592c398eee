"""Line items: the entities of columns grouped into rows.

A row hangs on a line with its amount (where there is none, its price, quantity or description).
Lines without belong to the row above or below, all the same way: whichever gives fewer rows that
have a number twice or no text, and fewer lines at the ends that would go the other way. Receipts
print "2 x 3.50  7.00" under the name of an article, or above it.
"""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Collection, Sequence

import msgspec

from docpipe.parsers.entities.schema import ROW_PREFIX, FieldSchema
from docpipe.parsers.entities.values.assembly import make_field
from docpipe.parsers.entities.values.layout import place, rows
from docpipe.parsers.entities.values.reading import Context, read_value
from docpipe.records import Entity, Field

Line = list[Entity]

_NUMBERS = ("money", "number")
_QUANTITY, _PRICE = f"{ROW_PREFIX}quantity", f"{ROW_PREFIX}unit_price"
_DESCRIPTION = f"{ROW_PREFIX}description"
_COUNTED = re.compile(r"(\d{1,3})\s?[xX×]?\s+(?=.*[^\W\d_]{2})(.+)", re.DOTALL)
_TIMES = re.compile(
    r"(\d+(?:[.,]\d+)?\s*[^\W\d_]{0,4})\s*[x×@*]\s*@?\s*(\D{0,4}\d.*)", re.IGNORECASE
)


def row_fields(entities: Sequence[Entity], schema: FieldSchema, context: Context) -> list[Field]:
    """The fields of the rows of a document, numbered from 1 over all pages."""
    columns = [entity for entity in entities if entity.label in schema.row_names]
    pages = sorted({place(entity)[0] for entity in columns})
    grouped = [
        row for page in pages for row in _group([e for e in columns if place(e)[0] == page], schema)
    ]
    fields = [
        field
        for number, row in enumerate(grouped, start=1)
        for field in _fields_of_row(row, number, schema, context)
    ]
    return _with_counts(_without_numbers(fields))


def _with_counts(fields: list[Field]) -> list[Field]:
    """The fields with the counts that all descriptions begin with, where no quantity is printed
    otherwise, as in "3 COFFEE"."""
    texts = [field for field in fields if field.name == _DESCRIPTION]
    starts = [_COUNTED.match(str(field.value)) for field in texts]
    if len(texts) < 2 or not all(starts) or any(field.name == _QUANTITY for field in fields):
        return fields
    found: list[Field] = []
    for field in fields:
        start = _COUNTED.match(str(field.value)) if field.name == _DESCRIPTION else None
        found += _parted(field, start) if start else [field]
    return found


def _parted(field: Field, start: re.Match[str]) -> list[Field]:
    """A description and the quantity in front of it."""
    return [
        msgspec.structs.replace(field, name=_DESCRIPTION, value=start[2], notes=()),
        msgspec.structs.replace(field, name=_QUANTITY, value=int(start[1]), notes=()),
    ]


def _fields_of_row(row: Line, number: int, schema: FieldSchema, context: Context) -> list[Field]:
    found = {
        name: make_field(parts, schema.spec(name), context, row=number)
        for name in schema.row_names
        for parts in [[entity for entity in row if entity.label == name]]
        if parts
    }
    if {_QUANTITY, _PRICE} <= set(schema.row_names) and len({_QUANTITY, _PRICE} & set(found)) == 1:
        found |= _count_and_price(
            next(found[n] for n in (_QUANTITY, _PRICE) if n in found), schema, context
        )
    start = _COUNTED.match(found[_QUANTITY].raw) if _QUANTITY in found else None
    if start and _DESCRIPTION in schema.row_names and _DESCRIPTION not in found:
        found |= {field.name: field for field in _parted(found[_QUANTITY], start)}
    return [found[name] for name in schema.row_names if name in found]


def _count_and_price(field: Field, schema: FieldSchema, context: Context) -> dict[str, Field]:
    """Both fields of a text such as "2 x 3.50"."""
    match = _TIMES.match(field.raw)
    if match is None:
        return {}
    parts = zip((_QUANTITY, _PRICE), match.groups(), strict=True)
    read = {name: read_value(schema.spec(name), [text], context) for name, text in parts}
    return {
        name: msgspec.structs.replace(
            field, name=name, value=value.value, notes=value.notes, unit=value.unit
        )
        for name, value in read.items()
    }


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
    texts = _texts(schema)
    above, below = (_gathered(lines, anchors, texts, below) for below in (False, True))
    loose = anchors[0], len(lines) - 1 - anchors[-1]  # lines before the first row, after the last
    costs = [
        _flaws(found, schema) + some for found, some in zip((above, below), loose, strict=True)
    ]
    # A text before the first row has no other row to belong to; one after the last may be a wish.
    return below if costs[1] < costs[0] or (costs[1] == costs[0] and loose[0]) else above


def _gathered(
    lines: Sequence[Line], anchors: Sequence[int], texts: Collection[str], below: bool
) -> list[Line]:
    """The lines with the anchor above them, or `below`: there as many as most rows have, since what
    is more, such as a guest's wish, goes on with the row above. A row without text of its own has
    the line right above it in any case."""
    found = [list(lines[at]) for at in anchors]
    gaps = [range(before + 1, at) for before, at in itertools.pairwise((-1, *anchors))]
    usual = statistics.mode(map(len, gaps)) if below else 0
    for number, (anchor, gap) in enumerate(zip(anchors, gaps, strict=True)):
        bare = not any(_has(lines[anchor], name) for name in texts)
        for at in gap:
            is_next = number == 0 or at >= gap.stop - max(usual, int(bare))
            found[number if is_next else number - 1] += lines[at]
    for line in lines[anchors[-1] + 1 :]:
        found[-1] += line
    return found


def _texts(schema: FieldSchema) -> list[str]:
    """The columns that hold no numbers."""
    return [name for name in schema.row_names if schema.spec(name).type not in _NUMBERS]


def _flaws(found: Sequence[Line], schema: FieldSchema) -> int:
    """How many rows have a number twice, or no text where there are texts."""
    texts = _texts(schema)
    numbers = [name for name in schema.row_names if name not in texts]
    twice = sum(any(_count(row, name) > 1 for name in numbers) for row in found)
    bare = [not any(_has(row, name) for name in texts) for row in found]
    return twice + (0 if all(bare) else sum(bare))


def _anchor(lines: Sequence[Line], schema: FieldSchema) -> str:
    """The column on which rows hang: the last of amounts or numbers that at least half as many
    lines have as have any, else the first column."""
    numbers = [name for name in schema.row_names if schema.spec(name).type in _NUMBERS]
    counts = {name: sum(_has(line, name) for line in lines) for name in numbers}
    most = max(counts.values(), default=0)
    usable = [name for name in numbers if counts[name] and counts[name] * 2 >= most]
    return usable[-1] if usable else schema.row_names[0]


def _has(line: Line, name: str) -> bool:
    return _count(line, name) > 0


def _count(line: Line, name: str) -> int:
    return sum(entity.label == name for entity in line)
