"""Whether a field has the value that a reader wrote down, and F1 over many."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from docpipe.parsers.entities.schema import FieldSchema, FieldSpec
from docpipe.parsers.entities.values.reading import Context, read_value
from docpipe.records import Field


class ValueScores(NamedTuple):
    """F1 in 0..1 over all values, and of each field."""

    micro: float
    fields: dict[str, float]


def is_right(field: Field, gold: str, spec: FieldSpec, context: Context) -> bool:
    """Whether a field's value is what `gold` says.

    Amounts are compared as numbers and dates as days; a date that the document leaves ambiguous is
    right where its text is the one written down. All else is compared by its letters and digits in
    upper case.
    """
    if spec.type in ("money", "number", "date", "birth_date"):
        wanted = read_value(spec, [gold], context).value
        if wanted is not None and field.value is not None:
            return field.value == wanted
    if field.value is None:
        return bool(_fold(gold)) and _fold(gold) in _fold(field.raw)
    return _fold(str(field.value)) == _fold(gold)


def score_values(
    documents: Iterable[tuple[Sequence[Field], Mapping[str, str], Context]], schema: FieldSchema
) -> ValueScores:
    """F1 of fields against the values written down, given with each document's context.

    Of fields of the same name only the first counts; an empty value is none.
    """
    hits, found, wanted = (dict.fromkeys(schema.labels[1:], 0) for _ in range(3))
    for fields, values, context in documents:
        first = {field.name: field for field in reversed(fields)}
        gold = {name: value for name, value in values.items() if value.strip()}
        for name in gold:
            wanted[name] += 1
        for name, field in first.items():
            found[name] += 1
            if name in gold and is_right(field, gold[name], schema.spec(name), context):
                hits[name] += 1
    used = [name for name in found if found[name] or wanted[name]]
    return ValueScores(
        _f1(sum(hits.values()), sum(found.values()), sum(wanted.values())),
        {name: _f1(hits[name], found[name], wanted[name]) for name in used},
    )


def _f1(hits: int, found: int, wanted: int) -> float:
    return 2 * hits / max(found + wanted, 1)


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).upper()
    return re.sub(r"[\W_]", "", plain)
