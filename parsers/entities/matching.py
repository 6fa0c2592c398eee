"""Combinatorial matching: fields that stand once go to one entity each, all chosen at once.

That such fields exist and that matching handles them is the paper's idea [P]; the objective, the
stay-out costs and thresholds here are ours [D].

    gain_ic = log p_ic - max over many-fields and OTHER of log p_ic'
    maximise the sum of gain_ic - tau_c over partial assignments of entities to one-fields

All other entities get the best of the many-fields and OTHER. So no one-field is given twice, a
many-field is never capped, and where plain argmax gives no field twice it is the result (tau = 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

Floats = npt.NDArray[np.floating[Any]]
Classes = npt.NDArray[np.int64]

WORTH_TUNING = 0.001  # of micro F1: less is chance, and other documents differ from those


def gains(log_probs: Floats, ones: Sequence[int]) -> npt.NDArray[np.float64]:
    """What giving one-field c to entity i is worth over leaving it out, shape (n, len(ones)).

    `log_probs` is (n, classes) with class 0 = OTHER.
    """
    scores = np.asarray(log_probs, np.float64)
    rest = np.setdiff1d(np.arange(scores.shape[1]), ones)
    return np.asarray(scores[:, list(ones)] - scores[:, rest].max(axis=1, keepdims=True))


def match(
    log_probs: Floats,
    ones: Sequence[int],
    thresholds: Sequence[float] | None = None,
    required: Sequence[int] = (),
) -> Classes:
    """The class of each entity, shape (n,), under "each class in `ones` at most once".

    `log_probs` is (n, classes); `thresholds` are the tau of each class of `ones` (0 if None; below
    0 raises recall); each class in `required` goes to some entity while there are enough of them.
    """
    scores = np.asarray(log_probs, np.float64)
    n = len(scores)
    rest = np.setdiff1d(np.arange(scores.shape[1]), ones)
    labels: Classes = rest[scores[:, rest].argmax(axis=1)] if n else np.zeros(0, np.int64)
    if not n or not len(ones):
        return labels
    worth = gains(scores, ones) - np.asarray(0.0 if thresholds is None else thresholds)
    # Large enough that no sum of other gains outweighs it, yet finite: a page may have too few.
    bonus = 1.0 + 2.0 * (len(ones) + 1) * float(np.abs(worth).max())
    worth[:, [at for at, c in enumerate(ones) if c in required]] += bonus
    rows, columns = linear_sum_assignment(np.hstack([worth, np.zeros((n, n))]), maximize=True)
    fields = np.asarray(ones, np.int64)
    given = columns < len(fields)
    labels[rows[given]] = fields[columns[given]]
    return labels


def violations(labels: Classes, ones: Sequence[int]) -> int:
    """Number of one-fields given to two or more entities."""
    return sum(int((labels == c).sum() > 1) for c in ones)


def tune_thresholds(
    log_probs: Sequence[Floats],
    gold: Sequence[Classes],
    ones: Sequence[int],
    grid: Sequence[float] = (-1, -0.5, 0, 0.5, 1),
) -> tuple[float, ...]:
    """The tau of each one-field, for the best micro F1 of all fields on pages kept for validation.

    Fields are tuned one after another, the others at what they have; a field stays at 0 unless that
    costs WORTH_TUNING there. On those pages matching is never worse than with all tau at 0.
    """
    taus = [0.0] * len(ones)
    for at in range(len(ones)):
        trials = sorted(grid, key=lambda tau: (abs(tau), tau))
        scores = [
            _micro_f1(log_probs, gold, ones, [*taus[:at], tau, *taus[at + 1 :]]) for tau in trials
        ]
        best = int(np.argmax(scores))
        taus[at] = float(trials[best]) if scores[best] - scores[0] >= WORTH_TUNING else 0.0
    return tuple(taus)


def _micro_f1(
    log_probs: Sequence[Floats],
    gold: Sequence[Classes],
    ones: Sequence[int],
    taus: Sequence[float],
) -> float:
    hits = total = 0
    for page, truth in zip(log_probs, gold, strict=True):
        labels = match(page, ones, taus)
        hits += int(((labels == truth) & (truth > 0)).sum())
        total += int((labels > 0).sum() + (truth > 0).sum())
    return 2 * hits / max(total, 1)
