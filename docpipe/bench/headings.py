"""The bench `headings`: headings found without the bookmarks, against the bookmarks.

Data: a folder of PDFs, at any depth. Those whose bookmarks name at least MIN_ENTRIES texts that
stand on the pages they point at are measured; their outline is kept from the parser.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path

import msgspec

from docpipe.bench.result import Measured, Row
from docpipe.bench.task import Options, chosen
from docpipe.config import Config
from docpipe.errors import ConfigError, DocpipeError
from docpipe.records import OutlineEntry, Page, TextBlock

MIN_ENTRIES = 6
_MIN_SHARE = 0.5  # of the bookmarks must name a text: others are file names, notes, slide numbers
_ALIKE = 0.85
_NUMBER = re.compile(
    r"^\W*(?:(?:chapter|section|part|article|appendix|item|kapitel)\s+)?"
    r"(?:[A-Za-z]|[ivxlc]+|\d+)?(?:\.\d+)*[.:)]?\s+",
    re.IGNORECASE,
)
_KEY = re.compile(r"[\W_]+")


class Heading(msgspec.Struct, frozen=True):
    """A heading of a page (1-based); `level` 1 is the highest."""

    page: int
    level: int
    text: str


class Pairing(msgspec.Struct, frozen=True):
    """Which heading (by number) is which bookmark, in order."""

    pairs: list[tuple[int, int]]
    wanted: int
    found: int


def run(data: Path, options: Options) -> Measured:
    """Parse each document without its outline and compare. Raises ConfigError without a document.

    Figures: means over documents of `f1`, `precision` and `recall` of headings, over the pages from
    the first to the last bookmark, and `levels`: of neighbouring headings found, the part whose
    levels differ in the same direction as the bookmarks'. A text that is no bookmark counts against
    precision even where it is a heading of a level that the bookmarks leave out.
    """
    files = sorted(data.rglob("*.pdf"))
    rows: list[Row] = []
    for path in options.track(chosen(files, options)):
        try:
            row = _measure(path, options.config)
        except DocpipeError:
            continue  # locked and damaged files are no part of this
        if row is not None:
            rows.append(row)
    if not rows:
        raise ConfigError(f"{data} holds no PDF with bookmarks that name headings")
    return Measured(rows)


def _measure(path: Path, config: Config) -> Row | None:
    from docpipe.pdf import open_document
    from docpipe.pipeline import Pipeline

    parser = Pipeline(config).parser
    with open_document(path) as document:
        entries = document.outline()
        if len(entries) < MIN_ENTRIES:
            return None
        start = time.process_time()
        facts = [parser.read_page(document.page(n + 1)) for n in range(document.page_count)]
        pages = parser.compose(facts, ())
        seconds = time.process_time() - start
    wanted = named_headings(entries, pages)
    if len(wanted) < max(MIN_ENTRIES, _MIN_SHARE * len(entries)):
        return None
    scores = score(wanted, found_headings(pages))
    info = {"pages": len(pages), "bookmarks": len(wanted), "seconds": round(seconds, 1)}
    return Row(path.name, scores, dict(info))


def named_headings(entries: Sequence[OutlineEntry], pages: Sequence[Page]) -> list[Heading]:
    """The bookmarks whose text stands on the page they point at, or on the one after it."""
    texts = ["".join(_key(word.text) for word in page.words) for page in pages]
    wanted: list[Heading] = []
    for entry in entries:
        key = _key(_without_number(entry.title))
        for page in (entry.page, (entry.page or 0) + 1) if key and entry.page else ():
            if page <= len(texts) and key in texts[page - 1]:
                wanted.append(Heading(page, entry.level, entry.title))
                break
    return wanted


def found_headings(pages: Sequence[Page]) -> list[Heading]:
    """The headings and titles of a parsed document."""
    return [
        Heading(page.number, block.level or 1, block.text)
        for page in pages
        for block in page.blocks
        if isinstance(block, TextBlock) and block.role in ("title", "heading")
    ]


def score(wanted: Sequence[Heading], found: Sequence[Heading]) -> dict[str, float]:
    """Precision, recall, F1 and agreement of levels, each from 0 to 1."""
    first, last = min(item.page for item in wanted), max(item.page for item in wanted)
    found = [item for item in found if first <= item.page <= last]
    pairs = list(_pairs(wanted, found))
    precision, recall = len(pairs) / max(len(found), 1), len(pairs) / len(wanted)
    scores = {
        "f1": 2 * precision * recall / max(precision + recall, 1e-9),
        "precision": precision,
        "recall": recall,
    }
    steps = [
        _sign(wanted[b].level - wanted[a].level) == _sign(found[d].level - found[c].level)
        for (a, c), (b, d) in pairwise(pairs)
    ]
    return scores | ({"levels": sum(steps) / len(steps)} if steps else {})


def _pairs(wanted: Sequence[Heading], found: Sequence[Heading]) -> Iterator[tuple[int, int]]:
    """Bookmarks and the headings on their page that say the same, each used once."""
    by_page: defaultdict[int, list[int]] = defaultdict(list)
    for number, heading in enumerate(found):
        by_page[heading.page].append(number)
    for number, item in enumerate(wanted):
        on_page = by_page[item.page]
        at = next((other for other in on_page if _say_the_same(item, found[other])), None)
        if at is not None:
            on_page.remove(at)
            yield number, at


def _say_the_same(wanted: Heading, found: Heading) -> bool:
    one, other = _key(_without_number(wanted.text)), _key(_without_number(found.text))
    if one == other:
        return bool(one)
    if not 0.7 * len(other) <= len(one) <= len(other) / 0.7:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _without_number(text: str) -> str:
    rest = _NUMBER.sub("", text, count=1)
    return rest if _key(rest) else text


def _key(text: str) -> str:
    return _KEY.sub("", text.casefold())


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
