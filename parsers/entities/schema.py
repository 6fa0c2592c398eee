"""Which fields a document has, and how often each may stand on it.

A TOML file with a table per field:

    [[field]]
    name = "total"
    cardinality = "one"      # at most one entity; "many" (the default) is never capped
    required = true          # one-fields only: some entity gets it, however low its score
    type = "money"           # how its text is read: text (the default), company, date, money, number

Fields called `item.…` are the columns of the document's rows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from docpipe.errors import ConfigError

OTHER = "other"
Cardinality = Literal["one", "many"]
FieldType = Literal["text", "company", "date", "money", "number"]


class FieldSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    cardinality: Cardinality = "many"
    required: bool = False
    type: FieldType = "text"


class FieldSchema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields in the order of their classes 1, 2, …; class 0 is always OTHER.

    Raises ConfigError for a schema that cannot be meant.
    """

    fields: tuple[FieldSpec, ...]

    def __post_init__(self) -> None:
        seen = {OTHER}
        for field in self.fields:
            if not field.name.strip():
                raise ConfigError("a field has no name", hint="give each field a name")
            if field.name in seen:
                taken = "the class of no field" if field.name == OTHER else "defined twice"
                raise ConfigError(f"field {field.name!r} is {taken}", hint="use another name")
            if field.required and field.cardinality == "many":
                raise ConfigError(
                    f"field {field.name!r} is required but may stand many times",
                    hint='required needs cardinality = "one"',
                )
            seen.add(field.name)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the classes, OTHER first."""
        return (OTHER, *(field.name for field in self.fields))

    @property
    def ones(self) -> tuple[int, ...]:
        """Classes of the fields that have at most one entity."""
        return self._classes(lambda field: field.cardinality == "one")

    @property
    def required(self) -> tuple[int, ...]:
        """Classes of the fields that must have an entity."""
        return self._classes(lambda field: field.required)

    def class_of(self, label: str) -> int:
        """The class called `label`. Raises ConfigError for a label that is no field."""
        try:
            return self.labels.index(label)
        except ValueError:
            raise ConfigError(
                f"label {label!r} is no field of the schema",
                hint=f"fields: {', '.join(self.labels)}",
            ) from None

    def _classes(self, wanted: Callable[[FieldSpec], bool]) -> tuple[int, ...]:
        return tuple(at for at, field in enumerate(self.fields, start=1) if wanted(field))


def load_schema(path: Path) -> FieldSchema:
    """The schema in a TOML file. Raises ConfigError that names the file and what is wrong."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        fields = msgspec.convert(data, _SchemaFile).field
        return FieldSchema(fields)
    except FileNotFoundError as error:
        raise ConfigError(f"no such field schema: {path}") from error
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"field schema {path}: {error}", hint='write [[field]] and name = "…" below it'
        ) from error


class _SchemaFile(msgspec.Struct, forbid_unknown_fields=True):
    field: tuple[FieldSpec, ...]
