"""What every OCR engine offers, and the choice between them.

An engine gets an upright image and gives words in pixels of it. Measured on 104 born-digital pages
rendered at 200 dpi, one thread: Tesseract 1.5 CPU s a page with 2.7 % of the characters wrong or
missing, RapidOCR 3.7 s and 2.0 %, `AutoEngine` 2.1 s and 2.4 %; on 15 receipts 22, 1.2 and 1.2 %.
RapidOCR also reads Chinese, accents and some handwriting, which Tesseract without their language
packs does not: hence `AutoEngine`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from docpipe.errors import ModelError
from docpipe.geometry import BBox, union_all
from docpipe.parsers.native.ink import text_lines

if TYPE_CHECKING:
    from PIL import Image

EngineName = Literal["auto", "tesseract", "rapidocr"]

SURE = 0.75  # mean confidence from which a reading is believed
_CLEAN = 0.88  # the same of Tesseract: what is printed badly RapidOCR reads better
_PROSE = 20  # words
_DOUBTFUL = 0.6  # confidence below which a word does not tell that its place was read
_COVERED = 0.5  # share of a line of ink under words from which it was read
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

    Tesseract leaves out what it takes for pictures, such as labels on photographs. Where ink that
    looks like text has no words, RapidOCR reads that part of the page. Pages with dark ground are
    RapidOCR's.
    """

    def __init__(self, tesseract: OcrEngine, rapid: OcrEngine, told: bool) -> None:
        self._tesseract = tesseract
        self._rapid = rapid
        self._told = told

    def read(self, image: Image.Image, dpi: float) -> list[OcrWord]:
        words = self._tesseract.read(image, dpi)
        if self._suffices(words) and not is_dark(image):
            return self._with_gaps_filled(image, dpi, words)
        other = self._rapid.read(image, dpi)
        best = other if mean_confidence(other) >= SURE else max(words, other, key=_weight)
        return joined(best, words if best is other else other)

    def _suffices(self, words: Sequence[OcrWord]) -> bool:
        return mean_confidence(words) >= _CLEAN and (self._told or is_english(words))

    def _with_gaps_filled(
        self, image: Image.Image, dpi: float, words: Sequence[OcrWord]
    ) -> list[OcrWord]:
        """The words, and what RapidOCR finds where there is ink without sure ones."""
        sure = [word for word in words if word.confidence >= _DOUBTFUL]
        gaps = gaps_between(text_lines(image), sure)
        if not gaps:
            return list(words)
        area = union_all(gaps).expand(0.1 * dpi).clip(*map(float, image.size))
        left, top = int(area.x0), int(area.y0)
        part = without(image, sure).crop((left, top, int(area.x1), int(area.y1)))
        found = [_moved(word, left, top) for word in self._rapid.read(part, dpi)]
        return joined(joined(sure, found), words, 0.0)


def is_dark(image: Image.Image) -> bool:
    """Whether most of an image is darker than light."""
    grey = image.convert("L").reduce(8).histogram()
    return sum(grey[:128]) > sum(grey[128:])


def gaps_between(lines: Sequence[BBox], words: Sequence[OcrWord]) -> list[BBox]:
    """The lines of which less than half is under words."""
    boxes = [word.bbox for word in words]
    return [
        line
        for line in lines
        if sum(line.intersection(box) for box in boxes if line.y_overlap(box) > 0)
        < _COVERED * line.area
    ]


def without(image: Image.Image, words: Sequence[OcrWord]) -> Image.Image:
    """The image with the words painted over in the colour of what is around each."""
    from PIL import ImageDraw

    painted = image.copy()
    draw = ImageDraw.Draw(painted)
    for word in words:
        x0, y0, x1, y1 = (
            int(word.bbox.x0) - 2,
            int(word.bbox.y0) - 2,
            int(word.bbox.x1) + 2,
            int(word.bbox.y1) + 2,
        )
        corner = min(max(x0, 0), image.width - 1), min(max(y0, 0), image.height - 1)
        draw.rectangle((x0, y0, x1, y1), fill=image.getpixel(corner))
    return painted


def joined(
    words: Sequence[OcrWord], others: Sequence[OcrWord], least: float = SURE
) -> list[OcrWord]:
    """`words`, and of another reading of the same image those that stand elsewhere and whose
    confidence is at least `least`."""
    first = 1 + max((word.line for word in words), default=-1)
    more = [
        msgspec.structs.replace(other, line=first + other.line)
        for other in others
        if other.confidence >= least
        and not any(word.bbox.intersection(other.bbox) > 0 for word in words)
    ]
    return [*words, *more]


def _moved(word: OcrWord, right: float, down: float) -> OcrWord:
    box = word.bbox
    moved = BBox.of(box.x0 + right, box.y0 + down, box.x1 + right, box.y1 + down)
    return msgspec.structs.replace(word, bbox=moved)


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
