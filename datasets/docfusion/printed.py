"""Printed lines of PDFs in pieces, their text layer as the truth.

A line is cut where a gap is wide (columns, cells of a table), and into pieces of at most so many
characters, at gaps between words: narrow images keep enough pixels for each character.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from docpipe.datasets.docfusion.profiles import Split
from docpipe.datasets.docfusion.samples import Sample
from docpipe.errors import DocpipeError
from docpipe.geometry import BBox, union_all
from docpipe.records import Word

if TYPE_CHECKING:
    from docpipe.stages import PageView, TextSpan

_WIDE_GAP = 1.3  # of the line's height: more than a blank of justified text
_MARGIN = 1.0  # points around a crop
_LARGE_IMAGE = 0.25  # of the page: what images say is not in the text layer
_FOLDED = str.maketrans("‘’“”–—−‐‑•∙·\u00a0", "''\"\"-----... ")


def fold(text: str) -> str:
    """One form for quotes, dashes and ligatures, as DocFusion's synthetic texts have them."""
    import unicodedata

    return unicodedata.normalize("NFKC", text).translate(_FOLDED)


def line_pieces(words: Sequence[Word], most: int) -> Iterator[tuple[str, BBox]]:
    """Pieces of lines of at most `most` characters with their boxes; longer words are left out.

    Where the boxes of lines overlap, as fonts with high boxes make them, the overlap is halved.
    """
    found = [
        piece for line in text_lines(words) for run in _runs(line) for piece in _pieces(run, most)
    ]
    boxes = [box for _, box in found]
    return iter([(said, _apart(box, boxes)) for said, box in found])


def _apart(box: BBox, others: Sequence[BBox]) -> BBox:
    top, bottom, middle = box.y0, box.y1, box.center[1]
    for other in others:
        if other.x_overlap(box) <= 0 or _shares_height(other, box):
            continue
        if other.center[1] < middle:
            top = max(top, (box.y0 + min(other.y1, middle)) / 2)
        else:
            bottom = min(bottom, (box.y1 + max(other.y0, middle)) / 2)
    return BBox.of(box.x0, min(top, middle), box.x1, max(bottom, middle))


def text_lines(words: Sequence[Word]) -> list[list[Word]]:
    """Words at the same height, from left to right; lines from top to bottom."""
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.bbox.center[1]):
        last = lines[-1][-1].bbox if lines else None
        if last is not None and _shares_height(last, word.bbox):
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda word: word.bbox.x0) for line in lines]


def _shares_height(first: BBox, second: BBox) -> bool:
    return first.y_overlap(second) >= 0.6 * min(first.height, second.height)


def _runs(line: Sequence[Word]) -> Iterator[list[Word]]:
    """The line cut at wide gaps."""
    run = [line[0]]
    for before, word in pairwise(line):
        if word.bbox.x0 - before.bbox.x1 > _WIDE_GAP * max(before.bbox.height, 1.0):
            yield run
            run = []
        run.append(word)
    yield run


def _pieces(run: Sequence[Word], most: int) -> Iterator[tuple[str, BBox]]:
    held: list[Word] = []
    for word in [*run, None]:
        length = sum(len(fold(w.text)) + 1 for w in held)
        if held and (word is None or length + len(fold(word.text)) > most):
            yield fold(" ".join(w.text for w in held)), union_all(w.bbox for w in held)
            held = []
        if word is not None and len(fold(word.text)) <= most:
            held.append(word)


def page_pieces(page: PageView, most: int, dpi: float, name: str) -> list[Sample]:
    """The pieces of a page as samples: upright, visible text in printable ASCII, away from images.

    Empty where images cover much of the page.
    """
    images = [image.bbox.clip(page.width, page.height) for image in page.images()]
    if sum(box.area for box in images) > _LARGE_IMAGE * page.width * page.height:
        return []
    shown = [span.bbox.expand(1.0) for span in page.spans() if _is_plain(span)]
    words = [
        word
        for word in page.words()
        if any(box.contains_point(*word.bbox.center) for box in shown)
        and not any(word.bbox.intersection(box) for box in images)
    ]
    full = page.render(dpi)
    return [
        Sample(
            task="text",
            image=full.crop(_pixels(box.expand(_MARGIN).clip(page.width, page.height), dpi)),
            text=said,
            name=f"{name}/line{number}",
            group=name.partition("/")[0],
        )
        for number, (said, box) in enumerate(line_pieces(words, most))
        if said.isascii() and said.isprintable() and box.width >= 2 and box.height >= 4
    ]


def _is_plain(span: TextSpan) -> bool:
    upright = span.direction[0] > 0.999
    return upright and span.alpha > 0.5 and span.render_mode != 3 and span.size >= 5


def _pixels(box: BBox, dpi: float) -> tuple[int, int, int, int]:
    from docpipe.geometry import to_pixels

    return to_pixels(box, dpi)


def printed_pieces(
    folder: Path, limit: int, *, most: int = 46, split: Split | None = None, seed: int = 0
) -> list[Sample]:
    """At most `limit` pieces of the PDFs below `folder`, drawn evenly over documents.

    `split` takes the documents of one half, by a hash of their names: what is tuned on "train" is
    not measured on "held_out". Each page is rendered at 100 to 200 dpi. Files that cannot be read
    are passed over.
    """
    chance = random.Random(seed)
    paths = [path for path in sorted(folder.rglob("*.pdf")) if split in (None, split_of(path))]
    chance.shuffle(paths)
    share = max(1, -(-limit // max(len(paths), 1)))
    found: list[Sample] = []
    for path in paths:
        pieces = _of_document(path, most, chance)
        found += chance.sample(pieces, min(share, len(pieces)))
        if len(found) >= limit:
            break
    return found[:limit]


def split_of(path: Path) -> Split:
    return "held_out" if zlib.crc32(path.stem.encode()) % 2 else "train"


def _of_document(path: Path, most: int, chance: random.Random, pages: int = 2) -> list[Sample]:
    from docpipe.pdf import open_document

    found: list[Sample] = []
    try:
        with open_document(path) as document:
            numbers = range(1, document.page_count + 1)
            for number in sorted(chance.sample(numbers, min(pages, len(numbers)))):
                dpi = chance.uniform(100, 200)
                name = f"{path.stem}/p{number}"
                found += page_pieces(document.page(number), most, dpi, name)
    except DocpipeError:
        return found
    return found
