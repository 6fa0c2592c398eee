"""PA-BDM as a recogniser of crops."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docpipe.parsers.docfusion.reading import Reading
from docpipe.parsers.docfusion.tabular import cells_of, to_html
from docpipe.parsers.pabdm.reader import Reader
from docpipe.stages import ElementKind, Recognized

if TYPE_CHECKING:
    from PIL import Image


class PaBdmRecognizer:
    """An ElementRecognizer with the model in the folder `weights`; see Reader for the options."""

    def __init__(
        self,
        weights: Path | None = None,
        *,
        block: int | None = None,
        tau: float = 0.95,
        device: str = "cpu",
    ) -> None:
        self._reader = Reader(weights, block=block, tau=tau, device=device)

    def recognize(self, crops: Sequence[Image.Image], kind: ElementKind) -> list[Recognized]:
        """Text with its line breaks, LaTeX of formulas, HTML of tables, the source of diagrams; the
        confidence is the mean probability of a token."""
        return [_recognized(reading, kind) for reading in self._reader.read(crops, kind)]


def _recognized(reading: Reading, kind: ElementKind) -> Recognized:
    text = to_html(cells_of(reading.text)) if kind == "table" else reading.text
    return Recognized(text, reading.confidence)
