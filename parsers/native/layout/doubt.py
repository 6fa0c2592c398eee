"""Whether the rules left a page's tables in doubt: what decides where the model is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docpipe.geometry import BBox
from docpipe.records import Table, Word

SURE = 0.9  # confidence of tables whose cells are drawn; those held by alignment have less

_CAPTION = re.compile(
    r"(?:table|tab\.|tabelle|tableau|tabla|exhibit|schedule)\s*(?:\d|[IVX]+\b|[A-Z][.\d])", re.I
)
_APART = 12.0  # points between words of which the second may start a line


def is_doubtful(tables: Sequence[Table], words: Sequence[Word]) -> bool:
    """Whether a table rests on alignment alone, or more tables are named than were found.

    `words` are the page's, in the order of the PDF.
    """
    return any(map(is_unsure, tables)) or _captions(words) > len(tables)


def is_unsure(table: Table) -> bool:
    return (table.source.confidence or 0.0) < SURE


def _captions(words: Sequence[Word]) -> int:
    """How many lines start like a table's caption."""
    count = 0
    before: BBox | None = None
    for word, following in pairwise(words):
        if _starts_line(before, word.bbox):
            count += _CAPTION.match(f"{word.text} {following.text}") is not None
        before = word.bbox
    return count


def _starts_line(before: BBox | None, box: BBox) -> bool:
    return before is None or before.y_overlap(box) <= 0 or box.x0 - before.x1 > _APART
