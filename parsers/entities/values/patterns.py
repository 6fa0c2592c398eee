"""Values that prove themselves, looked for in all of a document where no entity gave them.

An IBAN with right check digits, the BIC that stands beside one or is called one, and a machine
readable zone are what they are, whatever else stands in their line.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from docpipe.geometry import BBox
from docpipe.parsers.entities.schema import FieldSchema, FieldSpec
from docpipe.parsers.entities.values import identifiers, mrz
from docpipe.records import Field, Region, Source

STAGE = "patterns"
NOTE = "found_by_pattern"
FROM_ZONE = "from_mrz"
_BANK_WORDS = re.compile(r"\b(?:BIC|SWIFT|IBAN)\b", re.IGNORECASE)
_ZONE_LINE = re.compile(r"[A-Z0-9<\s«]{28,}", re.IGNORECASE)


class Line(NamedTuple):
    """A run of text on a page."""

    page: int
    bbox: BBox
    text: str


def pattern_fields(
    fields: Sequence[Field], schema: FieldSchema, lines: Sequence[Line]
) -> list[Field]:
    """A field for each IBAN, BIC or machine readable zone of the schema that has no value yet, or
    one with wrong check digits, and of which the lines hold exactly one."""
    valued = {
        field.name
        for field in fields
        if field.value is not None and not any(n.startswith("check_digits") for n in field.notes)
    }
    found = [_find(spec, lines) for spec in schema.fields if spec.name not in valued]
    return [field for field in found if field is not None]


def zone_fields(fields: Sequence[Field], schema: FieldSchema) -> list[Field]:
    """The fields in the order of the schema, those without value taken from the machine readable
    zone, if one is there and its check digits are right."""
    zones = [field for field in fields if schema.spec(field.name).type == "mrz"]
    zone = mrz.read(str(zones[0].value).splitlines()) if zones and zones[0].value else None
    if zone is None or zone.problems:
        return list(fields)
    found: list[Field] = []
    for name in schema.single_names:
        printed = [field for field in fields if field.name == name]
        value = _of_zone(zone.fields.get(name, ""), schema.spec(name))
        if value and all(field.value is None for field in printed):
            base = [*printed, msgspec.structs.replace(zones[0], name=name, raw=value)][0]
            printed = [msgspec.structs.replace(base, value=value, notes=(FROM_ZONE,))]
        found += printed
    return found


def _of_zone(text: str, spec: FieldSpec) -> str | None:
    """What the zone has of a field; dates as ISO 8601, births in the past."""
    if spec.type not in ("date", "birth_date"):
        return text or None
    today = dt.date.today()
    try:
        day = dt.datetime.strptime(text, "%y%m%d").date()
    except ValueError:
        return None
    if spec.type == "birth_date" and day > today:
        day = day.replace(year=day.year - 100)
    return day.isoformat()


def _find(spec: FieldSpec, lines: Sequence[Line]) -> Field | None:
    if spec.type == "mrz":
        return _zone(spec, lines)
    if spec.type not in ("iban", "bic"):
        return None
    single = [[line] for line in lines]
    if spec.type == "bic":
        found = _hits([s for s in single if _BANK_WORDS.search(s[0].text)], identifiers.bic)
    else:
        pairs = [list(pair) for pair in itertools.pairwise(lines)]
        found = _hits(single, identifiers.iban) or _hits(pairs, identifiers.iban)
    return _field(spec, *found.popitem()) if len(found) == 1 else None


def _hits(
    candidates: Sequence[list[Line]], find: Callable[[str], tuple[str | None, str | None]]
) -> dict[str, list[Line]]:
    """The values without a problem, with the lines that have them."""
    hits: dict[str, list[Line]] = {}
    for candidate in candidates:
        value, problem = find(" ".join(line.text for line in candidate))
        if value is not None and problem is None:
            hits.setdefault(value, candidate)
    return hits


def _zone(spec: FieldSpec, lines: Sequence[Line]) -> Field | None:
    some = [line for line in lines if "<<" in line.text and _ZONE_LINE.fullmatch(line.text)]
    more = [line for line in lines if line not in some and _ZONE_LINE.fullmatch(line.text)]
    for chosen in (some, sorted([*some, *more], key=lambda line: (line.page, line.bbox.y0))):
        zone = mrz.read([line.text for line in chosen])
        if zone is not None and zone.fields and not zone.problems:
            return _field(spec, "\n".join(zone.lines), chosen)
    return None


def _field(spec: FieldSpec, value: str, lines: Sequence[Line]) -> Field:
    return Field(
        name=spec.name,
        value=value,
        raw="\n".join(line.text for line in lines),
        entities=(),
        source=Source(tuple(Region(line.page, line.bbox) for line in lines), STAGE),
        score=1.0,
        notes=(NOTE,),
    )
