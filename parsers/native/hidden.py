"""Text that a reader of the page cannot see, set apart from the text that they can.

The tricks are told apart by the code in `HiddenText.reason`:

    off_page           outside the page as it is displayed
    tiny               below 2 pt where the rest of the page is of normal size
    transparent        drawn with an opacity of 0
    invisible          drawn with neither fill nor stroke, and nothing there that it could be the
                       text layer of
    background_color   in the colour of what lies behind it
    covered            something opaque lies over it
    hidden_layer       on a layer (optional content) that is switched off

What `invisible`, `background_color` and `covered` mean is decided by what the rendered page shows
in the word's box, and a page is rendered only when it has a word that may be hidden so. Text layers
of scans, white text on dark ground and small footnotes are seen, and stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from docpipe.geometry import BBox, union_all
from docpipe.records import HiddenText, Region, Word
from docpipe.stages import PageView, PlacedImage, TextSpan

if TYPE_CHECKING:
    import numpy as np

    Pixels = np.ndarray[tuple[int, int, int], np.dtype[np.int16]]

Reason = Literal[
    "off_page", "tiny", "transparent", "invisible", "background_color", "covered", "hidden_layer"
]

_TINY = 2.0  # points
_NORMAL = 5.0  # points: the median size from which tiny text stands out
_PALE = 0xE6  # all channels at least this: may be white on white
_MAX_DECODED = 60_000_000  # pixels of images on a page that is still rendered for a check
_MAX_RENDERED = 4_000_000  # pixels
_COARSE_DPI = 50.0
_DPI = 100.0
_OPAQUE = 0.02  # opacity below which text is not seen
_INK = 24  # difference of a channel, of 255, that the eye sees as text
_OCR_LAYER_NOISE = 0.05  # share of a scan's layer that may lie on nothing: boxes are never exact
_CELL = 32.0  # points


def split_hidden(page: PageView, words: Sequence[Word]) -> tuple[list[Word], list[HiddenText]]:
    """The words a reader sees, in their order, and the hidden ones, a piece for each run."""
    layered = page.off_layer_words() if isinstance(page, _Layered) else []
    off = list(_pieces(page, layered, ["hidden_layer"] * len(layered)))
    spans = page.spans()
    if not words or not spans:
        return list(words), off
    verdicts = _Verdicts(page, spans).of(words)
    visible = [word for word, reason in zip(words, verdicts, strict=True) if reason is None]
    return visible, [*_pieces(page, words, verdicts), *off]


@runtime_checkable
class _Layered(Protocol):
    """A page of a file that has layers."""

    def off_layer_words(self) -> list[Word]: ...


def _pieces(
    page: PageView, words: Sequence[Word], reasons: Sequence[Reason | None]
) -> Iterator[HiddenText]:
    run: list[Word] = []
    run_reason: Reason | None = None
    for word, reason in [*zip(words, reasons, strict=True), (None, None)]:
        if run and run_reason and (reason != run_reason or word is None):
            box = union_all(each.bbox for each in run).clip(page.width, page.height)
            text = " ".join(each.text for each in run)
            yield HiddenText(Region(page.number, box), text, run_reason)
            run = []
        if reason is not None and word is not None:
            run.append(word)
        run_reason = reason


class _Verdicts:
    """Why each word of a page is hidden, or None."""

    def __init__(self, page: PageView, spans: Sequence[TextSpan]) -> None:
        self._page = page
        self._sheet = BBox(0.0, 0.0, page.width, page.height)
        self._all = spans
        self._tiny_stands_out = _tiny_stands_out(spans)

    @cached_property
    def _spans(self) -> _Grid:
        return _Grid([span.bbox for span in self._all])

    @cached_property
    def _images(self) -> list[PlacedImage]:
        return self._page.images()

    def of(self, words: Sequence[Word]) -> list[Reason | None]:
        backed = self._under(words, self._backs())
        special = self._under(words, [s.bbox for s in self._all if self._is_special(s)])
        spans = [
            self._span_of(word) if first or second else None
            for word, first, second in zip(words, backed, special, strict=True)
        ]
        reasons = [self._told(word, span) for word, span in zip(words, spans, strict=True)]
        doubtful = {
            index: span
            for index, span in enumerate(spans)
            if reasons[index] is None and span and (_is_doubtful(span) or backed[index])
        }
        for index, reason in self._looked_at(words, doubtful).items():
            reasons[index] = reason
        return _without_scan_noise(reasons, spans)

    def _looked_at(
        self, words: Sequence[Word], doubtful: Mapping[int, TextSpan]
    ) -> Mapping[int, Reason]:
        """Those of the words that the rendered page does not show: a coarse image, which is soon
        made, clears most words, and the fine one decides on the others."""
        if sum(image.pixels[0] * image.pixels[1] for image in self._images) > _MAX_DECODED:
            return {}
        unseen: dict[int, Reason] = dict.fromkeys(doubtful, "invisible")
        for dpi in (_COARSE_DPI, _DPI):
            if not unseen:
                break
            look = _Look(self._page, _render(self._page, dpi))
            seen = {i: self._seen(look, words[i], doubtful[i]) for i in unseen}
            unseen = {index: reason for index, reason in seen.items() if reason}
        return unseen

    def _told(self, word: Word, span: TextSpan | None) -> Reason | None:
        """What the drawing instructions alone say."""
        if self._is_outside(word.bbox):
            return "off_page"
        if span is None:
            return None
        if span.alpha < _OPAQUE and span.render_mode != 3:
            return "transparent"
        if span.size < _TINY and self._tiny_stands_out and any(map(str.isalnum, word.text)):
            return "tiny"
        return None

    def _is_outside(self, box: BBox) -> bool:
        """Whether less than a tenth of a box is on the page as displayed."""
        if self._sheet.contains(box):
            return False
        grown = BBox(box.x0, box.y0, max(box.x1, box.x0 + 0.1), max(box.y1, box.y0 + 0.1))
        return self._sheet.intersection(grown) < 0.1 * grown.area

    def _seen(self, look: _Look, word: Word, span: TextSpan) -> Reason | None:
        """What the rendered page shows."""
        if span.render_mode in (3, 7):
            return None if self._is_layer_of_something(look, word) else "invisible"
        if look.blends_in(word.bbox, span.color):
            return "background_color"
        lettered = any(map(str.isalnum, word.text))  # a dash may be thinner than a pixel
        return "covered" if lettered and look.is_flat(word.bbox) else None

    def _is_layer_of_something(self, look: _Look, word: Word) -> bool:
        """Whether there is ink under invisible text that is not other, visible text."""
        slack = 0.4 * word.bbox.height
        if look.is_flat(word.bbox.expand(slack)):
            return False
        under = self._spans.at(*word.bbox.center)
        return all(self._all[index].render_mode == 3 for index in under)

    def _span_of(self, word: Word) -> TextSpan | None:
        """The span a word is from: of those under its centre with its text, the closest."""
        under = [self._all[index] for index in self._spans.at(*word.bbox.center)]
        matching = [span for span in under if word.text in span.text] or under
        return min(
            matching,
            key=lambda span: (
                round(abs(span.bbox.y0 - word.bbox.y0) + abs(span.bbox.y1 - word.bbox.y1), 1),
                _is_doubtful(span),
            ),
            default=None,
        )

    def _is_special(self, span: TextSpan) -> bool:
        """Whether a span may be hidden without anything lying over or under it."""
        tiny = span.size < _TINY and self._tiny_stands_out
        return tiny or span.alpha < _OPAQUE or _is_doubtful(span)

    def _backs(self) -> list[BBox]:
        """The filled areas and images of the page."""
        fills = [
            drawing.bbox
            for drawing in self._page.drawings()
            if drawing.fill is not None and drawing.bbox.height > 3 and drawing.bbox.width > 3
        ]
        return fills + [image.bbox for image in self._images]

    def _under(self, words: Sequence[Word], boxes: Sequence[BBox]) -> list[bool]:
        """Whether one of the boxes has the centre of each word in it."""
        grid = _Grid(boxes)
        return [bool(boxes) and grid.has(*word.bbox.center) for word in words]


class _Look:
    """What the rendered page shows in a box."""

    def __init__(self, page: PageView, pixels: Pixels) -> None:
        self._pixels = pixels
        self._across = pixels.shape[1] / max(page.width, 1.0)
        self._down = pixels.shape[0] / max(page.height, 1.0)

    def _crop(self, box: BBox) -> Any:
        y0, y1 = int(box.y0 * self._down), int(box.y1 * self._down) + 1
        x0, x1 = int(box.x0 * self._across), int(box.x1 * self._across) + 1
        return self._pixels[max(y0, 0) : max(y1, 1), max(x0, 0) : max(x1, 1)].reshape(-1, 3)

    def is_flat(self, box: BBox) -> bool:
        """Whether there is one colour only."""
        crop = self._crop(box)
        return not crop.size or int((crop.max(0) - crop.min(0)).max()) < _INK

    def blends_in(self, box: BBox, color: int) -> bool:
        """Whether nearly all of the box has this colour: text fills less than half of its box."""
        crop = self._crop(box)
        if not crop.size:
            return True
        rgb = (color >> 16, color >> 8 & 0xFF, color & 0xFF)
        return float((abs(crop - rgb).max(1) < _INK).mean()) > 0.85


class _Grid:
    """Boxes found by a point in them."""

    def __init__(self, boxes: Sequence[BBox]) -> None:
        self._boxes = boxes
        self._large: list[int] = []
        self._cells: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for index, box in enumerate(boxes):
            if box.area > 400 * _CELL * _CELL:
                self._large.append(index)
                continue
            for row in range(int(box.y0 // _CELL), int(box.y1 // _CELL) + 1):
                for column in range(int(box.x0 // _CELL), int(box.x1 // _CELL) + 1):
                    self._cells[row, column].append(index)

    def has(self, x: float, y: float) -> bool:
        near = self._cells.get((int(y // _CELL), int(x // _CELL)), ())
        boxes = self._boxes
        return any(boxes[index].contains_point(x, y) for index in near) or any(
            boxes[index].contains_point(x, y) for index in self._large
        )

    def at(self, x: float, y: float) -> list[int]:
        near = self._cells.get((int(y // _CELL), int(x // _CELL)), [])
        return [index for index in (*self._large, *near) if self._boxes[index].contains_point(x, y)]


def _is_doubtful(span: TextSpan) -> bool:
    """Whether a span may be unseen though its place, size and opacity are ordinary."""
    if span.render_mode in (3, 7):
        return True
    return min(span.color >> 16, span.color >> 8 & 0xFF, span.color & 0xFF) >= _PALE


def _tiny_stands_out(spans: Sequence[TextSpan]) -> bool:
    sizes = sorted((span.size, len(span.text)) for span in spans)
    half = sum(length for _, length in sizes) / 2
    for size, length in sizes:
        half -= length
        if half <= 0:
            return size >= _NORMAL
    return False


def _without_scan_noise(
    reasons: list[Reason | None], spans: Sequence[TextSpan | None]
) -> list[Reason | None]:
    """Drops `invisible` where it is but a few words of a scan's text layer."""
    layer = sum(1 for span in spans if span and span.render_mode == 3)
    if reasons.count("invisible") > _OCR_LAYER_NOISE * layer:
        return reasons
    return [None if reason == "invisible" else reason for reason in reasons]


def _render(page: PageView, dpi: float) -> Pixels:
    import numpy as np

    area = max(page.width * page.height, 1.0)
    return np.asarray(page.render(min(dpi, 72.0 * (_MAX_RENDERED / area) ** 0.5))).astype(np.int16)
