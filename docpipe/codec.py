"""JSON of records: lossless, checked on reading, with a schema number."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from docpipe.errors import SchemaError
from docpipe.records import SCHEMA_VERSION, Document

T = TypeVar("T")


class _Versioned(msgspec.Struct):
    schema: int


def encode(record: object) -> bytes:
    """Compact UTF-8 JSON, the same bytes for equal records."""
    return msgspec.json.encode(record)


def decode(data: bytes | str, type: type[T]) -> T:
    """The record in `data`. Raises SchemaError with the JSON path of what does not fit."""
    return _decode(data, type, type.__name__)


def decode_document(data: bytes | str) -> Document:
    """A Document of this or an older schema. Raises SchemaError for a newer one."""
    return decode_versioned(data, Document, "document")


def decode_versioned(data: bytes | str, type: type[T], what: str) -> T:
    """The record in `data`, its schema number checked first. Raises SchemaError (`newer_schema`
    when this version does not know that number)."""
    _check_version(_decode(data, _Versioned, type.__name__).schema, what)
    return decode(data, type)


def _decode(data: bytes | str, type: type[T], name: str) -> T:
    try:
        return msgspec.json.decode(data, type=type)
    except msgspec.MsgspecError as error:
        raise SchemaError(
            f"not a valid {name}: {error}", hint="the file is damaged: make it again"
        ) from error


def _check_version(found: int, what: str) -> None:
    if not 1 <= found <= SCHEMA_VERSION:
        raise SchemaError(
            f"this {what} has schema {found}; this docpipe reads up to {SCHEMA_VERSION}",
            code="newer_schema",
            hint="upgrade docpipe",
        )
