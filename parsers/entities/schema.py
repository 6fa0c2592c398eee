"""Which fields a document has, how their text is read, and what must be true of their values.

A TOML file with a table per field, and one per check:

    [[field]]
    name = "total"
    cardinality = "one"      # at most one entity; "many" (the default) is never capped
    required = true          # one-fields only: some entity gets it, however low its score
    type = "money"           # how its text is read, see FieldType; "text" is the default

    [[check]]
    kind = "sum"             # of fields, those with a minus taken off
    fields = ["subtotal", "tax", "-discount"]
    equals = ["total"]

The entities of a many-field are lines of one value; with `repeated = true` each place where they
stand is a value of its own. `beside` names the field that it stands at, as an address does at a
name: of several places the one there is taken. Fields called `item.…` are the columns of the
document's rows. Where there are a `question` and an `answer`, answers are linked to questions.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from docpipe.errors import ConfigError

OTHER = "other"
ROW_PREFIX = "item."
QUESTION, ANSWER = "question", "answer"
BUILT_IN = ("receipt", "invoice", "id", "form")
Cardinality = Literal["one", "many"]
FieldType = Literal[
    "text",
    "address",
    "code",
    "company",
    "date",
    "birth_date",
    "sex",
    "money",
    "number",
    "iban",
    "bic",
    "tax_id",
    "mrz",
]
CheckKind = Literal["sum", "product", "ascending"]


class FieldSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    cardinality: Cardinality = "many"
    required: bool = False
    type: FieldType = "text"
    repeated: bool = False
    beside: str = ""


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must be true of values; it is reported where it is not, and nothing is corrected.

    A `sum` or a `product` of `fields` is the first of `equals` that the document has: a sum with
    or without its second and later fields, which not every document adds. The values of
    `ascending` fields, such as dates, come one after another. Fields of rows are multiplied row by
    row, and added over all rows.
    """

    kind: CheckKind
    fields: tuple[str, ...]
    equals: tuple[str, ...] = ()


class FieldSchema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields in the order of their classes 1, 2, …; class 0 is always OTHER.

    Raises ConfigError for a schema that cannot be meant.
    """

    fields: tuple[FieldSpec, ...]
    checks: tuple[Check, ...] = ()

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
            if field.repeated and field.cardinality == "one":
                raise ConfigError(
                    f"field {field.name!r} is repeated but stands once",
                    hint='repeated needs cardinality = "many"',
                )
            if field.beside and field.beside not in seen:
                raise ConfigError(
                    f"field {field.name!r} stands beside {field.beside!r}, which is no field",
                    hint="name a field defined before it",
                )
            seen.add(field.name)
        for check in self.checks:
            _validate(check, seen)

    def spec(self, name: str) -> FieldSpec:
        """The field called `name`. Raises ConfigError where there is none."""
        return self.fields[self.class_of(name) - 1]

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the classes, OTHER first."""
        return (OTHER, *(field.name for field in self.fields))

    @property
    def single_names(self) -> tuple[str, ...]:
        """Names of the fields besides those of rows."""
        return tuple(f.name for f in self.fields if not f.name.startswith(ROW_PREFIX))

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the fields that are columns of rows."""
        return tuple(f.name for f in self.fields if f.name.startswith(ROW_PREFIX))

    @property
    def links_answers(self) -> bool:
        """Whether it is a form's schema, whose answers are linked to questions."""
        return {QUESTION, ANSWER} <= set(self.labels)

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


def _validate(check: Check, fields: set[str]) -> None:
    for name in (*check.fields, *check.equals):
        if name.removeprefix("-") not in fields - {OTHER}:
            raise ConfigError(
                f"a check names {name!r}, which is no field",
                hint=f"fields: {', '.join(sorted(fields - {OTHER}))}",
            )
    if not check.fields or bool(check.equals) == (check.kind == "ascending"):
        raise ConfigError(
            f"a check of kind {check.kind!r} is not whole",
            hint="give it fields, and equals unless it is ascending",
        )


def find_schema(name: str) -> FieldSchema:
    """The built-in schema called `name`, or the one in the TOML file of that path. Raises
    ConfigError."""
    if name in BUILT_IN:
        return load_schema(Path(__file__).parent / "schemas" / f"{name}.toml")
    if not name.endswith(".toml"):
        raise ConfigError(
            f"unknown field schema {name!r}", hint=f"{', '.join(BUILT_IN)}, or a TOML file"
        )
    return load_schema(Path(name))


def load_schema(path: Path) -> FieldSchema:
    """The schema in a TOML file. Raises ConfigError that names the file and what is wrong."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        found = msgspec.convert(data, _SchemaFile)
        return FieldSchema(found.field, found.check)
    except FileNotFoundError as error:
        raise ConfigError(f"no such field schema: {path}", hint="check the path") from error
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"field schema {path}: {error}", hint='write [[field]] and name = "…" below it'
        ) from error
    except ConfigError as error:
        raise ConfigError(f"field schema {path}: {error.message}", hint=error.hint) from error


class _SchemaFile(msgspec.Struct, forbid_unknown_fields=True):
    field: tuple[FieldSpec, ...]
    check: tuple[Check, ...] = ()
