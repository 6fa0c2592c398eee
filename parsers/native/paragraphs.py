"""Where one paragraph ends and the next begins, in the lines of one column."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

from docpipe.parsers.native.lines import Line, is_monospaced
from docpipe.parsers.native.markers import (
    is_bullet,
    is_contents_entry,
    list_marker,
    starts_division,
)

_SENTENCE_END = re.compile(r"[.!?:;。！？]['\"”’»)\]]*$")
_STEP = re.compile(r"^(\d{1,2})\s+(?=[^\W\d_]{2})")
_CLOSED = re.compile(r"[.!?:;。！？]")
_MAX_LEADING = 2.2  # in font sizes: beyond it lines never belong together


def split_paragraphs(
    lines: Sequence[Line], em: float, *, turned: bool = False, typewritten: bool = False
) -> list[list[Line]]:
    """`lines` from top to bottom as paragraphs; in a `typewritten` text a typewriter face is no
    sign of code."""
    if not lines:
        return []
    if turned:
        return _by_nearness(lines)
    pitch = _usual_pitch(lines, em)
    edges = _edges(lines)
    steps = _steps(lines)
    blocks: list[list[Line]] = [[lines[0]]]
    for number, line in enumerate(lines[1:], 1):
        if number in steps or _starts_new(blocks[-1], line, pitch, edges, typewritten):
            blocks.append([line])
        else:
            blocks[-1].append(line)
    return blocks


def _usual_pitch(lines: Sequence[Line], em: float) -> float:
    """The usual distance from line to line of the column, in font sizes."""
    pitches = [
        (below.bottom - above.bottom) / above.size
        for above, below in pairwise(lines)
        if abs(above.size - below.size) < 0.5
    ]
    tight = [pitch for pitch in pitches if 0.8 < pitch < _MAX_LEADING]
    if not tight:
        return 1.3
    return statistics.median_low(tight) if len(tight) > 2 else min(*tight, 1.6)


def _edges(lines: Sequence[Line]) -> tuple[float, float]:
    """Where the column's lines begin and full lines end."""
    ends = sorted(line.bbox.x1 for line in lines)
    return min(line.bbox.x0 for line in lines), ends[int(0.8 * (len(ends) - 1))]


def _steps(lines: Sequence[Line]) -> set[int]:
    """The lines that start with numbers counting up at one left edge: steps without a point."""
    steps: set[int] = set()
    before: tuple[int, int, float] | None = None
    for number, line in enumerate(lines):
        match = _STEP.match(line.text)
        if match is None:
            continue
        if before and int(match[1]) == before[1] + 1 and abs(line.bbox.x0 - before[2]) < 1.0:
            steps |= {before[0], number}
        before = number, int(match[1]), line.bbox.x0
    return steps


def _starts_new(
    block: list[Line], line: Line, pitch: float, edges: tuple[float, float], typewritten: bool
) -> bool:
    last = block[-1]
    size = min(last.size, line.size)
    advance = (line.bottom - last.bottom) / size
    gap = (line.bbox.y0 - last.bbox.y1) / size
    own_pitch = (last.bottom - block[-2].bottom) / size if len(block) > 1 else max(pitch, 1.0)
    mono = not typewritten and is_monospaced(last) and is_monospaced(line)
    if gap > (1.8 if mono else 1.0) or advance < -0.5:
        return True
    if mono and 0.88 < line.size / last.size < 1.14:
        return False
    if _differs(block, line) and not _mid_sentence(block, line, advance, pitch, edges):
        return True
    if advance > 1.22 * max(own_pitch, 1.0) + 0.05:
        return True
    if is_contents_entry(last.text) or (
        list_marker(line.text) is not None and not _is_mid_line(block, line, edges)
    ):
        return True
    if line.bold and starts_division(line.text):
        return True
    return _ends_centred(last, line, edges) or _indentation_breaks(block, line, edges[1])


def _differs(block: list[Line], line: Line) -> bool:
    """Set in another size or weight than the block."""
    last = block[-1]
    ratio = line.size / last.size
    if not 0.88 < ratio < 1.14:
        return True
    return line.bold != all(other.bold for other in block) and last.bold != line.bold


def _is_mid_line(block: Sequence[Line], line: Line, edges: tuple[float, float]) -> bool:
    """Whether a letter or number that looks like that of an item ends a sentence instead: "… for
    class / C. The next"."""
    last = block[-1]
    return (
        not is_bullet(line.text)
        and list_marker(block[0].text) is None
        and abs(line.bbox.x0 - last.bbox.x0) < 0.3 * line.size
        and last.bbox.x1 > edges[1] - 1.5 * line.size
        and not _CLOSED.search(last.text[-2:])
    )


def _mid_sentence(
    block: Sequence[Line], line: Line, advance: float, pitch: float, edges: tuple[float, float]
) -> bool:
    """Whether a sentence runs on into a line of other weight, such as the name of a link."""
    last = block[-1]
    if abs(line.size - last.size) > 0.06 * last.size or line.bold == last.bold:
        return False
    if advance > 1.15 * max(pitch, 1.0) or abs(line.bbox.x0 - last.bbox.x0) > 0.3 * line.size:
        return False
    if line.text[:1].islower():
        return not _SENTENCE_END.search(last.text)
    full = last.bbox.x1 - last.bbox.x0 > 0.75 * (edges[1] - edges[0])
    return (
        full
        and line.bold
        and len(last.words) > 5
        and last.text[-1:].islower()
        and bool(_SENTENCE_END.search(line.text))
        and not _CLOSED.search(last.text)
    )


def _indentation_breaks(block: list[Line], line: Line, right: float) -> bool:
    first, last = block[0], block[-1]
    size = line.size
    column = max(right - first.bbox.x0, 1.0)
    if _centred(last, line, right) or list_marker(first.text) is not None:
        return False
    short = last.bbox.x1 < right - 0.18 * column
    indent = (line.bbox.x0 - last.bbox.x0) / size
    if len(block) == 1:
        indent = (line.bbox.x0 - first.bbox.x0) / size
        if indent < -0.8:  # the first line of a paragraph stands further in than the second
            return short and bool(_SENTENCE_END.search(last.text))
        return (short and bool(_SENTENCE_END.search(last.text)) and line.text[:1].isupper()) or (
            indent > 0.8 and short
        )
    if indent > 0.8 and (short or bool(_SENTENCE_END.search(last.text))):
        return True
    level = abs(last.bbox.x0 - block[-2].bbox.x0) < 0.3 * size
    if indent < -0.8 and level and not _has_drop_cap(first):
        return True
    return short and bool(_SENTENCE_END.search(last.text)) and line.text[:1].isupper()


def _ends_centred(last: Line, line: Line, edges: tuple[float, float]) -> bool:
    """Whether a centred block, such as a caption, ends and a full line follows."""
    left, right = edges
    margin = 2 * line.size
    return (
        last.bbox.x0 > left + margin
        and last.bbox.x1 < right - margin
        and abs(last.bbox.x0 - left + last.bbox.x1 - right) < margin
        and line.bbox.x0 < left + margin
        and line.bbox.x1 > right - 0.5 * margin
    )


def _has_drop_cap(line: Line) -> bool:
    return line.words[0].bbox.height > 1.6 * line.bbox.height


def _centred(last: Line, line: Line, right: float) -> bool:
    middle = abs(last.bbox.center[0] - line.bbox.center[0])
    return middle < 0.4 * line.size and abs(last.bbox.x0 - line.bbox.x0) > line.size


def _by_nearness(lines: Sequence[Line]) -> list[list[Line]]:
    """Turned lines that follow each other closely, as blocks."""
    blocks: list[list[Line]] = [[lines[0]]]
    for line in lines[1:]:
        last = blocks[-1][-1]
        if _is_near(last, line):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _is_near(last: Line, line: Line) -> bool:
    reach = 1.6 * max(last.size, line.size)
    grown = last.bbox.expand(reach - min(last.bbox.width, last.bbox.height) / 2)
    return 0.88 < line.size / last.size < 1.14 and grown.intersection(line.bbox) > 0
