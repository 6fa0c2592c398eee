"""Lines of text from words, by geometry and by the order in which they are drawn.

Works in a reading frame per direction of writing, so that text turned by 90, 180 or 270 degrees and
vertical writing become lines in the same way. A word space becomes a gutter when neighbouring lines
leave the same place free: text of two columns never becomes one line.
"""

from __future__ import annotations

import re
import statistics
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from docpipe.geometry import BBox, union_all
from docpipe.parsers.native.directions import axis, frame
from docpipe.parsers.native.line_text import is_rtl, join_words, logical_order
from docpipe.parsers.native.words import UPRIGHT, StyledWord
from docpipe.records import Word

_WORD_GAP = 0.55  # in font sizes: always a word space
_STYLE_GAP = 0.9  # never one between text of two sizes
_WIDE_GAP = 2.2  # never a word space above this
_NEIGHBOURHOOD = 9.0  # how far up and down a gutter is looked for, in font sizes

_COMMON = 0.25  # of the characters of a page
_MONOSPACED = re.compile(
    r"mono(?!type)|cour|consol|menlo|typewriter|cmtt|inconsol|source ?code|nimbusmon", re.IGNORECASE
)
_LETTER = re.compile(r"[^\W\d_]")


class Line(msgspec.Struct, frozen=True, gc=False):
    """Words on one baseline; `size` in points; bold where all of it is, italic where most is.

    `direction` is the unit vector of the baseline, (1, 0) for upright text. `text` is in logical
    order.
    """

    text: str
    words: tuple[Word, ...]
    bbox: BBox
    size: float
    bold: bool = False
    italic: bool = False
    font: str = ""
    direction: tuple[float, float] = UPRIGHT
    foot: float | None = None

    @property
    def bottom(self) -> float:
        """Where the words of the line's own font end below: the box of a line with formulas in it
        reaches further down."""
        return self.bbox.y1 if self.foot is None else self.foot


class _Piece(msgspec.Struct, gc=False):
    """Words side by side, with their box in the reading frame."""

    words: list[StyledWord]
    box: BBox
    size: float


def lines_from_words(words: Sequence[StyledWord]) -> list[Line]:
    """The lines of a page, those of one direction after another, top to bottom in each."""
    by_direction: defaultdict[tuple[float, float], list[StyledWord]] = defaultdict(list)
    for word in words:
        by_direction[axis(word.direction)].append(word)
    lines: list[Line] = []
    for direction in sorted(by_direction, key=lambda axis: axis != UPRIGHT):
        pieces = _pieces(by_direction[direction], direction)
        merged = _merge_on_baselines(pieces)
        merged.sort(key=lambda piece: (piece.box.y0, piece.box.x0))
        lines += [line_of(piece.words, direction) for piece in merged]
    return lines


def line_of(words: Sequence[StyledWord], direction: tuple[float, float] = UPRIGHT) -> Line:
    """One line of these words, given from left to right. Style is that of most characters."""
    words = logical_order(words)
    cap = _drop_cap(words)
    weights: defaultdict[tuple[float, str], int] = defaultdict(int)
    total = italic = 0
    for word in words:
        length = len(word.word.text)
        total += length
        italic += length * word.italic
        weights[word.size, word.font] += length
    size, font = max(weights, key=lambda key: (weights[key], key))
    text = join_words([word.word for word in words[cap:]], direction)
    if cap:
        text = words[0].word.text + text
    if text.isupper():  # small capitals: the large letters tell the size
        size = max(word.size for word in words)
    return Line(
        text=text,
        words=tuple(word.word for word in words),
        bbox=_line_box(words, cap),
        size=size,
        bold=all(word.bold for word in _telling(words)),
        italic=italic >= 0.7 * total,
        font=font,
        direction=direction,
        foot=_foot(words, font, size) if direction == UPRIGHT else None,
    )


def _telling(words: Sequence[StyledWord]) -> Sequence[StyledWord]:
    """The words that tell a line's weight: those with letters, where there are any."""
    return [word for word in words if _LETTER.search(word.word.text)] or words


def _foot(words: Sequence[StyledWord], font: str, size: float) -> float | None:
    bottoms = [w.word.bbox.y1 for w in words if w.font == font and abs(w.size - size) < 0.1]
    return statistics.median_low(bottoms) if bottoms else None


def _drop_cap(words: Sequence[StyledWord]) -> int:
    """1 when the first word is a large initial that the second goes on from, else 0."""
    if len(words) < 2 or len(words[0].word.text) > 1 or not words[0].word.text.isupper():
        return 0
    first, second = words[0], words[1]
    close = second.word.bbox.x0 - first.word.bbox.x1 < 0.8 * second.size
    return int(first.size > 1.8 * second.size and close and second.word.text[:1].isalpha())


def _line_box(words: Sequence[StyledWord], cap: int) -> BBox:
    """The box of a line; a drop cap lends it its left edge only, as it hangs over lines below."""
    box = union_all(word.word.bbox for word in words[cap:])
    return BBox(min(box.x0, words[0].word.bbox.x0), box.y0, box.x1, box.y1)


def merge_lines(lines: Sequence[Line]) -> Line:
    """Lines side by side, given from left to right, as one; style of the longest."""
    if sum(is_rtl(line.text) for line in lines) * 2 > len(lines):
        lines = lines[::-1]
    longest = max(lines, key=lambda line: len(line.text))
    text = " ".join(line.text for line in lines)
    return msgspec.structs.replace(
        longest,
        text=text,
        size=max(line.size for line in lines) if text.isupper() else longest.size,
        words=tuple(word for line in lines for word in line.words),
        bbox=union_all(line.bbox for line in lines),
        bold=all(line.bold for line in lines),
    )


def is_monospaced(line: Line) -> bool:
    """Whether a line is set in a typewriter face, by the name of its font."""
    return _MONOSPACED.search(line.font) is not None


def _pieces(words: Iterable[StyledWord], direction: tuple[float, float]) -> list[_Piece]:
    """Words drawn one after another on one baseline."""
    place = frame(direction)
    pieces: list[_Piece] = []
    run = -1
    for word in words:
        box = place(word.word.bbox)
        last = pieces[-1] if pieces else None
        if last is not None and word.run == run >= 0 and _continues(last, box, word.size):
            last.words.append(word)
            last.box = last.box.union(box)
            last.size = max(last.size, word.size)
        else:
            pieces.append(_Piece([word], box, word.size))
        run = word.run
    return pieces


def _continues(piece: _Piece, box: BBox, size: float) -> bool:
    gap = box.x0 - piece.box.x1
    return -0.5 * size < gap < _WIDE_GAP * size and piece.box.y_overlap(box) > 0.3 * min(
        piece.box.height, box.height
    )


def _merge_on_baselines(pieces: list[_Piece]) -> list[_Piece]:
    _hang_drop_caps(pieces)
    rows = _rows(pieces)
    neighbours = _Neighbours(pieces)
    merged: list[_Piece] = []
    for row in rows:
        merged.append(row[0])
        for piece in row[1:]:
            last = merged[-1]
            if _is_word_space(last, piece, neighbours):
                last.words.extend(piece.words)
                last.box = last.box.union(piece.box)
                last.size = max(last.size, piece.size)
            else:
                merged.append(piece)
    return merged


def _hang_drop_caps(pieces: Sequence[_Piece]) -> None:
    """Cuts the boxes of large initials to the first of the lines they stand beside."""
    usual = statistics.median(piece.size for piece in pieces)
    for piece in pieces:
        text = piece.words[0].word.text
        if len(piece.words) == 1 and piece.size > 1.8 * usual and len(text) == 1 and text.isupper():
            top = piece.box.y0 + 0.25 * piece.box.height  # of the letter: the box has ascent above
            piece.box = BBox(piece.box.x0, top, piece.box.x1, top + 1.1 * usual)


def _rows(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """Pieces on one baseline, left to right. A piece joins the row whose last member it fits."""
    open_rows: list[list[_Piece]] = []
    rows: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.box.y0 + piece.box.y1, piece.box.x0)):
        open_rows = [row for row in open_rows if row[0].box.y1 > piece.box.y0]
        fitting = [row for row in open_rows if _on_row(row, piece)]
        if fitting:
            fitting[-1].append(piece)
        else:
            open_rows.append([piece])
            rows.append(open_rows[-1])
    for row in rows:
        row.sort(key=lambda piece: piece.box.x0)
    return rows


def _on_row(row: Sequence[_Piece], piece: _Piece) -> bool:
    if _same_baseline(row[0].box, piece.box):
        return True
    return any(_is_raised(other, piece) for other in row)


def _is_raised(one: _Piece, other: _Piece) -> bool:
    """Whether one is a small mark high or low at the end of the other."""
    small, large = (one, other) if one.size < other.size else (other, one)
    if small.size >= 0.8 * large.size or len(small.words) != 1:
        return False
    gap = max(small.box.x0 - large.box.x1, large.box.x0 - small.box.x1)
    return abs(gap) < 0.3 * large.size and small.box.y_overlap(large.box) > 0.1 * small.box.height


def _same_baseline(first: BBox, second: BBox) -> bool:
    return first.y_overlap(second) > 0.55 * min(first.height, second.height)


class _Neighbours:
    """The pieces of a page by height, to be asked what stands above and below a gap."""

    def __init__(self, pieces: Sequence[_Piece]) -> None:
        self._pieces = sorted(pieces, key=lambda piece: piece.box.center[1])
        self._heights = [piece.box.center[1] for piece in self._pieces]

    def leave_free(self, x0: float, x1: float, y: float, size: float) -> bool:
        """Whether lines nearby end left of a gap or start right of it, as at a gutter, rather
        than run across."""
        above = self._between(y - _NEIGHBOURHOOD * size, y - 0.5 * size)
        below = self._between(y + 0.5 * size, y + _NEIGHBOURHOOD * size)
        width = x1 - x0
        return any(
            _leave_free(side, x0 + part * width, 0.2 * size, 15 * size)
            for side in (above, below)
            for part in (0.5, 0.25, 0.75)
        )

    def _between(self, top: float, bottom: float) -> list[BBox]:
        first = bisect_left(self._heights, top)
        last = min(bisect_right(self._heights, bottom), first + 100)
        return [piece.box for piece in self._pieces[first:last]]


def _leave_free(boxes: Sequence[BBox], x: float, margin: float, reach: float) -> bool:
    """Whether boxes stand on both sides of `x` and hardly any on it."""
    left = right = across = 0
    for box in boxes:
        if box.x1 <= x + margin:
            left += box.x1 > x - reach
        elif box.x0 >= x - margin:
            right += box.x0 < x + reach
        else:
            across += 1
    return min(left, right) >= 2 and 2 * across < min(left, right)


def _is_word_space(left: _Piece, right: _Piece, neighbours: _Neighbours) -> bool:
    gap = right.box.x0 - left.box.x1
    size = min(left.size, right.size)
    if gap < _WORD_GAP * size:
        return True
    if gap > _WIDE_GAP * size or max(left.size, right.size) > 1.25 * size:
        return False
    if gap > _STYLE_GAP * size and max(left.size, right.size) > 1.08 * size:
        return False
    y = right.box.center[1]
    return not neighbours.leave_free(left.box.x1, right.box.x0, y, size)


def body_size(lines: Iterable[Line], default: float = 10.0) -> float:
    """The font size of the median character."""
    sizes = [line.size for line in lines for _ in range(0, len(line.text), 8)]
    return statistics.median_low(sizes) if sizes else default


def text_size(lines: Iterable[Line], default: float = 10.0) -> float:
    """The font size of the text where notes are more than it: the largest of those that a quarter
    of the characters have. `default` where fonts are not known, since sizes are guesses there."""
    sizes: defaultdict[float, int] = defaultdict(int)
    for line in lines:
        if line.font:
            sizes[line.size] += len(line.text)
    common = [size for size, count in sizes.items() if count >= _COMMON * sum(sizes.values())]
    return max(common, default=default)
