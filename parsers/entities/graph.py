"""The graph of nearest entities on a page, and hop distances in it.

Each entity is a node with an edge to its K nearest and to itself [R]; attention sees the HOP
DISTANCE, the number of edges on the shortest path, not the distance on paper [R]. The measure of
nearness, K, ties and the cap are [D]. Pages are graphs of their own: nothing joins two pages.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Nearness = Literal["gap", "centre"]

# Centre distance alone favours short boxes: a wide line is far from the amount at its right. The
# gap alone ties wherever boxes touch.
CENTRE_SHARE = 0.05

SIDES = ("left", "right", "above", "below")


def pair_distances(boxes: Floats, nearness: Nearness = "gap") -> npt.NDArray[np.float64]:
    """Distances between (n, 4) boxes in units of page width, shape (n, n).

    "gap" [D]: length of the gap between the boxes, 0 where they touch, plus CENTRE_SHARE of the
    distance of their centres. "centre": Euclidean distance of the centres, the plain reading [R].
    """
    x = (boxes[:, 0] + boxes[:, 2]) / 2
    y = (boxes[:, 1] + boxes[:, 3]) / 2
    centre = np.hypot(x[:, None] - x, y[:, None] - y)
    if nearness == "centre":
        return np.asarray(centre, np.float64)
    gap = np.hypot(_gaps(boxes[:, 0], boxes[:, 2]), _gaps(boxes[:, 1], boxes[:, 3]))
    return np.asarray(gap + CENTRE_SHARE * centre, np.float64)


def _gaps(low: Floats, high: Floats) -> Floats:
    return np.maximum(0.0, np.maximum(low[:, None] - high, low - high[:, None]))


def nearest_edges(distances: Floats, k: int) -> npt.NDArray[np.bool_]:
    """Adjacency (n, n): an edge where either is among the k nearest of the other, and self-loops.

    Ties go to the lower index. Fewer than k others: all of them.
    """
    n = len(distances)
    others = distances.astype(np.float64)
    np.fill_diagonal(others, np.inf)  # by index: another entity at distance 0 keeps its edge
    nearest = np.argsort(others, axis=1, kind="stable")[:, : min(k, max(n - 1, 0))]
    edges = np.zeros((n, n), bool)
    np.put_along_axis(edges, nearest, True, axis=1)
    return edges | edges.T | np.eye(n, dtype=bool)


def hop_distances(edges: npt.NDArray[np.bool_], cap: int) -> npt.NDArray[np.uint8]:
    """Number of edges on the shortest path between nodes, shape (n, n).

    0 on the diagonal; `cap + 1` for more than `cap` edges and where there is no path.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    if not len(edges):
        return np.zeros((0, 0), np.uint8)
    hops = dijkstra(csr_array(edges), unweighted=True, limit=cap)
    return np.minimum(hops, cap + 1).astype(np.uint8)


def page_hops(boxes: Floats, k: int, cap: int, nearness: Nearness) -> npt.NDArray[np.uint8]:
    """Hop distances (n, n) of a page's (n, 4) boxes, which are in units of page width."""
    return hop_distances(nearest_edges(pair_distances(boxes, nearness), k), cap)


def nearest_on_sides(boxes: Floats) -> npt.NDArray[np.int64]:
    """Index of the nearest box to the left, right, above and below, -1 for none, (n, 4).

    Left and right neighbours share half of the lower box's height with it; those above and below
    share some of its width.
    """
    x0, y0, x1, y1 = boxes.T
    heights, middle_x, middle_y = y1 - y0, (x0 + x1) / 2, (y0 + y1) / 2
    shared_y = np.minimum(y1[:, None], y1) - np.maximum(y0[:, None], y0)
    shared_x = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0)
    level = shared_y >= 0.5 * np.minimum(heights[:, None], heights)
    across, down = middle_x - middle_x[:, None], middle_y - middle_y[:, None]
    stacked = (shared_x > 0) & ~level
    return np.stack(
        [
            _nearest(-across, level & (across < 0)),
            _nearest(across, level & (across > 0)),
            _nearest(-down, stacked & (down < 0)),
            _nearest(down, stacked & (down > 0)),
        ],
        axis=1,
    )


def _nearest(distances: Floats, able: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    if not len(distances):
        return np.zeros(0, np.int64)
    best = np.where(able, distances, np.inf).argmin(axis=1)
    return np.where(able.any(axis=1), best, -1)
