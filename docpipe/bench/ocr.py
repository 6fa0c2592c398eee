"""The bench `ocr`: pages with a text layer, rendered and read from the picture.

Data: every PDF in a folder called `pdfs` or `documents` below `data`. `limit` is the number of
pages, shared out evenly over five kinds, at most three a document:

    slides     wider than high
    tables     every sixth word or more is a number
    lists      without the function words of English prose: forms, contents, other languages
    columns    lines shorter than half of the page: papers, brochures
    text       the others: reports, books

The visible text layer is the truth, so pages are taken that have 60 words of trusted text and no
large image. Figures for each engine, and each kind:

    error      characters to change, over those of the truth: each line of the truth is held
               against the words found on it, so the order of lines does not matter; words found
               on no line count, too
    ned        the same for the whole page in reading order: edit distance over the longer text
    cpu        CPU seconds of reading the page, rendering and layout included

Engines: tesseract, rapidocr, the parser's own choice (`auto`), and rapidocr as it comes; those
named in `parts`, or all.
"""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from docpipe.bench.corpus import pdf_files
from docpipe.bench.result import Info, Measured, Row
from docpipe.bench.task import Options
from docpipe.content import block_text
from docpipe.errors import ConfigError, DocpipeError
from docpipe.geometry import BBox
from docpipe.records import Word

if TYPE_CHECKING:
    from PIL import Image

    from docpipe.parsers.ocr import OcrParser
    from docpipe.parsers.ocr.engines import OcrWord
    from docpipe.stages import PageFacts, PageView

ENGINES = ("tesseract", "rapidocr", "auto", "as_it_comes")
KINDS = ("slides", "tables", "lists", "columns", "text")
LIMIT = 100

_PER_DOCUMENT = 3
_CANDIDATES = 8  # pages of a document that are looked at
_WORDS = 60
_IMAGES = 0.25  # of the page: what images say is not in the truth
_NUMBERS = 1 / 6


class Sample(msgspec.Struct, frozen=True):
    """A page to read."""

    path: Path
    number: int
    kind: str


class Truth(msgspec.Struct, frozen=True):
    """The words of a page, those of a line together, and its text in reading order."""

    lines: list[list[Word]]
    text: str

    @property
    def characters(self) -> int:
        return sum(len(word.text) for line in self.lines for word in line)


def run(data: Path, options: Options) -> Measured:
    """Read the pages with the engines. Raises ConfigError for an unknown engine, and when `data`
    has no such pages."""
    if unknown := sorted(set(options.parts) - set(ENGINES)):
        raise ConfigError(f"unknown engine {unknown[0]!r}", hint=f"known: {', '.join(ENGINES)}")
    samples = pick(data, options)
    if not samples:
        raise ConfigError(f"{data} has no PDFs with text", hint="see docs/data.md")
    return measure(samples, options)


def measure(samples: Sequence[Sample], options: Options) -> Measured:
    """A row for each page that could be read; scores as the module says."""
    from docpipe.pdf import open_document

    parsers = {name: _parser(name) for name in options.parts or ENGINES}
    rows: list[Row] = []
    for number, sample in enumerate(options.track(samples)):
        with open_document(sample.path) as document:
            page = document.page(sample.number)
            if not number:
                for parser in parsers.values():
                    parser.read_page(page)  # loading is no part of the first page's time
            rows.append(_row(sample, page, parsers))
    return Measured(rows, _by_kind(rows), (_pages_by_kind(samples),))


def pick(data: Path, options: Options) -> list[Sample]:
    """The pages, drawn with the seed: of every kind as many as there are of the others."""
    limit = options.limit or LIMIT
    pools: defaultdict[str, list[Sample]] = defaultdict(list)
    files = pdf_files(data)
    draw = random.Random(options.seed)
    draw.shuffle(files)
    for path in files:
        for sample in _candidates(path, draw):
            pools[sample.kind].append(sample)
    chosen: list[Sample] = []
    while len(chosen) < limit and any(pools.values()):
        for kind in KINDS:
            if pools[kind] and len(chosen) < limit:
                chosen.append(pools[kind].pop(0))
    return chosen


def _candidates(path: Path, draw: random.Random) -> Iterator[Sample]:
    from docpipe.parsers.native import NativeParser
    from docpipe.pdf import open_document

    parser, found = NativeParser(), 0
    try:
        with open_document(path) as document:
            numbers = range(1, document.page_count + 1)
            for number in draw.sample(numbers, min(_CANDIDATES, len(numbers))):
                page = document.page(number)
                if len(page.words()) < _WORDS or _image_share(page) > _IMAGES:
                    continue
                facts = parser.read_page(page)
                if facts.quality.reasons or found == _PER_DOCUMENT:
                    continue
                found += 1
                yield Sample(path, number, kind_of(facts))
    except DocpipeError:
        return


def kind_of(facts: PageFacts) -> str:
    """The kind of a page, one of KINDS."""
    from docpipe.parsers.ocr.engines import OcrWord, is_english

    words = [OcrWord(word.text, word.bbox, 1.0, 0) for word in facts.words]
    numbers = sum(any(map(str.isdigit, word.text)) for word in words)
    if facts.width > facts.height:
        return "slides"
    if numbers >= _NUMBERS * len(words):
        return "tables"
    if not is_english(words):
        return "lists"
    widths = sorted(
        region.bbox.width for draft in facts.drafts for region in draft.block.source.regions
    )
    return "columns" if widths and widths[len(widths) // 2] < 0.5 * facts.width else "text"


def truth_of(page: PageView) -> Truth:
    """What the text layer says."""
    from docpipe.parsers.native import NativeParser
    from docpipe.parsers.native.lines import lines_from_words
    from docpipe.parsers.native.words import style_words

    facts = NativeParser().read_page(page)
    lines = lines_from_words(style_words(list(facts.words), page.spans()))
    boxes = [line.bbox for line in lines]
    groups: defaultdict[int, list[Word]] = defaultdict(list)
    for word in facts.words:
        groups[_home(word.bbox, boxes)].append(word)
    return Truth(list(groups.values()), _text(facts))


def errors(truth: Truth, words: Sequence[Word]) -> int:
    """Characters to insert, delete or change, line by line; blanks do not count."""
    from rapidfuzz.distance import Levenshtein

    boxes = [_around(line) for line in truth.lines]
    found: defaultdict[int, list[Word]] = defaultdict(list)
    for word in words:
        found[_home(word.bbox, boxes)].append(word)
    total = sum(len(word.text) for word in found.pop(-1, []))
    for index, line in enumerate(truth.lines):
        total += Levenshtein.distance(_joined(line), _joined(found[index]))
    return total


def _home(box: BBox, lines: Sequence[BBox]) -> int:
    """The line that the centre of a box is on, the nearest in height where two are; or -1."""
    x, y = box.center
    near = [
        (abs((line.y0 + line.y1) / 2 - y), index)
        for index, line in enumerate(lines)
        if line.expand(2.0).contains_point(x, y)
    ]
    return min(near)[1] if near else -1


def _around(words: Sequence[Word]) -> BBox:
    from docpipe.geometry import union_all

    return union_all(word.bbox for word in words)


def _joined(words: Sequence[Word]) -> str:
    return fold("".join(word.text for word in sorted(words, key=lambda word: word.bbox.x0)))


def fold(text: str) -> str:
    """Without blanks, and with one form for quotes, dashes and ligatures: pictures tell them
    apart no better than people do."""
    import unicodedata

    table = str.maketrans("‘’“”–—−‐•∙·", "''\"\"----...")
    return "".join(unicodedata.normalize("NFKC", text).translate(table).split())


def _text(facts: PageFacts) -> str:
    return fold(" ".join(block_text(draft.block) for draft in facts.drafts))


def _row(sample: Sample, page: PageView, parsers: dict[str, OcrParser]) -> Row:
    from rapidfuzz.distance import Levenshtein

    truth = truth_of(page)
    scores: dict[str, float] = {}
    for name, parser in parsers.items():
        before = _cpu_seconds()
        facts = parser.read_page(page)
        scores[f"{name}.cpu"] = round(_cpu_seconds() - before, 3)
        wrong = errors(truth, facts.words)
        scores[f"{name}.error"] = round(wrong / max(truth.characters, 1), 5)
        scores[f"{name}.ned"] = round(Levenshtein.normalized_distance(truth.text, _text(facts)), 5)
    info: dict[str, Info] = {"kind": sample.kind, "characters": truth.characters}
    return Row(f"{sample.path.stem}#{sample.number}", scores, info, sample.path.stem)


def _parser(name: str) -> OcrParser:
    from docpipe.parsers.ocr import OcrParser
    from docpipe.parsers.ocr.engines import EngineName

    if name != "as_it_comes":
        return OcrParser(engine=msgspec.convert(name, EngineName))
    parser = OcrParser(engine="rapidocr")
    parser.engine = _AsItComes()
    return parser


class _AsItComes:
    """RapidOCR with its own settings, on one thread: more would only add to its CPU time."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR

        self._model: Any = RapidOCR(
            params={
                "Global.log_level": "error",
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            }
        )

    def read(self, image: Image.Image, dpi: float) -> list[OcrWord]:
        import numpy as np

        from docpipe.parsers.ocr.rapid import bounds, split_line

        found = self._model(np.ascontiguousarray(np.asarray(image)[:, :, ::-1]))
        words: list[OcrWord] = []
        for number, box in enumerate(found.boxes if found.boxes is not None else ()):
            words += split_line(found.txts[number], bounds(box), found.scores[number], number)
        return words


def _by_kind(rows: Sequence[Row]) -> dict[str, float]:
    """Medians of all pages, and means of the pages of each kind."""
    import statistics

    figures: dict[str, float] = {}
    for kind in KINDS:
        some = [row.scores for row in rows if row.info["kind"] == kind]
        for figure in some[0] if some else ():
            figures[f"{kind}.{figure}"] = statistics.mean(scores[figure] for scores in some)
    for engine in ENGINES:
        values = [row.scores[f"{engine}.error"] for row in rows if f"{engine}.error" in row.scores]
        if values:
            figures[f"{engine}.median_error"] = statistics.median(values)
    return figures


def _pages_by_kind(samples: Sequence[Sample]) -> str:
    counts = {kind: sum(sample.kind == kind for sample in samples) for kind in KINDS}
    return "pages: " + ", ".join(f"{kind} {count}" for kind, count in counts.items())


def _cpu_seconds() -> float:
    """Of this process and of the programs that it ran, in user and system mode."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _image_share(page: PageView) -> float:
    covered = sum(image.bbox.clip(page.width, page.height).area for image in page.images())
    return covered / max(page.width * page.height, 1.0)
