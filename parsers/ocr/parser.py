"""The parser itself: a page's image made upright, read, and laid out like any page of text."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from docpipe.errors import StageError
from docpipe.parsers.native import NativeParser
from docpipe.parsers.native.blocks import drafts_from_lines
from docpipe.parsers.native.ink import has_ink, text_lines
from docpipe.parsers.native.lines import lines_from_words
from docpipe.parsers.native.tables import find_tables
from docpipe.parsers.native.words import StyledWord
from docpipe.parsers.ocr.engines import (
    SURE,
    EngineName,
    OcrWord,
    build_engine,
    mean_confidence,
)
from docpipe.parsers.ocr.figures import figures_of
from docpipe.parsers.ocr.rules import BARS, Sheet, drawn_lines, is_bar, shaded_areas
from docpipe.parsers.ocr.upright import Placement, ink_points, is_sideways, skew_of, turned
from docpipe.records import OutlineEntry, Page, Quality, Region, Table, Word
from docpipe.stages import Draft, PageFacts, PageView

if TYPE_CHECKING:
    from PIL import Image

    from docpipe.parsers.ocr.upright import Points

STAGE = "ocr"
_READ_WELL = 0.85  # mean confidence: printed pages have 0.9 and more, handwriting 0.8
_NOISE = 0.3  # words below this are specks, rules and textures
_LIKELY = 0.6  # a word that is probably there
_FEW_WORDS = 5
_UPRIGHT = 0.85  # mean confidence that text upside down does not reach
_CERTAIN = 0.85  # a lone letter, which an ornament may look like
_ENOUGH_PIXELS = 2_500_000
_MAX_PIXELS = 8_000_000
_MAX_DPI = 600.0
_MIN_INK = 30  # dark pixels of a small image; less is an empty page
_EM = 0.8  # of a line's height


class OcrParser:
    """Reads pages from their image.

    `engine`: "auto" takes Tesseract where it is installed and asks RapidOCR where it is unsure.
    `dpi`: resolution of the image; raised on small pages, lowered on huge ones. `languages`:
    Tesseract's codes. `threads`: of RapidOCR.
    """

    def __init__(
        self,
        engine: EngineName = "auto",
        dpi: float = 200.0,
        languages: tuple[str, ...] = (),
        threads: int = 1,
    ) -> None:
        self.engine = build_engine(engine, languages, threads)
        self._dpi = dpi

    def read_page(self, page: PageView) -> PageFacts:
        image = page.render(_resolution(page, self._dpi))
        words, placement = self._read_upright(page, image)
        upright = turned(image, placement.quarters, placement.skew)
        styled = _style(words, placement)
        sheet = _sheet(page.number, upright, placement, styled)
        styled = [each for each in styled if not is_bar(each.word, sheet.drawings())]
        tables = find_tables(sheet, [each.word for each in styled])
        lines = lines_from_words(_outside(styled, tables))
        figures, lines = figures_of(upright, placement, lines, tables, page.number, STAGE)
        drafts = drafts_from_lines(
            lines,
            page=page.number,
            width=placement.size[0],
            height=placement.size[1],
            stage=STAGE,
            placed=[*map(Draft, tables), *map(Draft, figures)],
        )
        return PageFacts(
            number=page.number,
            label=page.label,
            width=page.width,
            height=page.height,
            rotation=page.rotation,
            words=tuple(_on_page(each.word, placement) for each in styled),
            drafts=tuple(_placed(draft, placement) for draft in drafts),
            quality=_quality(words, image, page),
            links=tuple(page.links()),
            annotations=tuple(page.annotations()),
            form_fields=tuple(page.widgets()),
        )

    def compose(self, facts: Sequence[PageFacts], outline: Sequence[OutlineEntry]) -> list[Page]:
        return NativeParser().compose(facts, outline)

    def _read_upright(self, page: PageView, image: Image.Image) -> tuple[list[OcrWord], Placement]:
        scale = image.width / max(page.width, 1e-6)
        placement = Placement((page.width, page.height), scale)
        points = ink_points(image)
        if len(points) < _MIN_INK:
            return [], placement
        quarters = (
            (*self._sides(image, 72.0 * scale, page.number), 0) if is_sideways(image) else (0, 2)
        )
        best: tuple[list[OcrWord], Placement] = ([], placement)
        for quarter in quarters:
            level = _points_turned(points, quarter)
            placement = Placement((page.width, page.height), scale, quarter, skew_of(level))
            upright = turned(image, quarter, placement.skew)
            words = self._read(upright, 72.0 * scale, page.number)
            best = max(best, (words, placement), key=lambda found: _certainty(found[0]))
            if len(words) < _FEW_WORDS or _stand(words):
                continue
            if mean_confidence(words) >= _UPRIGHT or self._is_upright(
                upright, words, 72.0 * scale, page.number
            ):
                break
        return best

    def _sides(self, image: Image.Image, dpi: float, number: int) -> list[int]:
        """The quarters by which to turn a page whose lines run up or down, by how well a strip of
        it is read so."""

        def certainty(quarter: int) -> float:
            upright = turned(image, quarter, 0.0)
            top, bottom = int(0.44 * upright.height), int(0.56 * upright.height)
            strip = upright.crop((0, top, upright.width, bottom))
            return _certainty(self._read(strip, dpi, number))

        return sorted((1, 3), key=certainty, reverse=True)

    def _is_upright(
        self, image: Image.Image, words: Sequence[OcrWord], dpi: float, number: int
    ) -> bool:
        """Whether the middle lines of a page are read with more confidence than upside down."""
        middles = sorted(word.bbox.center[1] for word in words)
        top, bottom = (middles[int(share * (len(middles) - 1))] for share in (0.4, 0.6))
        margin = max(word.bbox.height for word in words)
        strip = image.crop((0, int(top - margin), image.width, int(bottom + margin)))
        turned_over = self._read(strip.rotate(180), dpi, number)
        here = [word for word in words if top <= word.bbox.center[1] <= bottom]
        return mean_confidence(here) > mean_confidence(turned_over)

    def _read(self, image: Image.Image, dpi: float, number: int) -> list[OcrWord]:
        try:
            words = self.engine.read(image, dpi)
        except StageError as error:
            raise StageError(STAGE, number, error.message, code=error.code) from error
        return _without_noise(words)


def _certainty(words: Sequence[OcrWord]) -> float:
    """How sure it is that a page was read the right way up."""
    upright = 0.5 if _stand(words) else 1.0
    return upright * mean_confidence(words) * min(1.0, len(words) / _FEW_WORDS)


def _stand(words: Sequence[OcrWord]) -> bool:
    """Whether most words are higher than wide: RapidOCR also reads lines that run up or down."""
    long = [word for word in words if len(word.text) > 2]
    return sum(word.bbox.height > word.bbox.width for word in long) > 0.5 * len(long)


def _points_turned(points: Points, quarters: int) -> Points:
    for _ in range(quarters):
        points = points[:, ::-1] * (-1.0, 1.0)
    return points


def _resolution(page: PageView, dpi: float) -> float:
    """`dpi`, raised on small pages as far as the scan on it has detail, lowered on huge ones."""
    inches = max(page.width * page.height, 1.0) / 72.0**2
    detail = max(
        (image.pixels[0] * 72.0 / image.bbox.width for image in page.images() if image.bbox.width),
        default=_MAX_DPI,
    )
    enough = min(math.sqrt(_ENOUGH_PIXELS / inches), _MAX_DPI, max(detail, dpi))
    return min(max(dpi, enough), math.sqrt(_MAX_PIXELS / inches))


def _without_noise(words: Sequence[OcrWord]) -> list[OcrWord]:
    """What is left without specks; nothing at all of a page that has hardly a sure word."""
    company = Counter(word.line for word in words)
    kept = [
        word
        for word in words
        if word.confidence >= _NOISE
        and (word.confidence >= _LIKELY or any(map(str.isalnum, word.text)))
        and (word.confidence >= _CERTAIN or company[word.line] > 1 or len(word.text) > 1)
    ]
    sure = sum(
        len(word.text) for word in kept if word.confidence >= _LIKELY and word.text.isalnum()
    )
    return kept if sure >= 4 or mean_confidence(kept) >= SURE else []


def _quality(words: Sequence[OcrWord], image: Image.Image, page: PageView) -> Quality:
    if not words:
        if not has_ink(image):
            return Quality("ok", ("blank",), "none")
        if not page.images() and not text_lines(image):  # areas and lines that a program drew
            return Quality("ok", ("drawing",), "none")
        return Quality("suspicious", ("no_text_found",), "ocr")
    if mean_confidence(words) < _READ_WELL:
        return Quality("suspicious", ("low_ocr_confidence",), "ocr")
    return Quality("ok", (), "ocr")


def _style(words: Sequence[OcrWord], placement: Placement) -> list[StyledWord]:
    """Words in points of the upright frame, with the font size that their line's height tells."""
    heights: dict[int, list[float]] = {}
    for word in words:
        heights.setdefault(word.line, []).append(word.bbox.height / placement.scale)
    sizes = smoothed({line: _EM * max(values) for line, values in heights.items()})
    made = []
    for word in words:
        placed = Word(word.text, placement.to_frame(word.bbox), round(word.confidence, 3))
        made.append(StyledWord(placed, round(sizes[word.line], 1), run=word.line))
    return made


def smoothed(sizes: Mapping[int, float]) -> dict[int, float]:
    """Sizes of lines with those that are nearly alike made one, their median.

    A line without descenders, or of capitals, measures up to a third less than its neighbours.
    Groups are taken around the most frequent size first.
    """
    left = dict(sizes)
    smooth: dict[int, float] = {}
    while left:
        center = max(
            left.values(),
            key=lambda size: (sum(_is_alike(other, size) for other in left.values()), size),
        )
        group = [line for line, size in left.items() if _is_alike(size, center)]
        usual = statistics.median(left[line] for line in group)
        for line in group:
            smooth[line] = usual
            del left[line]
    return smooth


def _is_alike(size: float, center: float) -> bool:
    return 0.72 * center <= size <= 1.25 * center


def _on_page(word: Word, placement: Placement) -> Word:
    return Word(word.text, placement.to_page(word.bbox), word.confidence)


def _sheet(
    number: int, upright: Image.Image, placement: Placement, styled: Sequence[StyledWord]
) -> Sheet:
    """The page image, made upright, as the lines and shades that are drawn on it."""
    if not styled:
        return Sheet(number, placement, ())
    words = [each.word for each in styled if each.word.text not in BARS]
    lines = drawn_lines(upright, placement.scale, words)
    return Sheet(number, placement, [*shaded_areas(upright, placement.scale), *lines])


def _outside(words: Sequence[StyledWord], tables: Sequence[Table]) -> list[StyledWord]:
    boxes = [table.source.regions[0].bbox for table in tables]
    return [
        word
        for word in words
        if not any(box.contains_point(*word.word.bbox.center) for box in boxes)
    ]


def _placed(draft: Draft, placement: Placement) -> Draft:
    """The draft with its regions on the page instead of in the upright frame."""

    def moved(region: Region) -> Region:
        return Region(region.page, placement.to_page(region.bbox))

    block = draft.block
    regions = tuple(map(moved, block.source.regions))
    source = msgspec.structs.replace(block.source, regions=regions, stage=STAGE)
    if isinstance(block, Table):
        cells = tuple(
            msgspec.structs.replace(cell, region=cell.region and moved(cell.region))
            for cell in block.cells
        )
        block = msgspec.structs.replace(block, cells=cells)
    return Draft(msgspec.structs.replace(block, source=source), draft.style)
