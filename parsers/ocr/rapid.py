"""RapidOCR: PP-OCR models that come with the package, run by onnxruntime on the CPU.

Nothing is downloaded. Lines are found on a small image (`_DETECTION_SIDE`) and cut out of the full
one: the recogniser gets all detail there is. It takes most of the time, in proportion to the width
of the crops. So crops are recognised one at a time (without padding; the package's own batches of
six cost half as much again), and those of a full page are squeezed to `_SQUEEZE` of their width,
which these models hardly mind. Receipts and slides, whose lines are shorter than `_WIDE` together,
are not squeezed.

Memory: without onnxruntime's arena and with one thread the process peaks at 1.6 GiB of address
space (0.6 GiB resident) on a page of 8 megapixels.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from docpipe.errors import ModelError, StageError
from docpipe.geometry import BBox
from docpipe.parsers.ocr.engines import OcrWord

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

    Pixels = np.ndarray[Any, Any]  # height, width, 3
    Quad = np.ndarray[Any, Any]  # 4 corners from the top left, clockwise, as x and y

_SQUEEZE = 0.7
_WIDE = 25_000.0  # pixels at the recogniser's height
_DETECTION_SIDE = 1408  # pixels; with fewer, columns and small lines run together
_HEIGHT = 48  # pixels of a crop, which the recogniser was made for
_TALL = 1.5  # times as high as wide: a line that runs up or down
_LEAST = 0.5  # confidence of a line
_DOUBTFUL = 0.88  # the same of a squeezed one: superscripts make lines high and letters narrow
_BLANK = 0.2  # of a line's height


class RapidEngine:
    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._model: Any = None

    def read(self, image: Image.Image, dpi: float) -> list[OcrWord]:
        import numpy as np

        pixels = np.ascontiguousarray(np.asarray(image)[:, :, ::-1])  # the package wants BGR
        try:
            quads = self._find(pixels)
            squeeze = min(1.0, max(_SQUEEZE, _WIDE / max(sum(map(_length, quads)), 1.0)))
            lines = [self._recognise(pixels, quad, squeeze) for quad in quads]
        except Exception as error:  # whatever OpenCV or onnxruntime raise
            raise StageError("ocr", None, f"rapidocr failed: {error}", code="ocr") from error
        words: list[OcrWord] = []
        for number, (quad, line) in enumerate(zip(quads, lines, strict=True)):
            if line.confidence >= _LEAST:
                words += _words(line, bounds(quad), number)
        return words

    def _find(self, pixels: Pixels) -> list[Quad]:
        """The corners of each line of text, in pixels."""
        import cv2
        import numpy as np

        height, width = pixels.shape[:2]
        down = min(1.0, _DETECTION_SIDE / max(height, width))
        size = max(1, round(width * down)), max(1, round(height * down))
        small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
        found = self._loaded()(small, use_det=True, use_rec=False).boxes
        scale = np.array([width / size[0], height / size[1]])
        return [] if found is None else [(quad * scale).astype(np.float32) for quad in found]

    def _recognise(self, pixels: Pixels, quad: Quad, squeeze: float) -> _Line:
        """What a line says. One that is higher than wide is read downwards and upwards."""
        import numpy as np

        crop = _cut(pixels, quad)
        if crop.shape[0] < _TALL * crop.shape[1]:
            line = self._read_crop(crop, squeeze, 0)
            if line.confidence >= _DOUBTFUL or squeeze == 1.0:
                return line
            return max(line, self._read_crop(crop, 1.0, 0), key=lambda line: line.confidence)
        readings = [self._read_crop(np.rot90(crop, turn), squeeze, turn) for turn in (1, 3)]
        return max(readings, key=lambda line: line.confidence)

    def _read_crop(self, crop: Pixels, squeeze: float, turn: int) -> _Line:
        import cv2
        import numpy as np

        height, width = crop.shape[:2]
        size = max(8, round(width / height * _HEIGHT * squeeze)), _HEIGHT
        how = cv2.INTER_AREA if height > _HEIGHT else cv2.INTER_CUBIC
        resized = cv2.resize(np.ascontiguousarray(crop), size, interpolation=how)
        found = self._loaded()(resized, use_det=False, use_rec=True)
        info = found.word_results[0]
        columns = [column for word in info.word_cols for column in word]
        centers = [(column + 0.5) / info.line_txt_len for column in columns]
        return _Line(found.txts[0], float(found.scores[0]), centers, turn)

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


class _Line(msgspec.Struct, frozen=True):
    """A recognised line: where the centre of each character but blanks is, from 0 to 1 along it,
    and by how many quarters counterclockwise it was turned to be read."""

    text: str
    confidence: float
    centers: list[float]
    turn: int


def _parameters(threads: int) -> dict[str, object]:
    return {
        "Global.log_level": "error",
        "Global.use_cls": False,
        "Global.use_preprocess_img": False,
        "Global.return_word_box": True,
        "Det.limit_type": "max",
        "Det.limit_side_len": _DETECTION_SIDE,
        "Rec.rec_batch_num": 1,
        "Rec.rec_img_shape": [3, _HEIGHT, _HEIGHT],
        "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        "EngineConfig.onnxruntime.enable_cpu_mem_arena": False,
    }


def _sides(quad: Quad) -> tuple[float, float]:
    """Width and height."""
    import numpy as np

    across = max(np.linalg.norm(quad[0] - quad[1]), np.linalg.norm(quad[2] - quad[3]))
    down = max(np.linalg.norm(quad[0] - quad[3]), np.linalg.norm(quad[1] - quad[2]))
    return max(1.0, float(across)), max(1.0, float(down))


def _length(quad: Quad) -> float:
    """Pixels of the line at the recogniser's height."""
    width, height = _sides(quad)
    return _HEIGHT * (height / width if height >= _TALL * width else width / height)


def _cut(pixels: Pixels, quad: Quad) -> Pixels:
    import cv2
    import numpy as np

    width, height = map(round, _sides(quad))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    crop: Pixels = cv2.warpPerspective(
        pixels,
        cv2.getPerspectiveTransform(quad, corners),
        (width, height),
        borderMode=cv2.BORDER_REPLICATE,
        flags=cv2.INTER_CUBIC,
    )
    return crop


def _words(line: _Line, box: BBox, number: int) -> Iterator[OcrWord]:
    length, thickness = (box.height, box.width) if line.turn else (box.width, box.height)
    frame = BBox(0.0, 0.0, length, thickness)
    for word in split_line(line.text, frame, line.confidence, number, line.centers):
        start, end = word.bbox.x0, word.bbox.x1
        match line.turn:
            case 1:  # it runs down
                place = BBox(box.x0, box.y0 + start, box.x1, box.y0 + end)
            case 3:  # it runs up
                place = BBox(box.x0, box.y1 - end, box.x1, box.y1 - start)
            case _:
                place = BBox(box.x0 + start, box.y0, box.x0 + end, box.y1)
        yield OcrWord(word.text, place, word.confidence, number)


def split_line(
    text: str, box: BBox, confidence: float, line: int, centers: Sequence[float] = ()
) -> Iterator[OcrWord]:
    """The words of a recognised line.

    `centers` are those of the characters but blanks, from 0 to 1 along the line; without them the
    box is shared out by the number of characters.
    """
    edges = _edges(text, box, centers)
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


def _edges(text: str, box: BBox, centers: Sequence[float]) -> list[tuple[float, float]]:
    """Left and right of each character."""
    step = box.width / max(len(text), 1)
    edges = [(box.x0 + step * index, box.x0 + step * (index + 1)) for index in range(len(text))]
    letters = [index for index, char in enumerate(text) if not char.isspace()]
    if len(centers) != len(letters):
        return edges
    steps = [
        box.width * (centers[i + 1] - centers[i])
        for i in range(len(letters) - 1)
        if letters[i + 1] == letters[i] + 1
    ]
    half = statistics.median(steps) / 2 if steps else step / 2
    for index, center in zip(letters, centers, strict=True):
        middle = box.x0 + box.width * center
        edges[index] = max(box.x0, middle - half), min(box.x1, middle + half)
    return edges


def bounds(quad: Any) -> BBox:
    """The box around the corners of a line."""
    xs, ys = [float(point[0]) for point in quad], [float(point[1]) for point in quad]
    return BBox.of(min(xs), min(ys), max(xs), max(ys))
