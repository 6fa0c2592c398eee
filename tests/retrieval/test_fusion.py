from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.retrieval.fusion import reciprocal_rank_fusion

RANKING = st.lists(st.integers(0, 12), unique=True, max_size=8)
RANKINGS = st.lists(RANKING, max_size=5)


def test_scores_are_those_of_the_paper() -> None:
    fused = reciprocal_rank_fusion([["a", "b"], ["c", "a"]])
    assert fused == [
        ("a", pytest.approx(1 / 61 + 1 / 62)),
        ("c", pytest.approx(1 / 61)),
        ("b", pytest.approx(1 / 62)),
    ]


@given(RANKING)
def test_a_single_ranking_keeps_its_order(ranking: list[int]) -> None:
    assert [item for item, _ in reciprocal_rank_fusion([ranking])] == ranking
    assert [item for item, _ in reciprocal_rank_fusion([ranking, ranking, []])] == ranking


@given(st.data())
def test_the_order_of_the_rankings_does_not_matter(data: Any) -> None:
    rankings = data.draw(RANKINGS)
    scores = dict(reciprocal_rank_fusion(rankings))
    assert scores.keys() == {item for ranking in rankings for item in ranking}
    other = dict(reciprocal_rank_fusion(data.draw(st.permutations(rankings))))
    assert other == pytest.approx(scores)


@given(RANKINGS, st.integers(0, 12))
def test_a_vote_more_never_lowers_an_item(rankings: list[list[int]], item: int) -> None:
    before = dict(reciprocal_rank_fusion(rankings)).get(item, 0.0)
    assert dict(reciprocal_rank_fusion([*rankings, [item]]))[item] > before


@given(st.integers(1, 60), st.integers(1, 60))
def test_agreement_beats_one_vote(first: int, second: int) -> None:
    """Two votes for whatever rank down to 60 are worth more than one for the first."""
    rankings = [[f"{voter} {rank}" for rank in range(60)] for voter in range(2)]
    rankings[0][first - 1] = rankings[1][second - 1] = "agreed"
    assert reciprocal_rank_fusion(rankings)[0][0] == "agreed"
