"""The layout model that PyMuPDF brings: classes and boxes of a page's regions."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from docpipe.errors import ModelError
from docpipe.geometry import BBox

if TYPE_CHECKING:
    from docpipe.stages import PageView

MAX_WORDS = 2000  # of a page: time and memory grow with the square of its lines
_ADD_ON = "pymupdf.layout"


class LayoutRegion(msgspec.Struct, frozen=True):
    """A region of a page. `kind` is text, title, section-header, list-item, table, picture,
    caption, footnote, formula, page-header or page-footer; `confidence` is in [0, 1]."""

    kind: str
    bbox: BBox
    confidence: float


class LayoutModel:
    """Loads the model: no download, about 1 s and 200 MB. Raises ModelError.

    A page takes about 0.3 s of one core. It is read from text and drawings, so that a page which
    is one image has no regions.
    """

    def __init__(self) -> None:
        self._model, self._nodes = _load()

    def regions(self, page: PageView) -> list[LayoutRegion]:
        """The regions of a page of a PDF. None of pages that are not from a PDF, of turned pages,
        which the model reads sideways, and of pages of more than MAX_WORDS words. Raises
        ModelError."""
        handle = getattr(page, "handle", None)
        if handle is None or page.rotation or len(page.words()) > MAX_WORDS:
            return []
        try:
            groups = self._model.predict(handle, return_raw=True, do_sort=False)
        except Exception as error:  # of numpy, onnxruntime and MuPDF
            raise ModelError(f"the layout model failed: {error}") from error
        return [
            LayoutRegion(group["class_name"], BBox.of(*group["group_bbox"]), self._score(group))
            for group in groups
        ]

    def _score(self, group: dict[str, Any]) -> float:
        """The mean probability of the region's class over its lines."""
        import numpy as np

        logits = self._nodes()[group["indicies"]]
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = odds / odds.sum(axis=1, keepdims=True)
        return round(float(shares[:, group["group_class"]].mean()), 4)


@lru_cache(maxsize=1)
def _load() -> tuple[Any, Any]:
    """The model, and a function that gives the logits of its last run: one row a line of text."""
    runs: list[Any] = []
    try:
        with _sessions(runs), _unactivated():
            analyzer = importlib.import_module(f"{_ADD_ON}.DocumentLayoutAnalyzer")
            model = analyzer.get_model(use_sort=False)._model
    except (ImportError, AttributeError, OSError, RuntimeError) as error:
        raise ModelError(f"the layout model cannot be loaded: {error}") from error
    model.table_grid_extractor = None  # the cells are read by rules
    return model, lambda: runs[-1]


@contextlib.contextmanager
def _unactivated() -> Iterator[None]:
    """The add-on can be imported, and does not load its models by itself, too."""
    pymupdf: Any = importlib.import_module("pymupdf")
    activated = pymupdf._get_layout
    if sys.modules.get(_ADD_ON, ...) is None:  # kept out where only MuPDF is wanted
        del sys.modules[_ADD_ON]
    pymupdf._get_layout = activated or _load
    try:
        yield
    finally:
        pymupdf._get_layout = activated


@contextlib.contextmanager
def _sessions(runs: list[Any]) -> Iterator[None]:
    """Sessions of one thread, which keep the logits of the last page in `runs`."""
    import onnxruntime

    plain = onnxruntime.InferenceSession

    class Session(plain):  # type: ignore[misc, valid-type]
        def __init__(
            self, path: Any, sess_options: Any = None, providers: Any = None, **others: Any
        ) -> None:
            options = sess_options or onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            super().__init__(path, sess_options=options, providers=providers, **others)
            self._sees_lines = [node.name for node in self.get_inputs()][:1] == ["x"]

        def run(self, *arguments: Any, **named: Any) -> Any:
            found = super().run(*arguments, **named)
            if self._sees_lines:
                runs[:] = found[:1]
            return found

    onnxruntime.InferenceSession = Session
    try:
        yield
    finally:
        onnxruntime.InferenceSession = plain
