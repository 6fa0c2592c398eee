"""RapidOCR: PP-OCR models that come with the package, run by onnxruntime on the CPU.

Nothing is downloaded. Recognition takes most of the time, in proportion to the width of the crops,
so crops are recognised one at a time (no padding) and the page is squeezed to `_SQUEEZE` of its
width, which these models do not mind; lines are found on an image of at most `_DETECTION_SIDE`
pixels. On 8 pages: 4.5 CPU s a page with single crops alone, 2.9 with all three. The package's own
batches of six cost half as much again as single crops.

Memory: without onnxruntime's arena and with one thread the process peaks at 1.6 GiB of address
space (0.6 GiB resident) on a page of 8 megapixels.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from docpipe.errors import ModelError, StageError
from docpipe.geometry import BBox
from docpipe.parsers.ocr.engines import OcrWord

if TYPE_CHECKING:
    from PIL import Image

_SQUEEZE = 0.7
_DPI = 150.0  # more does not help the recogniser: its crops are 48 pixels high
_DETECTION_SIDE = 1216
_BLANK = 0.2  # of a line's height


class RapidEngine:
    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._model: Any = None

    def read(self, image: Image.Image, dpi: float) -> list[OcrWord]:
        import numpy as np

        down = min(1.0, _DPI / dpi)
        size = max(1, round(image.width * down * _SQUEEZE)), max(1, round(image.height * down))
        pixels = np.asarray(image.resize(size))[:, :, ::-1]  # the package wants BGR
        try:
            found = self._loaded()(np.ascontiguousarray(pixels))
        except Exception as error:  # whatever OpenCV or onnxruntime raise
            raise StageError("ocr", None, f"rapidocr failed: {error}", code="ocr") from error
        across, upright = image.width / size[0], image.height / size[1]
        return [_scaled(word, across, upright) for word in _words(found)]

    def _loaded(self) -> Any:
        """The models, loaded when first needed: most runs with Tesseract never ask for them."""
        if self._model is None:
            # Or onnxruntime writes an identifier of this machine and what it ran to the user's
            # cache folder, to be sent to its makers.
            os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
            try:
                from rapidocr import RapidOCR
            except ImportError as error:
                raise ModelError(
                    "rapidocr cannot be loaded", hint="pip install rapidocr onnxruntime"
                ) from error
            self._model = RapidOCR(params=_parameters(self._threads))
        return self._model


def _parameters(threads: int) -> dict[str, object]:
    return {
        "Global.log_level": "error",
        "Global.use_cls": False,
        "Global.return_word_box": True,
        "Det.limit_type": "max",
        "Det.limit_side_len": _DETECTION_SIDE,
        "Rec.rec_batch_num": 1,
        "Rec.rec_img_shape": [3, 48, 48],
        "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        "EngineConfig.onnxruntime.enable_cpu_mem_arena": False,
    }


def _words(found: Any) -> Iterator[OcrWord]:
    if found.boxes is None:
        return
    for line, (box, text, score) in enumerate(
        zip(found.boxes, found.txts, found.scores, strict=True)
    ):
        pieces = found.word_results[line] if line < len(found.word_results) else ()
        yield from split_line(text, _bounds(box), float(score), line, _marks(pieces))


def _marks(pieces: Any) -> list[tuple[str, float, float, float]]:
    """The recogniser's own pieces of a line: text, confidence, left and right."""
    marks = []
    for text, confidence, box in pieces:
        bounds = _bounds(box)
        marks.append((text, float(confidence), bounds.x0, bounds.x1))
    return marks


def split_line(
    text: str,
    box: BBox,
    confidence: float,
    line: int,
    marks: list[tuple[str, float, float, float]] = [],  # noqa: B006 - never changed
) -> Iterator[OcrWord]:
    """The words of a recognised line.

    Left and right edges come from `marks` where their texts, joined, are the line's text without
    blanks; otherwise the box is shared out by the number of characters.
    """
    edges = _edges(text, box, marks)
    extents: list[tuple[float, float]] = []
    position = 0
    for word in text.split():
        position = text.index(word, position)
        extents.append((edges[position][0], edges[position + len(word) - 1][1]))
        position += len(word)
    for word, (x0, x1) in zip(text.split(), _apart(extents, _BLANK * box.height), strict=True):
        yield OcrWord(word, BBox.of(x0, box.y0, x1, box.y1), confidence, line)


def _apart(extents: list[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    """Words side by side with at least `gap` between them: the recogniser's edges are rough, and
    words that touch would be taken for one."""
    apart = list(extents)
    for index in range(1, len(apart)):
        (left, end), (start, right) = apart[index - 1], apart[index]
        if start - end < gap:
            middle = (start + end) / 2
            apart[index - 1] = left, max(left, middle - gap / 2)
            apart[index] = min(right, middle + gap / 2), right
    return apart


def _edges(
    text: str, box: BBox, marks: list[tuple[str, float, float, float]]
) -> list[tuple[float, float]]:
    """Left and right of each character."""
    step = box.width / max(len(text), 1)
    edges = [(box.x0 + step * index, box.x0 + step * (index + 1)) for index in range(len(text))]
    if "".join(mark[0] for mark in marks) != "".join(text.split()):
        return edges
    letters = [index for index, char in enumerate(text) if not char.isspace()]
    position = 0
    for mark, _, x0, x1 in marks:
        step = (x1 - x0) / max(len(mark), 1)
        for offset in range(len(mark)):
            edges[letters[position]] = (x0 + step * offset, x0 + step * (offset + 1))
            position += 1
    return edges


def _bounds(box: Any) -> BBox:
    xs, ys = [float(point[0]) for point in box], [float(point[1]) for point in box]
    return BBox.of(min(xs), min(ys), max(xs), max(ys))


def _scaled(word: OcrWord, across: float, down: float) -> OcrWord:
    box = word.bbox
    scaled = BBox.of(box.x0 * across, box.y0 * down, box.x1 * across, box.y1 * down)
    return OcrWord(word.text, scaled, word.confidence, word.line)
