"""Fields of documents: the classifier that finds entities, and the values they make."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from docpipe import registry
from docpipe.config import EntitiesConfig
from docpipe.errors import ConfigError, ModelError
from docpipe.parsers.entities.schema import BUILT_IN, FieldSchema, find_schema
from docpipe.parsers.entities.values.calendars import order_of_locale
from docpipe.parsers.entities.values.fields import fields_of
from docpipe.records import Document, Entity, Field
from docpipe.stages import EntityClassifier

_WEIGHTS = Path(__file__).parent / "weights"
_MODEL_FILE = "model.safetensors"


class FieldExtractor:
    """Puts entities and fields into documents. Raises ConfigError for a locale that is not known.

    With scope "page" each page is a document of its own, as in a file of many receipts. `locale`
    ("de_DE") says how dates and amounts are written where that is known.
    """

    def __init__(
        self,
        classifier: EntityClassifier,
        schema: FieldSchema,
        *,
        locale: str | None = None,
        scope: Literal["document", "page"] = "document",
    ) -> None:
        self._classifier = classifier
        self._schema = schema
        if locale is not None:
            order_of_locale(locale)
        self._locale = locale
        self._scope = scope

    def extract(self, document: Document) -> Document:
        """The document with its entities and fields."""
        entities = tuple(self._classifier.classify(document))
        return msgspec.structs.replace(
            document, entities=entities, fields=self._fields(document, entities)
        )

    def _fields(self, document: Document, entities: Sequence[Entity]) -> tuple[Field, ...]:
        if self._scope == "document":
            return fields_of(document, entities, self._schema, self._locale)
        return tuple(
            field
            for page in document.pages
            for field in fields_of(
                msgspec.structs.replace(
                    document,
                    pages=(page,),
                    form_fields=tuple(
                        f for f in document.form_fields if f.region and f.region.page == page.number
                    ),
                ),
                [e for e in entities if e.source.regions[0].page == page.number],
                self._schema,
                self._locale,
            )
        )


def build_extractor(config: EntitiesConfig) -> FieldExtractor:
    """The extractor that `config` names, its weights loaded. Raises ConfigError, ModelError."""
    schema = find_schema(config.schema)
    weights = weights_folder(config)
    given = {"weights": weights, "scope": config.scope} if weights else {"scope": config.scope}
    classifier = registry.build("classifier", config.name, config.options, given)
    unknown = sorted(set(getattr(classifier, "labels", ())) - set(schema.labels))
    if unknown:
        raise ConfigError(
            f"the weights know a field {unknown[0]!r}, which schema {config.schema!r} has not",
            hint="give the schema that the weights were trained with",
        )
    return FieldExtractor(classifier, schema, locale=config.locale, scope=config.scope)


def weights_folder(config: EntitiesConfig) -> Path | None:
    """The folder of the weights: the one given, else that of a built-in schema; None where the
    classifier is not docpipe's own. Raises ConfigError for a schema of one's own without weights,
    ModelError where there are none."""
    if config.name != "knnformer":
        return Path(config.weights) if config.weights else None
    if config.weights is None and config.schema not in BUILT_IN:
        raise ConfigError(
            f"schema {config.schema!r} needs weights of its own",
            code="no_weights",
            hint="train them (docs/extraction.md) and name their folder with --weights",
        )
    folder = Path(config.weights) if config.weights else _WEIGHTS / config.schema
    if not (folder / _MODEL_FILE).is_file():
        raise ModelError(
            f"no trained entity model in {folder}",
            code="no_weights",
            hint="train one (docs/extraction.md) and name its folder with --weights",
        )
    return folder


def shipped_weights() -> dict[str, int]:
    """The built-in schemas that have weights here, with the size of their folder in bytes."""
    sizes = {
        name: sum(file.stat().st_size for file in (_WEIGHTS / name).glob("*") if file.is_file())
        for name in BUILT_IN
    }
    return {name: size for name, size in sizes.items() if size}


def digest(config: EntitiesConfig) -> str:
    """Of all that the fields of a document depend on besides the document. Raises ConfigError,
    ModelError."""
    folder = weights_folder(config)
    content = (folder / _MODEL_FILE).read_bytes() if folder else b""
    parts = (msgspec.json.encode((config, find_schema(config.schema)), order="sorted"), content)
    return hashlib.sha256(b"".join(parts)).hexdigest()[:12]
