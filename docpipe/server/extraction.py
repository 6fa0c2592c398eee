"""Which fields a server can be asked for. Clients name a schema; they never name files."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from docpipe.config import EntitiesConfig
from docpipe.errors import ConfigError
from docpipe.export.fields import Extracted, fields_csv, pairs_csv, rows_csv, values_of
from docpipe.parsers.entities.schema import BUILT_IN, FieldSchema
from docpipe.server.models import SchemaName
from docpipe.server.settings import Settings

CONFIGURED: SchemaName = "configured"
TITLES: dict[SchemaName, str] = {
    "receipt": "Receipts",
    "invoice": "Invoices",
    "id": "Identity documents",
    "form": "Forms",
    "configured": "Your own fields",
}


def choices(settings: Settings) -> dict[SchemaName, EntitiesConfig]:
    """The settings of each schema that may be asked for: those built in, and one of the
    configuration, which takes the place of the built-in one of its name."""
    own = settings.config.entities
    found: dict[SchemaName, EntitiesConfig] = {
        name: EntitiesConfig(schema=name) for name in TITLES if name in BUILT_IN
    }
    if own is not None:
        name = next((name for name in found if name == own.schema), CONFIGURED)
        found[name] = replace(own, scope="document")
    return found


def chosen(settings: Settings, name: SchemaName, locale: str | None) -> EntitiesConfig:
    """The settings of a schema. Raises ConfigError where none of that name is configured."""
    found = choices(settings).get(name)
    if found is None:
        raise ConfigError(
            "no fields of your own are configured",
            code="unknown_schema",
            hint="start docpipe serve with --schema FILE --weights FOLDER",
        )
    return replace(found, locale=locale) if locale else found


def as_csv(found: Sequence[Extracted], schema: FieldSchema, *, rows: bool) -> str:
    """A line for each document, each item of its tables, or for forms each field."""
    if rows:
        return rows_csv(found, schema.row_names)
    if schema.links_answers:
        return pairs_csv(found)
    whole = [
        replace(each, values=values_of(field for field in each.fields if field.row is None))
        for each in found
    ]
    return fields_csv(whole, schema.single_names)
