"""DocFusion as a recogniser of crops."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docpipe.errors import ConfigError
from docpipe.parsers.docfusion.config import Task
from docpipe.parsers.docfusion.reader import Reader
from docpipe.parsers.docfusion.reading import Reading
from docpipe.parsers.docfusion.tabular import cells_of, to_html
from docpipe.stages import ElementKind, Recognized

if TYPE_CHECKING:
    from PIL import Image

_TASKS: dict[ElementKind, Task] = {"text": "text", "table": "table", "formula": "formula"}


class DocFusionRecognizer:
    """An ElementRecognizer with the model in the folder `weights`; see Reader for the options."""

    def __init__(self, weights: Path | None = None, *, device: str = "cpu", beams: int = 3) -> None:
        self._reader = Reader(weights, device=device, beams=beams)

    def recognize(self, crops: Sequence[Image.Image], kind: ElementKind) -> list[Recognized]:
        """Text with its line breaks, LaTeX of formulas, HTML of tables; the confidence is the mean
        probability of a token. Raises ConfigError for diagrams, which DocFusion does not read."""
        task = _TASKS.get(kind)
        if task is None:
            raise ConfigError(f"DocFusion reads no {kind}", hint=f"it reads {', '.join(_TASKS)}")
        return [_recognized(reading, task) for reading in self._reader.read(crops, task)]


def _recognized(reading: Reading, task: Task) -> Recognized:
    text = to_html(cells_of(reading.text)) if task == "table" else reading.text
    return Recognized(text, reading.confidence)
