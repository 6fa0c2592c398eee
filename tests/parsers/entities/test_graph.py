"""The graph of nearest entities and hop distances in it."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.parsers.entities.graph import (
    CENTRE_SHARE,
    hop_distances,
    nearest_edges,
    nearest_on_sides,
    page_hops,
    pair_distances,
)

numbers = st.floats(0, 1, allow_nan=False).map(lambda x: round(x, 3))
box = st.tuples(numbers, numbers, numbers, numbers).map(
    lambda b: (min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3]))
)
boxes = st.lists(box, max_size=12).map(lambda rows: np.array(rows, float).reshape(-1, 4))


def breadth_first(edges: np.ndarray, start: int) -> dict[int, int]:
    found, queue = {start: 0}, deque([start])
    while queue:
        node = queue.popleft()
        for other in np.flatnonzero(edges[node]):
            if int(other) not in found:
                found[int(other)] = found[node] + 1
                queue.append(int(other))
    return found


@settings(max_examples=60, deadline=None)
@given(boxes, st.integers(1, 4), st.integers(1, 4))
def test_hop_distances_are_those_of_a_breadth_first_search(
    rows: np.ndarray, k: int, cap: int
) -> None:
    edges = nearest_edges(pair_distances(rows), k)
    hops = hop_distances(edges, cap)
    for start in range(len(rows)):
        found = breadth_first(edges, start)
        expected = [min(found.get(end, cap + 1), cap + 1) for end in range(len(rows))]
        assert hops[start].tolist() == expected


@settings(max_examples=60, deadline=None)
@given(boxes, st.integers(1, 8))
def test_every_entity_reaches_itself_and_its_k_nearest(rows: np.ndarray, k: int) -> None:
    distances = pair_distances(rows)
    edges = nearest_edges(distances, k)
    assert (edges == edges.T).all()
    assert edges.diagonal().all()
    assert (edges.sum(1) - 1 >= min(k, len(rows) - 1)).all()
    for at in range(len(rows)):
        others = sorted((distances[at, to], to) for to in range(len(rows)) if to != at)
        assert edges[at, [to for _, to in others[:k]]].all()


def test_distance_is_the_gap_plus_a_share_of_the_centres() -> None:
    rows = np.array([[0.0, 0.0, 0.4, 0.1], [0.7, 0.4, 0.9, 0.5]])
    gap, centre = 0.3**2 + 0.3**2, 0.6**2 + 0.4**2
    assert pair_distances(rows)[0, 1] == pytest.approx(gap**0.5 + CENTRE_SHARE * centre**0.5)
    assert pair_distances(rows, "centre")[0, 1] == pytest.approx(centre**0.5)


def test_a_wide_line_is_near_the_amount_at_its_right() -> None:
    wide, amount, below = [0.0, 0.0, 0.6, 0.02], [0.62, 0.0, 0.7, 0.02], [0.3, 0.08, 0.34, 0.1]
    rows = np.array([wide, amount, below])
    by_gap, by_centre = pair_distances(rows), pair_distances(rows, "centre")
    assert by_gap[0, 1] < by_gap[0, 2]
    assert by_centre[0, 1] > by_centre[0, 2]


def test_ties_go_to_the_lower_index_and_equal_boxes_keep_their_edges() -> None:
    rows = np.array([[0.5, 0.5, 0.6, 0.6]] * 4)
    assert nearest_edges(pair_distances(rows), 1).astype(int).tolist() == [
        [1, 1, 1, 1],
        [1, 1, 0, 0],
        [1, 0, 1, 0],
        [1, 0, 0, 1],
    ]


def test_hops_along_a_chain_are_capped() -> None:
    rows = np.array([[x, 0.0, x + 0.01, 0.01] for x in (0.0, 0.1, 0.2, 0.31, 0.43)])
    hops = page_hops(rows, 1, 3, "gap")
    assert hops[0].tolist() == [0, 1, 2, 3, 4]
    apart = np.eye(3, dtype=bool)
    assert hop_distances(apart, 6).tolist() == [[0, 7, 7], [7, 0, 7], [7, 7, 0]]


def test_no_entity_is_no_graph() -> None:
    assert page_hops(np.zeros((0, 4)), 6, 6, "gap").shape == (0, 0)
    assert page_hops(np.zeros((1, 4)), 6, 6, "gap").tolist() == [[0]]


def test_neighbours_are_the_nearest_on_each_side() -> None:
    rows = np.array(
        [[0.0, 0.0, 0.3, 0.1], [0.6, 0.01, 0.9, 0.11], [0.0, 0.2, 0.3, 0.3], [0.05, 0.4, 0.25, 0.5]]
    )
    assert nearest_on_sides(rows).tolist() == [
        [-1, 1, -1, 2],
        [0, -1, -1, -1],
        [-1, -1, 0, 3],
        [-1, -1, 2, -1],
    ]
    assert nearest_on_sides(np.zeros((0, 4))).shape == (0, 4)
