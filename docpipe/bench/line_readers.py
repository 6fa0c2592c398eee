"""What reads crops and pages in the bench `docfusion`: the model, and OCR engines on lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from docpipe.datasets.docfusion.printed import fold
from docpipe.datasets.docfusion.samples import LayoutBox, Sample, Task
from docpipe.training.docfusion.metrics import Prediction

if TYPE_CHECKING:
    from PIL import Image

_HEIGHT = 48  # of a line, which RapidOCR's recogniser was made for


class Contestant(Protocol):
    tasks: tuple[Task, ...]

    def predict(self, sample: Sample) -> Prediction: ...


class DocFusionContestant:
    """A model as docpipe uses it: text is cut into lines and pieces that its strips have room
    for."""

    tasks: tuple[Task, ...] = ("layout", "text", "formula", "table")

    def __init__(self, weights: Path, *, beams: int = 1) -> None:
        from docpipe.parsers.docfusion.reader import Reader

        self._reader = Reader(weights, beams=beams)

    def predict(self, sample: Sample) -> Prediction:
        if sample.task == "layout":
            blocks = self._reader.layout(sample.image, *map(float, sample.image.size))
            return Prediction(boxes=tuple(LayoutBox(b.label, b.bbox) for b in blocks))
        return Prediction(text=self._reader.read([sample.image], sample.task)[0].text)


class TesseractLines:
    """Tesseract, told that the image is one line. Raises ModelError when it is not installed."""

    tasks: tuple[Task, ...] = ("text",)

    def __init__(self) -> None:
        from docpipe.parsers.ocr.tesseract import TesseractEngine

        TesseractEngine()

    def predict(self, sample: Sample) -> Prediction:
        import pytesseract

        said = pytesseract.image_to_string(_bordered(sample.image), lang="eng", config="--psm 7")
        return Prediction(text=fold(said.strip()))


class RapidLines:
    """RapidOCR's recogniser on the whole image, on one thread."""

    tasks: tuple[Task, ...] = ("text",)

    def __init__(self) -> None:
        from rapidocr import RapidOCR

        self._model: Any = RapidOCR(
            params={
                "Global.log_level": "error",
                "Global.use_cls": False,
                "Global.use_preprocess_img": False,
                "Rec.rec_batch_num": 1,
                "Rec.rec_img_shape": [3, _HEIGHT, _HEIGHT],
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            }
        )

    def predict(self, sample: Sample) -> Prediction:
        import numpy as np

        width = max(8, round(sample.image.width * _HEIGHT / sample.image.height))
        line = np.asarray(sample.image.resize((width, _HEIGHT)))[:, :, ::-1]
        found = self._model(np.ascontiguousarray(line), use_det=False, use_rec=True)
        return Prediction(text=fold(found.txts[0]) if found.txts else "")


def _bordered(image: Image.Image) -> Image.Image:
    """With a border of its own ground: Tesseract misses what touches the edge."""
    from PIL import ImageOps

    ground: Any = max(image.getcolors(image.width * image.height) or [(0, (255, 255, 255))])[1]
    return ImageOps.expand(image, 10, fill=ground)
