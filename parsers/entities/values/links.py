"""Answers of a form linked to their questions, by where they stand.

An answer belongs to the question that is nearest at its left or above, where "near" counts line
heights, and a question or other text in between counts as far. Each answer has one question at
most; a question may have many, as the heading of a column does. So the best whole is the best of
each: an assignment of questions to one answer each, the rest given to the nearest, was worse
(FUNSD, training part: F1 83.2 against 84.4 without lines that go on).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docpipe.parsers.entities.values.layout import place
from docpipe.records import Entity

Floats = npt.NDArray[np.floating[Any]]

# Costs in line heights, chosen on the training part of FUNSD.
_SAME_LINE = 0.4  # share of the lower box that two boxes of one line have in common
_OVERLAP = 3.0  # how far an answer may reach into its question's box
_RIGHT, _BELOW = 0.3, 1.0  # for each line height of distance
_BELOW_AT_ALL = 1.0
_ALIGNMENT = 0.3  # for each line height that neither left edges nor centres are aligned
_INDENT = 5.0  # an answer below without overlap may begin so far from its question's left edge
_BETWEEN_RIGHT, _BETWEEN_BELOW = 2.0, 25.0  # for each text in between
_LEFT = 10.0  # of an answer left of its question
_LINE_GAP = 0.8
_NEXT_LINE = 2.0  # of an answer that goes on in the line below, to the same question
_TOO_FAR = 40.0
# Of how likely a link is right, by its cost and by how much dearer the next best is.
_SURE, _PER_COST, _PER_MARGIN, _MOST_MARGIN = 2.2, 0.17, 0.15, 10.0


class Link(NamedTuple):
    """`score` is the chance in 0..1 that the answer belongs to the question."""

    question: Entity
    answer: Entity
    score: float


def link(
    questions: Sequence[Entity], answers: Sequence[Entity], others: Sequence[Entity] = ()
) -> list[Link]:
    """The links of answers to questions, in the order of answers; `others` are texts that part a
    question from an answer."""
    pages = sorted({place(answer)[0] for answer in answers})
    return [
        found
        for page in pages
        for found in _link_page(*(_on(page, part) for part in (questions, answers, others)))
    ]


def _on(page: int, entities: Sequence[Entity]) -> list[Entity]:
    return [entity for entity in entities if place(entity)[0] == page]


def _link_page(questions: list[Entity], answers: list[Entity], others: list[Entity]) -> list[Link]:
    if not questions:
        return []
    boxes = _boxes(answers)
    costs = _costs(boxes, _boxes(questions), _boxes([*questions, *others]))
    costs = _with_next_lines(costs, boxes)
    found = []
    for answer, row in zip(answers, costs, strict=True):
        best = int(row.argmin())
        if row[best] < _TOO_FAR:
            margin = min([*np.delete(row, best), np.inf]) - row[best]
            found.append(Link(questions[best], answer, _chance(float(row[best]), float(margin))))
    return found


def _chance(cost: float, margin: float) -> float:
    return 1 / (1 + math.exp(_PER_COST * cost - _PER_MARGIN * min(margin, _MOST_MARGIN) - _SURE))


def _boxes(entities: Sequence[Entity]) -> Floats:
    rows = [(box.x0, box.y0, box.x1, box.y1) for _, box in map(place, entities)]
    return np.array(rows, np.float64).reshape(-1, 4)


def _costs(answers: Floats, questions: Floats, between: Floats) -> Floats:
    """What it costs to give each answer to each question, shape (answers, questions); infinite
    where they cannot belong together."""
    heights = np.concatenate([answers, questions])
    line = max(float(np.median(heights[:, 3] - heights[:, 1])), 1.0)
    a, q, z = answers[:, None, :], questions[None, :, :], between[None, None, :, :]
    shared_y = np.minimum(a[..., 3], q[..., 3]) - np.maximum(a[..., 1], q[..., 1])
    shared_x = np.minimum(a[..., 2], q[..., 2]) - np.maximum(a[..., 0], q[..., 0])
    lower = np.minimum(a[..., 3] - a[..., 1], q[..., 3] - q[..., 1])
    same_line = shared_y > _SAME_LINE * lower
    right, down = (a[..., 0] - q[..., 2]) / line, (a[..., 1] - q[..., 3]) / line

    on_line = np.maximum(right, 0) * _RIGHT + _BETWEEN_RIGHT * _count_right(a, q, z)
    from_left = np.abs(a[..., 0] - q[..., 0]) / line
    from_centre = np.abs(a[..., 0] + a[..., 2] - q[..., 0] - q[..., 2]) / 2 / line
    below = _BELOW_AT_ALL + np.maximum(down, 0) * _BELOW + _BETWEEN_BELOW * _count_below(a, q, z)
    below = below + _ALIGNMENT * np.minimum(from_left, from_centre)
    left = _LEFT + np.maximum(q[..., 0] - a[..., 2], 0) / line

    is_right = same_line & (right > -_OVERLAP)
    is_below = (down > -0.6) & ((shared_x > 0) | (from_left < _INDENT))
    is_left = same_line & (a[..., 2] <= q[..., 0] + 0.3 * line)
    costs = [
        np.where(fits, cost, np.inf)
        for fits, cost in ((is_right, on_line), (is_below, below), (is_left, left))
    ]
    return np.asarray(np.minimum.reduce(costs))


def _with_next_lines(costs: Floats, answers: Floats) -> Floats:
    """The costs, where an answer may also share the question of the answer right above it."""
    shared = costs.copy()
    for at in np.argsort(answers[:, 1], kind="stable"):
        box = answers[at]
        line = max(box[3] - box[1], 1.0)
        gap, indent = box[1] - answers[:, 3], np.abs(box[0] - answers[:, 0])
        above = (np.abs(gap) < _LINE_GAP * line) & (indent < line) & (answers[:, 1] < box[1])
        for other in np.flatnonzero(above):
            shared[at] = np.minimum(shared[at], shared[other] + _NEXT_LINE)
    return shared


def _count_right(a: Floats, q: Floats, z: Floats) -> Floats:
    """How many boxes are on the line between each question and answer."""
    low = np.minimum(q[..., 2], a[..., 0])[..., None]
    high = np.maximum(a[..., 0], q[..., 2])[..., None]
    top, bottom = np.maximum(a[..., 1], q[..., 1]), np.minimum(a[..., 3], q[..., 3])
    middle = ((top + bottom) / 2)[..., None]
    centre = (z[..., 0] + z[..., 2]) / 2
    inside = (z[..., 1] <= middle) & (z[..., 3] >= middle) & (centre > low) & (centre < high)
    return np.asarray(inside.sum(-1))


def _count_below(a: Floats, q: Floats, z: Floats) -> Floats:
    """How many boxes are in the column between each question and answer."""
    low, high = q[..., 3][..., None], a[..., 1][..., None]
    centre = (z[..., 1] + z[..., 3]) / 2
    right = np.minimum(a[..., 2], q[..., 2])[..., None]
    left = np.maximum(a[..., 0], q[..., 0])[..., None]
    shared = np.minimum(z[..., 2], right) - np.maximum(z[..., 0], left)
    return np.asarray(((centre > low) & (centre < high) & (shared > 0)).sum(-1))
