"""What is hidden in training."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from docpipe.parsers.docfusion.loss import IGNORED
from docpipe.parsers.pabdm.noise import (
    LEAST,
    bernoulli_noise,
    suffix_noise,
    times,
    with_endings,
)


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 1000))
def test_times_fill_all_strata(rows: int, blocks: int, seed: int) -> None:
    drawn = times(rows, blocks, seeded(seed))
    strata = ((drawn - LEAST) / (1 - LEAST) * rows * blocks).floor().flatten()
    assert sorted(strata.tolist()) == list(range(rows * blocks))


def test_every_number_of_a_block_is_as_likely() -> None:
    labels = torch.zeros(2, 2000, dtype=torch.long)  # 1000 blocks of 4
    counts = suffix_noise(labels, 4, seeded(0)).view(-1, 4).sum(1)
    assert all(abs(int((counts == k).sum()) - 200) <= 3 for k in range(5))


@given(st.integers(0, 1000), st.integers(0, 7), st.sampled_from([1, 2, 4, 8]))
def test_only_ends_of_blocks_are_masked_and_only_labels(seed: int, first: int, block: int) -> None:
    labels = torch.arange(16).expand(3, -1).clone()
    labels[:, :first] = IGNORED  # a prompt
    mask = suffix_noise(labels, block, seeded(seed))
    assert not mask[:, :first].any()
    assert mask.any(1).all()
    for row in mask.view(-1, block):
        values = row.long()
        assert (values[1:] >= values[:-1]).all()  # once masked, masked to the end


def test_an_answer_without_a_mask_has_its_last_label_masked() -> None:
    labels = torch.tensor([[IGNORED, 5, IGNORED, IGNORED]] * 50)
    masks = suffix_noise(labels, 4, seeded(1))
    assert masks[:, 1].all()
    assert not masks[:, [0, 2, 3]].any()


def test_bernoulli_noise_hides_labels_as_often_as_its_weights_say() -> None:
    labels = torch.zeros(400, 8, dtype=torch.long)
    labels[:, 6:] = IGNORED
    mask, weights = bernoulli_noise(labels, 4, seeded(0))
    assert not mask[:, 6:].any()
    # 1/t weights make every label count once on average
    assert abs(float((mask * weights)[:, :6].mean()) - 1) < 0.05


def test_answers_end_with_whole_blocks_of_endings() -> None:
    labels = torch.tensor([[7, 8, 2, IGNORED, IGNORED], [7, 8, 9, 9, 2]])
    assert with_endings(labels, 4, 2).tolist() == [
        [7, 8, 2, 2, *[IGNORED] * 4],
        [7, 8, 9, 9, 2, 2, 2, 2],
    ]
    assert with_endings(labels[:1], 4, 2).tolist() == [[7, 8, 2, 2]]
