"""Words with boxes for text that a model read without saying where each word stands [D].

A line is taken to be filled evenly by its characters, and a block read as a whole by its lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docpipe.geometry import BBox
from docpipe.parsers.docfusion.reading import Reading
from docpipe.records import Word


def words_of(reading: Reading, block: BBox, scale: float) -> list[Word]:
    """The words of a text block that stands at `block`; `scale` is points a pixel of its crop."""
    return [
        word
        for text, box in _lines(reading, block, scale)
        for word in _words(text, box, reading.confidence)
    ]


def _lines(reading: Reading, block: BBox, scale: float) -> Iterator[tuple[str, BBox]]:
    for text, box in reading.parts:
        yield (
            text,
            BBox.of(
                block.x0 + scale * box.x0,
                block.y0 + scale * box.y0,
                block.x0 + scale * box.x1,
                block.y0 + scale * box.y1,
            ),
        )
    if not reading.parts:
        yield from _even(reading.text.splitlines(), block)


def _even(lines: Sequence[str], block: BBox) -> Iterator[tuple[str, BBox]]:
    """Lines of equal height; each as wide as the longest would make it."""
    longest = max(map(len, lines), default=0)
    height = block.height / max(len(lines), 1)
    for at, line in enumerate(lines):
        right = block.x0 + block.width * len(line) / max(longest, 1)
        yield line, BBox.of(block.x0, block.y0 + at * height, right, block.y0 + (at + 1) * height)


def _words(text: str, box: BBox, confidence: float) -> Iterator[Word]:
    step = box.width / max(len(text), 1)
    at = 0
    for part in text.split():
        at = text.index(part, at)
        left, right = box.x0 + at * step, box.x0 + (at + len(part)) * step
        yield Word(part, BBox.of(left, box.y0, right, box.y1), confidence)
        at += len(part)
