"""The losses, on numbers worked by hand."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from docpipe.parsers.docfusion.loss import IGNORED
from docpipe.parsers.pabdm.loss import (
    CSL,
    Thresholds,
    active_per_block,
    autoregressive,
    bd3lm,
    csl,
    csl_weights,
    gold_log_probabilities,
    suffix_ce,
)

P = (0.97, 0.93, 0.80, 0.99)


def all_masked(p: Tensor) -> Tensor:
    return torch.ones(p.shape, dtype=torch.bool)


def test_weights_and_gate_of_the_worked_example() -> None:
    p = torch.tensor([P])
    weights, active = csl_weights(p, all_masked(p), 4, CSL["code"])
    assert weights[0].tolist() == pytest.approx([1, 1, 0.93, 0.93 * 0.80])
    assert active[0].tolist() == [True, True, True, False]
    ce = [-math.log(value) for value in P]
    expected = (ce[0] + ce[1] + 0.93 * ce[2]) / 3
    assert float(csl(p.log(), all_masked(p), 4, CSL["code"])) == pytest.approx(expected)


def test_the_paper_has_one_threshold() -> None:
    p = torch.tensor([P])
    weights, active = csl_weights(p, all_masked(p), 4, CSL["paper"])
    assert active[0].tolist() == [True, True, False, False]
    assert weights[0, :2].tolist() == [1, 1]


def test_blocks_are_judged_apart_and_only_masked_positions_count() -> None:
    p = torch.tensor([[0.1, 0.5, 0.2, 0.99]])
    mask = torch.tensor([[False, True, False, True]])
    weights, active = csl_weights(p, mask, 2, CSL["code"])
    assert active.tolist() == mask.tolist()
    assert weights[0, [1, 3]].tolist() == [1, 1]
    assert active_per_block(active, mask, 2) == 1


def test_no_gradient_goes_through_weights() -> None:
    logp = torch.tensor([P]).log().requires_grad_()
    csl(logp, all_masked(logp), 4, CSL["code"]).backward()
    assert logp.grad is not None
    assert logp.grad[0].tolist() == pytest.approx([-1 / 3, -1 / 3, -0.93 / 3, 0])


def test_a_floor_keeps_weights_up() -> None:
    p = torch.tensor([[0.5, 0.5, 0.5, 0.5]])
    weights, _ = csl_weights(p, all_masked(p), 4, Thresholds(0.95, 0.0, least=0.4))
    assert weights[0].tolist() == pytest.approx([1, 0.5, 0.4, 0.4])


@given(st.lists(st.floats(0.96, 1.0), min_size=8, max_size=8))
def test_of_a_sure_model_csl_is_suffix_ce(values: list[float]) -> None:
    logp = torch.tensor([values]).log()
    mask = torch.tensor([[False, True, True, True, False, False, True, True]])
    assert float(csl(logp, mask, 4, CSL["paper"])) == pytest.approx(float(suffix_ce(logp, mask)))


def test_suffix_ce_is_the_mean_over_answers() -> None:
    logp = torch.tensor([[-1.0, -3.0], [0.0, -4.0]])
    mask = torch.tensor([[True, True], [False, True]])
    assert float(suffix_ce(logp, mask)) == pytest.approx((2 + 4) / 2)


def test_the_comparators_by_token() -> None:
    logp = torch.tensor([[-1.0, -3.0, 0.0]])
    labels = torch.tensor([[5, 6, IGNORED]])
    mask = torch.tensor([[False, True, False]])
    assert float(bd3lm(logp, mask, torch.full((1, 3), 2.0), labels)) == pytest.approx(3.0)
    assert float(autoregressive(logp, labels)) == pytest.approx(2.0)


def test_gold_log_probabilities_pass_over_what_has_no_label() -> None:
    logits = torch.zeros(1, 2, 4)
    found = gold_log_probabilities(logits, torch.tensor([[1, IGNORED]]))
    assert found[0].tolist() == pytest.approx([-math.log(4), 0])
