"""DocFusion as a parser: the layout of a page's image, then the contents of what stands on it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from docpipe.geometry import BBox
from docpipe.parsers.docfusion.blocks import block_of, is_heading, kind_of, without_repeats
from docpipe.parsers.docfusion.reader import Block, Reader
from docpipe.parsers.docfusion.reading import Reading
from docpipe.parsers.docfusion.words import words_of
from docpipe.parsers.native.blocks import drafts_from_lines
from docpipe.parsers.native.compose import compose_pages
from docpipe.parsers.native.hidden import split_hidden
from docpipe.parsers.native.ink import has_ink
from docpipe.parsers.native.lines import Line, lines_from_words
from docpipe.parsers.native.quality import assess, needs_ocr
from docpipe.parsers.native.words import drop_duplicates, style_words
from docpipe.records import HiddenText, OutlineEntry, Page, Quality, TextBlock, Word
from docpipe.stages import Draft, PageFacts, PageView, Style

if TYPE_CHECKING:
    from PIL import Image

STAGE = "docfusion"
_MAX_PIXELS = 8_000_000
_MARGIN = 0.05  # of a block's width and height, around its crop
_MOST_MARGIN = 2.5  # points: more would take in a neighbour
_SURE = 0.75
_READ = Style(10.0)  # of text that was read, whose size is not known
_READ_TITLE = Style(14.0)


class _Layer(NamedTuple):
    """The text layer of a page, and what it is worth."""

    words: tuple[Word, ...]
    lines: list[Line]
    hidden: list[HiddenText]
    quality: Quality


class DocFusionParser:
    """Reads pages from their image with the model in the folder `weights`.

    `text`: "page" takes the words of text blocks from the page where it has a text layer to trust,
    and those of tables and formulas that the model is unsure of; "image" has the model read all.
    `beams` is the width of the search and `device` a torch device.
    Pages are taken to be upright.
    """

    def __init__(
        self,
        weights: Path | None = None,
        *,
        device: str = "cpu",
        beams: int = 3,
        text: Literal["page", "image"] = "page",
    ) -> None:
        self._reader = Reader(weights, device=device, beams=beams)
        self._text = text

    def read_page(self, page: PageView) -> PageFacts:
        layer = _text_layer(page)
        trusted = self._text == "page" and bool(layer.words) and not needs_ocr(layer.quality)
        image = page.render(_resolution(page, self._reader.config.dpi))
        found = without_repeats(self._reader.layout(image, page.width, page.height))
        readings = self._read(image, page, found, trusted)
        drafts, lines = _drafts(page, found, readings, layer.lines if trusted else [])
        words = layer.words if trusted else _words(page, found, readings, page.width / image.width)
        return PageFacts(
            number=page.number,
            label=page.label,
            width=page.width,
            height=page.height,
            rotation=page.rotation,
            words=words,
            drafts=tuple(
                drafts_from_lines(
                    lines,
                    page=page.number,
                    width=page.width,
                    height=page.height,
                    stage=STAGE,
                    placed=drafts,
                )
            ),
            quality=layer.quality if trusted else _quality(words, image),
            hidden=tuple(layer.hidden),
            links=tuple(page.links()),
            annotations=tuple(page.annotations()),
            form_fields=tuple(page.widgets()),
        )

    def compose(self, facts: Sequence[PageFacts], outline: Sequence[OutlineEntry]) -> list[Page]:
        return compose_pages(facts, outline)

    def _read(
        self, image: Image.Image, page: PageView, found: Sequence[Block], trusted: bool
    ) -> dict[int, Reading]:
        """What the model reads of the blocks it is asked for, by their place in `found`."""
        wanted: defaultdict[Literal["text", "table", "formula"], list[int]] = defaultdict(list)
        for at, block in enumerate(found):
            kind = kind_of(block.label)
            if kind != "figure" and not (kind == "text" and trusted):
                wanted[kind].append(at)
        readings: dict[int, Reading] = {}
        for kind, places in wanted.items():
            crops = [_crop(image, page, found[at].bbox) for at in places]
            readings |= zip(places, self._reader.read(crops, kind), strict=True)
        return readings


def _text_layer(page: PageView) -> _Layer:
    words, hidden = split_hidden(page, drop_duplicates(page.words()))
    lines = lines_from_words(style_words(words, page.spans()))
    return _Layer(tuple(words), lines, list(hidden), assess(page, words, hidden))


def _resolution(page: PageView, dpi: float) -> float:
    """`dpi`, lowered on huge pages."""
    inches = max(page.width * page.height, 1.0) / 72.0**2
    return min(dpi, math.sqrt(_MAX_PIXELS / inches))


def _crop(image: Image.Image, page: PageView, box: BBox) -> Image.Image:
    box, scale = _around(box, page), image.width / page.width
    corners = (box.x0 * scale, box.y0 * scale, box.x1 * scale, box.y1 * scale)
    left, top = math.floor(corners[0]), math.floor(corners[1])
    right, bottom = math.ceil(corners[2]), math.ceil(corners[3])
    return image.crop((left, top, max(right, left + 1), max(bottom, top + 1)))


def _around(box: BBox, page: PageView) -> BBox:
    """The box with the margin of its crop."""
    across, down = (min(_MARGIN * side, _MOST_MARGIN) for side in (box.width, box.height))
    wider = BBox.of(box.x0 - across, box.y0 - down, box.x1 + across, box.y1 + down)
    return wider.clip(page.width, page.height)


def _drafts(
    page: PageView, found: Sequence[Block], readings: dict[int, Reading], lines: Sequence[Line]
) -> tuple[list[Draft], list[Line]]:
    """A draft for each block that says something, and the lines of the page that are in none."""
    drafts: list[Draft] = []
    rest = list(lines)
    for at, block in enumerate(found):
        own = [line for line in rest if block.bbox.contains_point(*line.bbox.center)]
        taken = {id(line) for line in own}
        rest = [line for line in rest if id(line) not in taken]
        reading = readings.get(at)
        if own and reading is not None and reading.confidence < _SURE:
            reading = None  # the page's own text is worth more
        made = block_of(block, page.number, at + 1, STAGE, reading, own)
        if made is not None:
            is_text = isinstance(made, TextBlock)
            drafts.append(Draft(made, _style(own, block) if is_text else None))
    return drafts, rest


def _style(lines: Sequence[Line], block: Block) -> Style:
    """Of the longest line on the page. Text that was read has one size, for how high its lines are
    says little, and what is a heading the model has said."""
    if not lines:
        return _READ_TITLE if is_heading(block.label) else _READ
    longest = max(lines, key=lambda line: len(line.text))
    bold = all(line.bold for line in lines)
    return Style(longest.size, bold, longest.italic, longest.font)


def _words(
    page: PageView, found: Sequence[Block], readings: dict[int, Reading], scale: float
) -> tuple[Word, ...]:
    return tuple(
        word
        for at, reading in readings.items()
        if kind_of(found[at].label) == "text"
        for word in words_of(reading, _around(found[at].bbox, page), scale)
    )


def _quality(words: Sequence[Word], image: Image.Image) -> Quality:
    if not words:
        if has_ink(image):
            return Quality("suspicious", ("no_text_found",), "ocr")
        return Quality("ok", ("blank",), "none")
    total = sum(len(word.text) for word in words)
    sure = sum(len(word.text) * (word.confidence or 0.0) for word in words) / max(total, 1)
    return (
        Quality("ok", (), "ocr")
        if sure >= _SURE
        else Quality("suspicious", ("low_ocr_confidence",), "ocr")
    )
