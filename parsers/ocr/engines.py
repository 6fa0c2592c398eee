"""What every OCR engine offers, and the choice between them.

An engine gets an upright image and gives words in pixels of it. Measured on 30 born-digital pages
rendered at 200 dpi, one thread: Tesseract 1.5 CPU s a page with 4.8 % of the characters wrong or
missing (median page 1.3 %), RapidOCR 3.2 s and 4.1 % (0.8 %), `AutoEngine` 1.6 s and 4.9 % (1.1 %).
RapidOCR also reads Chinese, accents and some handwriting, which Tesseract without their language
packs does not: hence `AutoEngine`.
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
_PROSE = 20  # words
_FUNCTION_WORDS = frozenset(
    ("the", "of", "and", "to", "is", "for", "that", "with", "as", "by", "are", "this", "be")
).union(("from", "at", "was", "which", "not", "have"))


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
    """Tesseract where it is sure of what it reads and has the language, RapidOCR otherwise.

    `told` says that the languages were named. Where they were not, Tesseract reads everything as
    English and loses the accents of other languages: text without English function words goes to
    RapidOCR, whose one model knows the Latin alphabets.
    """

    def __init__(self, tesseract: OcrEngine, rapid: OcrEngine, told: bool) -> None:
        self._tesseract = tesseract
        self._rapid = rapid
        self._told = told

    def read(self, image: Image.Image, dpi: float) -> list[OcrWord]:
        words = self._tesseract.read(image, dpi)
        if mean_confidence(words) >= SURE and (self._told or is_english(words)):
            return words
        other = self._rapid.read(image, dpi)
        return other if mean_confidence(other) >= SURE else max(words, other, key=_weight)


def is_english(words: Sequence[OcrWord]) -> bool:
    """Whether a text has the function words of English prose; too short a text has not."""
    plain = [word.text.lower() for word in words if word.text.isalpha()]
    return len(plain) >= _PROSE and sum(map(_FUNCTION_WORDS.__contains__, plain)) >= 0.08 * len(
        plain
    )


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
    return (
        tesseract
        if name == "tesseract"
        else AutoEngine(tesseract, RapidEngine(threads), bool(languages))
    )
