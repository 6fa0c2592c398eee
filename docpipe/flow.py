"""The configured flow: its stages in order, what each runs on, and a drawing of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from docpipe import codec, registry
from docpipe.config import Config, StageConfig
from docpipe.doctor import Check, check_all
from docpipe.errors import ConfigError, DocpipeError, SchemaError
from docpipe.stages import StageKind

_HERE = Path(__file__).parent
_SHIPPED = {name: _HERE / "parsers" / name / "tiny" for name in ("docfusion", "pabdm")}
_CARD = "model_card.json"
_CARDS = ("README.md", "model_card.md", "LICENSE")
_RULES = "rules"
_OWN = "of docpipe"
_FORCED = "reads every page as a picture"


class Part(msgspec.Struct, frozen=True):
    """A stage of the flow.

    `weights` says what it runs on: "rules", the folder of a model, or an engine; `megabytes` how
    large that is, None where it is not known; `problem` why it cannot be used here.
    """

    step: str
    name: str
    purpose: str
    weights: str = _RULES
    megabytes: float | None = None
    licence: str = _OWN
    problem: str = ""


class _ModelCard(msgspec.Struct, frozen=True):
    """What is looked at of the cards that docpipe's training writes."""

    licence: str = ""
    settings: dict[str, Any] = {}


def flow(config: Config) -> list[Part]:
    """The stages that a configuration names, in the order in which a document passes them."""
    found = {check.part: check for check in check_all()}
    return [
        *_parsing(config.parser),
        *_ocr(config, found),
        *_fields(config),
        Part("index", "terms", "finds pages by their words"),
        *_vectors(config, found),
        *_more_search(config),
        *_asking(config),
    ]


def mermaid(parts: list[Part]) -> str:
    """The flow as a Mermaid flowchart."""
    by_step = {part.step: part for part in parts}
    lines = ["flowchart LR", '  files[("files")] --> parser']
    lines += [f'  {part.step}["{_title(part)}"]' for part in parts]
    last = "parser"
    if "recognizer" in by_step:
        lines.append("  parser -- tables, formulas, figures --> recognizer")
        last = "recognizer"
    if "ocr" in by_step:
        pages = "all pages" if by_step["ocr"].purpose == _FORCED else "pages without text"
        lines.append(f"  parser -- {pages} --> ocr")
        lines.append("  ocr --> document")
    lines.append(f"  {last} --> document[/document/]")
    if "fields" in by_step:
        lines.append("  document --> fields")
        lines.append("  fields --> values[/fields/]")
    for step in ("index", "vectors", "visual", "reranker"):
        if step in by_step:
            lines.append(f"  document --> {step}")
            lines.append(f"  {step} --> agent")
    lines += [
        "  question([question]) --> agent",
        "  agent <--> reader",
        "  agent --> answer([answer])",
    ]
    if "language_model" in by_step:
        lines.append("  agent <--> language_model")
    return "\n".join(lines) + "\n"


def _title(part: Part) -> str:
    size = f", {part.megabytes:.0f} MB" if part.megabytes else ""
    return f"{part.step.replace('_', ' ')}: {part.name}{size}".replace('"', "'")


def _parsing(parser: StageConfig) -> Iterator[Part]:
    """The parser; of the one that has tables and formulas read anew, its two parts."""
    if parser.name != "elements":
        yield _staged("parser", parser, "reads pages")
        return
    options = parser.options
    base = StageConfig(str(options.get("base", "native")), dict(options.get("base_options", {})))
    reads = StageConfig(
        str(options.get("recognizer", "docfusion")), dict(options.get("options", {}))
    )
    kinds = options.get("kinds", ("table", "formula"))
    yield _staged("parser", base, "reads pages")
    yield _staged("recognizer", reads, f"reads {' and '.join(map(str, kinds))} crops anew")


def _ocr(config: Config, found: dict[str, Check]) -> Iterator[Part]:
    if config.ocr_mode == "off":
        return
    when = _FORCED if config.ocr_mode == "force" else "reads scans"
    engine = str(config.ocr.options.get("engine", "auto"))
    rapid, tesseract = found["rapidocr"], found["tesseract"]
    if config.ocr.name != "ocr":
        yield _staged("ocr", config.ocr, when)
        return
    chosen = tesseract if engine == "tesseract" else rapid
    if engine == "auto" and tesseract.state == "ok":
        chosen = tesseract
    yield Part(
        "ocr",
        f"ocr ({engine})",
        when,
        weights=chosen.part,
        megabytes=_size_in(chosen.detail),
        licence="Apache-2.0",
        problem="" if chosen.state == "ok" else chosen.remedy,
    )


def _fields(config: Config) -> Iterator[Part]:
    if config.entities is None:
        return
    from docpipe.parsers.entities.extraction import weights_folder

    purpose = f"finds the fields of {config.entities.schema}"
    try:
        folder = weights_folder(config.entities)
    except DocpipeError as error:
        yield Part("fields", config.entities.name, purpose, "none", licence="", problem=str(error))
        return
    yield _weighed("fields", config.entities.name, purpose, folder)


def _vectors(config: Config, found: dict[str, Check]) -> Iterator[Part]:
    if not config.dense:
        return
    minilm = found["minilm"]
    purpose = "finds pages by their meaning"
    if config.embedder != StageConfig("minilm"):
        yield _staged("vectors", config.embedder, purpose, "embedder")
        return
    yield Part(
        "vectors",
        "minilm",
        purpose,
        weights="all-MiniLM-L6-v2",
        megabytes=_size_in(minilm.detail),
        licence="Apache-2.0",
        problem="" if minilm.state == "ok" else minilm.remedy,
    )


def _more_search(config: Config) -> Iterator[Part]:
    if config.visual is not None:
        stage = StageConfig(config.visual.name, config.visual.options)
        yield _staged("visual", stage, "finds pages by what they look like", "visual_embedder")
    if config.reranker is not None:
        yield _staged("reranker", config.reranker, "puts the first pages in order again")


def _asking(config: Config) -> Iterator[Part]:
    yield _staged("reader", config.reader, "reads pages for a question")
    yield _staged("agent", config.agent, "searches, reads and answers")
    if config.language_model is not None:
        yield _staged("language_model", config.language_model, "decides and reads in words")


def _staged(step: str, stage: StageConfig, purpose: str, kind: StageKind | None = None) -> Part:
    """A stage by its settings: weights are the folder that its options name, or the shipped one; a
    `model` may also be one of a hub."""
    options = ", ".join(f"{key}={value}" for key, value in sorted(stage.options.items()))
    name = f"{stage.name} ({options})" if options else stage.name
    weights, model = stage.options.get("weights"), stage.options.get("model")
    try:
        registry.resolve(kind or step, stage.name)  # type: ignore[arg-type]
    except ConfigError as error:
        return Part(step, name, purpose, problem=str(error))
    if weights is None and model is not None and not Path(str(model)).is_dir():
        return Part(step, name, purpose, str(model), licence="of its maker")
    folder = weights or model or _SHIPPED.get(stage.name)
    return _weighed(step, name, purpose, Path(str(folder)) if folder else None)


def _weighed(step: str, name: str, purpose: str, folder: Path | None) -> Part:
    if folder is None:
        return Part(step, name, purpose)
    if not folder.is_dir():
        lacking = f"there is no folder {folder}"
        return Part(step, name, purpose, "none", licence="", problem=lacking)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
    return Part(step, name, purpose, str(folder), size, _licence(folder))


def _licence(folder: Path) -> str:
    """The licence that a model card names, as docpipe's training writes it, or in a line
    "license: …", as model hubs have it."""
    if (folder / _CARD).is_file():
        try:
            card = codec.decode((folder / _CARD).read_bytes(), _ModelCard)
        except SchemaError:
            return "not stated"  # it is damaged
        if found := card.licence or card.settings.get("licence"):
            return str(found)
    for name in _CARDS:
        if (folder / name).is_file():
            for line in (folder / name).read_text("utf-8", "replace").splitlines():
                key, colon, value = line.partition(":")
                if colon and key.strip().lower() in ("license", "licence"):
                    return value.strip().strip("\"'")
    return _OWN if folder.is_relative_to(Path(__file__).parent) else "not stated"


def _size_in(detail: str) -> float | None:
    """Megabytes in what doctor says: "3 models, 15 MB"."""
    words = detail.replace(",", "").split()
    return next((float(n) for n, unit in itertools.pairwise(words) if unit == "MB"), None)
