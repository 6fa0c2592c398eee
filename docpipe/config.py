"""One TOML file, a table per stage; every key can be set from the command line too.

[parser]            name = "native", and the options of its constructor
[ocr]               name = "ocr"; engine = "auto" | "tesseract" | "rapidocr"; dpi; languages
[entities]          schema = "receipt" | "invoice" | "id" | "form" | "own.toml"; weights; locale
[visual]            name = "colvision"; model = a folder or hub id; nearest; dpi
[reranker]          name = "cross_encoder"; model = a folder or hub id
[reader] [agent] [language_model]
[limits]            page_timeout, document_timeout, memory caps, sizes
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from docpipe.errors import ConfigError


class StageConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The name of a stage and its constructor's options."""

    name: str
    options: dict[str, Any] = {}


class EntitiesConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which fields are looked for, and by what.

    `schema` is a built-in name or a TOML file, `weights` the folder of the model's weights (those
    of the built-in schema without it), `locale` how dates and amounts are written ("de_DE"; else
    the document decides). With `scope` "page" each page is a document of its own. `options` go to
    the classifier `name`.
    """

    schema: str
    name: str = "knnformer"
    weights: str | None = None
    locale: str | None = None
    scope: Literal["document", "page"] = "document"
    options: dict[str, Any] = {}


class VisualConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What makes vectors of page images, at `dpi` dots an inch, and how they are searched.

    `nearest`: so many vectors, found by faiss, choose the pages that are scored for each vector of
    a query; 0 scores all pages. `options` go to the visual embedder `name`.
    """

    name: str = "colvision"
    nearest: Annotated[int, msgspec.Meta(ge=0)] = 0
    dpi: Annotated[float, msgspec.Meta(gt=0, le=600)] = 110.0
    options: dict[str, Any] = {}

    @property
    def made_by(self) -> str:
        """What vectors depend on, short enough for a file's name."""
        options = {key: self.options[key] for key in self.options if key not in _OF_THE_MACHINE}
        made_by = msgspec.json.encode((self.name, options, self.dpi), order="sorted")
        return hashlib.sha256(made_by).hexdigest()[:12]


_OF_THE_MACHINE = {"device", "batch_size", "download"}


OCR_SHARE = 1 / 3
"""Of `page_timeout`: what a page for OCR adds to the time of its document."""


Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
Count = Annotated[int, msgspec.Meta(ge=1)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bounds of an ingest. Times in seconds, memory as address space in MiB, file size in MiB.

    `page_timeout` is wall clock for one page in one stage; `document_timeout` bounds the working
    time that all pages of a document take together, in whatever number of workers. Each page that
    needs OCR adds a third of `page_timeout` to it. `answer_timeout` bounds an answer that a server
    gives, and the fields of a document that it looks for.
    """

    page_timeout: Seconds = 30.0
    document_timeout: Seconds = 300.0
    answer_timeout: Seconds = 180.0
    parse_memory: Count = 2048
    ocr_memory: Count = 3072
    model_memory: Count = 6144
    pages_per_worker: Count = 200
    max_file_size: Count = 1024
    max_pages: Count = 20_000


OcrMode = Literal["auto", "off", "force"]
Fusion = Literal["sum", "rrf"]
RetrieverName = Literal["text", "visual", "fused"]


class Config(msgspec.Struct, frozen=True):
    """The configured stages. `dense` switches the vector index on; it needs the extra `models`.

    `retriever` is what pages are found by: their "text", "visual" (what they look like; needs
    `visual`), or both "fused". A `reranker` puts the first of them in order again.

    `fusion` says how the rankings by terms and by vectors are joined: their scores are added
    ("sum"), or their ranks ("rrf": reciprocal rank fusion, which knows no scores that compare).
    Measured with MiniLM, page recall at 1, 3, 5 and 10 on the development documents of
    MMLongBench-Doc: terms alone 53.4/74.2/82.8/90.7, sum 53.7/74.7/83.3/91.7, rrf
    39.0/62.9/70.3/87.4. Text and looks are joined alike.
    """

    parser: StageConfig = StageConfig("native")
    ocr: StageConfig = StageConfig("ocr")
    ocr_mode: OcrMode = "auto"
    dense: bool = False
    fusion: Fusion = "sum"
    retriever: RetrieverName = "text"
    visual: VisualConfig | None = None
    reranker: StageConfig | None = None
    entities: EntitiesConfig | None = None
    embedder: StageConfig = StageConfig("minilm")
    reader: StageConfig = StageConfig("extractive")
    agent: StageConfig = StageConfig("mmdocr1")
    language_model: StageConfig | None = None
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if self.retriever != "text" and self.visual is None:
            raise ConfigError(
                f"retriever {self.retriever!r} needs [visual]",
                hint="name the model in visual.model",
            )


SHIPPED = Path(__file__).parent / "configs"
"""Configurations that come with docpipe and are found by their name."""

_STAGES = {"parser", "ocr", "embedder", "reranker", "reader", "agent", "language_model"}


def load(path: Path | None = None, overrides: Sequence[str] = ()) -> Config:
    """The configuration in a TOML file with `key=value` overrides; where there is no such file, the
    shipped one of that name. Raises ConfigError."""
    data: dict[str, Any] = {}
    if path is not None:
        try:
            data = tomllib.loads(_found(path).read_text("utf-8"))
        except FileNotFoundError as error:
            shipped = ", ".join(sorted(file.name for file in SHIPPED.glob("*.toml")))
            raise ConfigError(
                f"no such configuration file: {path}", hint=f"docpipe comes with {shipped}"
            ) from error
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path} cannot be read as TOML: {error}") from error
    for override in overrides:
        _apply(data, override)
    return from_mapping(data)


def _found(path: Path) -> Path:
    shipped = SHIPPED / path.name
    return shipped if not path.exists() and path == Path(path.name) and shipped.exists() else path


def from_mapping(data: Mapping[str, Any]) -> Config:
    """The configuration in a mapping shaped like the TOML file. Raises ConfigError."""
    known = {field.name for field in msgspec.structs.fields(Config)}
    for key in data:
        if key not in known:
            raise ConfigError(f"unknown setting {key!r}", hint=f"known: {', '.join(sorted(known))}")
    shaped = {
        key: _stage_table(key, value) if key in _STAGES else value for key, value in data.items()
    }
    if "entities" in shaped:
        shaped["entities"] = _entities_table(shaped["entities"])
    if isinstance(visual := shaped.get("visual"), Mapping):
        shaped["visual"] = _with_options(visual, VisualConfig)
    try:
        return msgspec.convert(shaped, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(f"configuration: {error}") from error


def _stage_table(key: str, value: object) -> object:
    if not isinstance(value, Mapping):
        raise ConfigError(f"[{key}] must be a table", hint=f'write [{key}] and name = "…" below it')
    default = getattr(Config(), key)
    name = value.get("name", default.name if default else None)
    if not isinstance(name, str):
        raise ConfigError(f"[{key}] needs a name")
    return {"name": name, "options": {k: v for k, v in value.items() if k != "name"}}


def _entities_table(value: object) -> object:
    if not isinstance(value, Mapping) or "schema" not in value:
        raise ConfigError("[entities] needs a schema", hint='such as schema = "receipt"')
    return _with_options(value, EntitiesConfig)


def _with_options(value: Mapping[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    """A table whose keys that `kind` does not know are options of the stage."""
    known = {field.name for field in msgspec.structs.fields(kind)}
    own = {key: part for key, part in value.items() if key in known}
    return own | {"options": {key: part for key, part in value.items() if key not in known}}


def _apply(data: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise ConfigError(f"--set {override!r} is not of the form key=value")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    *tables, last = key.split(".")
    for table in tables:
        data = data.setdefault(table, {})
        if not isinstance(data, dict):
            raise ConfigError(f"--set {override!r}: {table!r} is not a table")
    data[last] = value
