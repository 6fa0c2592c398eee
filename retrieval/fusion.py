"""Rankings joined to one by the ranks alone (Cormack, Clarke and Büttcher 2009)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reciprocal_rank_fusion(rankings: Sequence[Sequence[T]], k: int = 60) -> list[tuple[T, float]]:
    """All items of the rankings (best first, no item twice in one) with their scores, best first.

    An item's score is the sum of 1 / (k + rank) over the rankings it is in, ranks from 1; the
    larger `k`, the less the first ranks stand out. Equal scores keep the order of appearance.
    """
    scores: dict[T, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, 1):
            scores[item] = scores.get(item, 0.0) + 1 / (k + rank)
    return sorted(scores.items(), key=lambda scored: -scored[1])
