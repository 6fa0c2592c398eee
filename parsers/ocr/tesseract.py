"""Tesseract, run as a program of its own through pytesseract."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from docpipe.errors import ConfigError, ModelError, StageError
from docpipe.geometry import BBox
from docpipe.parsers.ocr.engines import OcrWord

if TYPE_CHECKING:
    from PIL import Image

_SPECK = 9  # pixels at 200 dpi
TIMEOUT = 60  # seconds; also ends the program when the worker that started it was killed


class TesseractEngine:
    """`languages` are Tesseract's codes, such as "eng" and "deu"; English when none is given.

    Raises ModelError when Tesseract is not installed, ConfigError when it lacks a language given.
    """

    def __init__(self, languages: Sequence[str] = ()) -> None:
        import pytesseract

        # More than one thread makes Tesseract slower per page and fights with other workers.
        os.environ.setdefault("OMP_THREAD_LIMIT", "1")
        try:
            installed = set(pytesseract.get_languages())
        except (pytesseract.TesseractNotFoundError, OSError) as error:
            raise ModelError(
                "the program tesseract is not installed",
                hint='install tesseract-ocr, or set engine = "rapidocr"',
            ) from error
        wanted = list(languages) or ["eng"]
        for language in wanted:
            if language not in installed:
                known = ", ".join(sorted(installed - {"osd"})) or "none"
                error_type = ConfigError if languages else ModelError
                raise error_type(
                    f"tesseract has no language {language!r}",
                    hint=f"installed: {known}; install tesseract-ocr-{language}",
                )
        self._language = "+".join(wanted)

    def read(self, image: Image.Image, dpi: float) -> list[OcrWord]:
        import pytesseract

        grey = without_specks(image.convert("L"), dpi)
        grey.format = "TIFF"  # handed over uncompressed: PNG would cost more than a tenth more
        try:
            table = pytesseract.image_to_data(
                grey,
                lang=self._language,
                config=f"--dpi {round(dpi)}",
                output_type=pytesseract.Output.DICT,
                timeout=TIMEOUT,
            )
        except (RuntimeError, OSError) as error:  # a timeout and a failed run are RuntimeErrors
            raise StageError("ocr", None, f"tesseract failed: {error}", code="ocr") from error
        return list(_words(table))


def without_specks(image: Image.Image, dpi: float) -> Image.Image:
    """The image without dust, when there are more specks than letters on it: Tesseract reads them
    as points and loses the words between them. Elsewhere specks are points and dots of letters.
    """
    import cv2
    import numpy as np
    from PIL import Image as Pillow

    grey = np.asarray(image)
    _, ink = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    areas = stats[:, cv2.CC_STAT_AREA]
    specks = areas <= _SPECK * (dpi / 200) ** 2
    if specks.sum() <= (areas[1:] > 3 * _SPECK * (dpi / 200) ** 2).sum():
        return image
    return Pillow.fromarray(np.where(specks[labels], np.uint8(255), grey))


def _words(table: dict[str, list[Any]]) -> Iterator[OcrWord]:
    lines: dict[tuple[int, ...], int] = {}
    for index, text in enumerate(table["text"]):
        confidence = float(table["conf"][index])
        if confidence < 0 or not text.strip():
            continue
        line = tuple(int(table[key][index]) for key in ("block_num", "par_num", "line_num"))
        left, top = float(table["left"][index]), float(table["top"][index])
        box = BBox(left, top, left + table["width"][index], top + table["height"][index])
        yield OcrWord(text.strip(), box, confidence / 100, lines.setdefault(line, len(lines)))
