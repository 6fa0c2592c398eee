"""What the model knows of an entity besides its words: its place and the look of its text.

Layout (7 numbers [D]): x0, x1 over page width, y0, y1 over page height, width and height of the box
likewise, rank in reading order over the number of entities. Shape (11 numbers [D]) says in a few
flags what a pretrained text encoder would otherwise have to know: amounts, dates, keys.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from docpipe.geometry import BBox

Floats = npt.NDArray[np.floating[Any]]

LAYOUT_SIZE = 7
SHAPE_SIZE = 11
CONTEXT_SIZE = 11
FEATURE_SIZE = LAYOUT_SIZE + SHAPE_SIZE + CONTEXT_SIZE

# The features that say where on the page an entity stands: box, reading rank, rank from either end.
PLACE = (0, 1, 2, 3, 6, LAYOUT_SIZE + SHAPE_SIZE, LAYOUT_SIZE + SHAPE_SIZE + 1)

_ENDS = 12  # places counted from either end of the page
_REPEATS = 3
_MOST_AMOUNTS = 80  # with more of them sums that mean nothing are everywhere
_FLUSH = 0.03  # page widths

_MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE = re.compile(
    rf"(?<!\d)\d{{1,4}}([-/.])\d{{1,2}}\1\d{{1,4}}(?!\d)"
    rf"|\d{{1,2}}[ .,/-]*(?:{_MONTH})[a-z]*[ .,'/-]*\d{{2,4}}"
    rf"|(?:{_MONTH})[a-z]*\.? \d{{1,2}},? \d{{4}}",
    re.IGNORECASE,
)
_TIME = re.compile(r"(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?!\d)")
_MONEY = re.compile(
    r"(?:[A-Z]{2,3}|[$€£¥₹])?\s*[-(]?\d+(?:[.,' ]\d{3})*[.,]\d{2}\)?\s*(?:[A-Z]{2,3}|[$€£¥₹])?"
)
_AMOUNT = re.compile(
    r"(?<![\d.,])\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{2})?(?![\d.,]?\d)"
    r"|(?<![\d.,])\d+[.,]\d{2}(?![\d.,]?\d)"
)
_WHOLE = re.compile(r"[-+]?\d+")
_CURRENCY = re.compile(r"[$€£¥₹]|\b(?:RM|USD|EUR|GBP|IDR|RP|MYR|VND|CHF)(?=\b|\d)", re.IGNORECASE)


class EntityPage(msgspec.Struct, frozen=True):
    """The entities of one page: texts and boxes of equal number, in any order; sizes in one unit.

    Empty texts and boxes without area are allowed, as real data have them.
    """

    width: float
    height: float
    texts: tuple[str, ...]
    boxes: tuple[BBox, ...]

    def box_array(self) -> npt.NDArray[np.float64]:
        """Boxes of shape (n, 4), x0, y0, x1, y1, all divided by the page WIDTH, so that the aspect
        ratio is kept [D]."""
        rows = [(box.x0, box.y0, box.x1, box.y1) for box in self.boxes]
        return np.array(rows, np.float64).reshape(-1, 4) / (self.width or 1.0)


def page_features(page: EntityPage) -> npt.NDArray[np.float32]:
    """Layout and shape of each entity, shape (n, FEATURE_SIZE)."""
    shapes = np.array([text_shape(text) for text in page.texts], np.float32)
    return np.hstack([layout(page), shapes.reshape(-1, SHAPE_SIZE), context(page)])


def layout(page: EntityPage) -> npt.NDArray[np.float32]:
    """Where each entity stands, shape (n, LAYOUT_SIZE)."""
    boxes = page.box_array()
    boxes[:, 1::2] *= page.width / page.height if page.width and page.height else 1.0
    sizes = boxes[:, 2:] - boxes[:, :2]
    rank = reading_ranks(page.box_array()) / max(len(boxes), 1)
    return np.hstack([boxes, sizes, rank[:, None]]).astype(np.float32)


def reading_ranks(boxes: Floats) -> npt.NDArray[np.int64]:
    """Place of each of the (n, 4) boxes from top to bottom, in rows from left to right, from 0.

    A row is the boxes whose centre is within half a typical height of its first. Equal boxes share
    a rank, so the order in which entities are given does not matter.
    """
    if not len(boxes):
        return np.zeros(0, np.int64)
    middle = (boxes[:, 1] + boxes[:, 3]) / 2
    tolerance = float(np.median(boxes[:, 3] - boxes[:, 1])) / 2
    row, top = np.zeros(len(boxes), np.int64), -math.inf
    number = -1
    for at in np.argsort(middle, kind="stable"):
        if middle[at] - top > tolerance:
            number, top = number + 1, float(middle[at])
        row[at] = number
    keys = np.column_stack([row, boxes])  # np.unique sorts these by row, then by x0
    _, rank, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    starts = np.cumsum(counts) - counts
    return np.asarray(starts[rank.reshape(-1)], np.int64)


def text_shape(text: str) -> tuple[float, ...]:
    """SHAPE_SIZE numbers in 0..1 that tell amounts, dates and keys apart; zeros for no text."""
    text = text.strip()
    if not text:
        return (0.0,) * SHAPE_SIZE
    letters = sum(char.isalpha() for char in text)
    digits = sum(char.isdigit() for char in text)
    marks = sum(not char.isalnum() and not char.isspace() for char in text)
    return (
        digits / len(text),
        sum(char.isupper() for char in text) / max(letters, 1),
        marks / len(text),
        float(bool(_DATE.search(text))),
        float(bool(_TIME.search(text))),
        float(bool(_MONEY.fullmatch(text.strip("*: ")))),
        float(bool(_WHOLE.fullmatch(text))),
        float(bool(_CURRENCY.search(text))),
        float("%" in text),
        float(text.endswith(":")),
        min(math.log1p(len(text)) / 5, 1.0),
    )


def context(page: EntityPage) -> npt.NDArray[np.float32]:
    """How each entity compares with the rest of its page, shape (n, CONTEXT_SIZE) [D].

    Places from the top and from the bottom, of the first and last entities only; of an amount its
    share of the page's largest, whether it is that, the share of smaller ones, how often it stands,
    whether it is the sum of two others, is with another a third, and is the sum of those right
    above it; whether a date is the page's first; how often the same text stands.
    """
    n = len(page.texts)
    rank = reading_ranks(page.box_array())
    amounts = np.array([amount_in(text) for text in page.texts]).reshape(n)
    dates = np.array([bool(_DATE.search(text)) for text in page.texts], bool).reshape(n)
    first_date = rank == rank[dates].min() if dates.any() else np.zeros(n, bool)
    texts = [text.casefold().strip() for text in page.texts]
    counts = Counter(texts)
    columns = [
        np.minimum(rank, _ENDS) / _ENDS,
        np.minimum(n - 1 - rank, _ENDS) / _ENDS,
        *_amount_columns(amounts),
        *_sums(amounts, page.box_array(), rank),
        first_date & dates,
        np.array([min(counts[text] - 1, _REPEATS) / _REPEATS for text in texts]),
    ]
    return np.column_stack(columns).astype(np.float32).reshape(n, CONTEXT_SIZE)


def _amount_columns(amounts: Floats) -> list[npt.NDArray[np.float64]]:
    """Four numbers of each amount, zeros where there is none (NaN)."""
    known = ~np.isnan(amounts)
    values = np.sort(amounts[known])
    if not len(values) or values[-1] <= 0:
        return [np.zeros(len(amounts))] * 4
    safe = np.where(known, amounts, 0.0)
    below, through = np.searchsorted(values, safe), np.searchsorted(values, safe, "right")
    columns = [
        np.sqrt(np.maximum(safe, 0.0) / values[-1]),
        safe == values[-1],
        (below + 1) / len(values),
        np.minimum(through - below, _REPEATS) / _REPEATS,
    ]
    return [np.where(known, column, 0.0) for column in columns]


def _sums(
    amounts: Floats, boxes: Floats, rank: npt.NDArray[np.int64]
) -> list[npt.NDArray[np.bool_]]:
    """Of each amount: whether two others add up to it, whether it and another do to a third, and
    whether at least two that stand right above it, flush at the right, do. Zeros do not count."""
    at = np.flatnonzero(amounts > 0)
    cents = np.round(amounts[at] * 100).astype(np.int64)
    total, addend, below = (np.zeros(len(amounts), bool) for _ in range(3))
    values = np.unique(cents)
    if len(values) < 3 or len(values) > _MOST_AMOUNTS:
        return [total, addend, below]
    others = ~np.eye(len(values), dtype=bool)
    pairs = values[:, None] + values
    total[at] = np.isin(cents, pairs[others])
    addend[at] = np.isin(cents, values[(np.isin(pairs, values) & others).any(axis=1)])
    order = at[np.argsort(rank[at], kind="stable")]
    for place, own in enumerate(order):
        column = [
            other
            for other in order[:place][::-1]
            if abs(boxes[other, 2] - boxes[own, 2]) < _FLUSH
            and boxes[other, 3] <= boxes[own, 3] - (boxes[own, 3] - boxes[own, 1]) / 2
        ]
        running = np.cumsum(np.round(amounts[column] * 100))
        below[own] = bool((running[1:] == round(amounts[own] * 100)).any())
    return [total, addend, below]


def amount_in(text: str) -> float:
    """The last amount in a text, such as 1,234.50, 1.234,50 or 45.000; NaN for none."""
    found = _AMOUNT.findall(text)
    if not found:
        return math.nan
    digits = re.sub(r"\D", "", found[-1])
    cents = found[-1][-3:-2] in (".", ",")
    return int(digits) / (100 if cents else 1)
