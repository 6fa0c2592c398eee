"""What every OCR engine offers, and the choice between them.

An engine gets an upright image and gives words in pixels of it. Measured on 8 born-digital pages
rendered as images, one thread: Tesseract 1.3 CPU s a page with 2.6 % of the characters wrong,
RapidOCR 2.9 s and 4.5 %; RapidOCR reads Chinese, Japanese and poor photographs, which Tesseract
without their language packs does not. Hence `AutoEngine`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from docpipe.errors import ModelError
from docpipe.geometry import BBox

if TYPE_CHECKING:
    from PIL import Image

EngineName = Literal["auto", "tesseract", "rapidocr"]

SURE = 0.75  # mean confidence from which a second engine is not asked


class OcrWord(msgspec.Struct, frozen=True, gc=False):
    """A word and its box in pixels, with the number of the line that the engine found it in;
    `confidence` from 0 to 1."""

    text: str
    bbox: BBox
    confidence: float
    line: int


class OcrEngine(Protocol):
    def read(self, image: Image.Image, dpi: float) -> list[OcrWord]:
        """The words of an upright RGB image, in reading order."""
        ...


class AutoEngine:
    """Tesseract where it is installed and sure of what it reads, RapidOCR otherwise."""

    def __init__(self, first: OcrEngine, second: OcrEngine) -> None:
        self._first = first
        self._second = second

    def read(self, image: Image.Image, dpi: float) -> list[OcrWord]:
        words = self._first.read(image, dpi)
        if mean_confidence(words) >= SURE:
            return words
        other = self._second.read(image, dpi)
        return other if mean_confidence(other) >= SURE else max(words, other, key=_weight)


def mean_confidence(words: Sequence[OcrWord]) -> float:
    """By characters; 0 without words."""
    return _weight(words) / max(sum(len(word.text) for word in words), 1)


def _weight(words: Sequence[OcrWord]) -> float:
    return sum(len(word.text) * word.confidence for word in words)


def build_engine(name: EngineName, languages: Sequence[str], threads: int) -> OcrEngine:
    """The engine called `name`. Raises ModelError when it is not installed."""
    from docpipe.parsers.ocr.rapid import RapidEngine
    from docpipe.parsers.ocr.tesseract import TesseractEngine

    if name == "rapidocr":
        return RapidEngine(threads)
    try:
        tesseract = TesseractEngine(languages)
    except ModelError:
        if name == "tesseract" or languages:
            raise
        return RapidEngine(threads)
    return tesseract if name == "tesseract" else AutoEngine(tesseract, RapidEngine(threads))
