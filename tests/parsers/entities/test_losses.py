"""Losses against numbers worked by hand."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from docpipe.parsers.entities.losses import (
    IGNORED,
    LossConfig,
    column_loss,
    column_scores,
    entity_loss,
    hungarian_targets,
    sinkhorn,
    sinkhorn_loss,
    total_loss,
)

ONES = (1,)


def page(*rows: list[float]) -> torch.Tensor:
    return torch.tensor([rows])


def test_column_scores_are_log_odds() -> None:
    probabilities = torch.tensor([0.5, 0.3, 0.2])
    odds = column_scores(probabilities.log())
    assert odds.tolist() == pytest.approx([0.0, math.log(3 / 7), math.log(0.25)], abs=1e-6)


def test_column_loss_worked_by_hand() -> None:
    # Odds of class 1 are 3 (gold), 1 and 1/3: the softmax over entities is odds over their sum.
    logits = page([0.25, 0.75], [0.5, 0.5], [0.75, 0.25]).log()
    labels = torch.tensor([[1, 0, 0]])
    assert column_loss(logits, labels, ONES).item() == pytest.approx(-math.log(3 / (3 + 1 + 1 / 3)))


def test_column_loss_is_silent_unless_a_field_stands_exactly_once() -> None:
    logits = torch.randn(2, 3, 2, requires_grad=True)
    labels = torch.tensor([[1, 1, 0], [0, 0, IGNORED]])
    loss = column_loss(logits, labels, ONES)
    loss.backward()
    assert loss.item() == 0.0
    assert logits.grad is not None
    assert logits.grad.abs().sum() == 0.0
    assert column_loss(logits, labels, ()).item() == 0.0


@pytest.mark.parametrize("field_loss", ["none", "column", "sinkhorn"])
def test_padding_does_not_change_a_loss(field_loss: str) -> None:
    config = LossConfig(field_loss=field_loss)  # type: ignore[arg-type]
    logits, labels = torch.randn(2, 4, 3), torch.tensor([[1, 0, 2, 0], [0, 2, 2, 1]])
    longer = torch.cat([logits, torch.randn(2, 3, 3)], 1)
    padded = torch.cat([labels, torch.full((2, 3), IGNORED)], 1)
    plain = total_loss(logits, labels, ONES, config)
    assert total_loss(longer, padded, ONES, config).item() == pytest.approx(plain.item(), abs=1e-6)


def test_hungarian_targets_choose_the_cheapest_candidate() -> None:
    logits = page([0.6, 0.4], [0.3, 0.7], [0.9, 0.1]).log()
    labels = torch.tensor([[1, 0, 0]])
    candidates = torch.tensor([[[False, True], [False, True], [False, False]]])
    assert hungarian_targets(logits, labels, candidates, ONES).tolist() == [[0, 1, 0]]


def test_hungarian_targets_choose_for_all_fields_at_once() -> None:
    # Both fields like entity 0 best, but field 2 has no other candidate.
    logits = page([0.0, 3.0, 2.9], [0.0, 1.0, -3.0], [0.0, 0.0, 0.0])
    labels = torch.tensor([[1, 0, 0]])
    candidates = torch.zeros(1, 3, 3, dtype=torch.bool)
    candidates[0, [0, 1], 1] = True
    candidates[0, 0, 2] = True
    assert hungarian_targets(logits, labels, candidates, (1, 2)).tolist() == [[2, 1, 0]]


def test_hungarian_targets_with_one_candidate_are_the_labels() -> None:
    logits = torch.randn(2, 5, 3)
    labels = torch.tensor([[1, 0, 2, 2, 0], [2, 0, 1, IGNORED, IGNORED]])
    none = torch.zeros(2, 5, 3, dtype=torch.bool)
    assert hungarian_targets(logits, labels, none, ONES).equal(labels)
    config = LossConfig("hungarian", "none", label_smoothing=0.0)
    plain = functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED)
    assert total_loss(logits, labels, ONES, config, none).item() == pytest.approx(plain.item())


def test_a_candidate_of_another_field_keeps_its_own_label() -> None:
    logits = page([5.0, 0.0, 0.0], [0.0, 5.0, 0.0])
    labels = torch.tensor([[2, 1]])  # class 2 is a many-field
    candidates = torch.zeros(1, 2, 3, dtype=torch.bool)
    candidates[0, 0, 1] = True
    assert hungarian_targets(logits, labels, candidates, ONES).tolist() == [[2, 1]]


def test_sinkhorn_rows_and_columns_sum_to_one() -> None:
    torch.manual_seed(0)
    scores = 2 * torch.randn(7, 7)
    ten = sinkhorn(scores).exp()
    assert ten.sum(0).tolist() == pytest.approx([1.0] * 7, abs=1e-5)
    assert ten.sum(1).tolist() == pytest.approx([1.0] * 7, abs=0.05)
    many = sinkhorn(scores, steps=300).exp()
    assert many.sum(1).tolist() == pytest.approx([1.0] * 7, abs=1e-4)


def test_sinkhorn_loss_falls_towards_the_gold_assignment() -> None:
    labels = torch.tensor([[1, 0, 2, 0]])
    right = functional.one_hot(labels, 3).float() * 12
    wrong = functional.one_hot(torch.tensor([[0, 1, 2, 0]]), 3).float() * 12
    assert sinkhorn_loss(right, labels, ONES).item() < 0.01
    assert sinkhorn_loss(wrong, labels, ONES).item() > 1.0
    absent = torch.tensor([[0, 0, 2, 0]])
    assert sinkhorn_loss(right, absent, ONES).item() > 1.0
    twice = torch.tensor([[1, 1, 0, 0]])
    assert sinkhorn_loss(right, twice, ONES).item() == 0.0


@pytest.mark.parametrize("targets", ["given", "hungarian"])
@pytest.mark.parametrize("field_loss", ["none", "column", "sinkhorn"])
def test_every_loss_can_be_descended(targets: str, field_loss: str) -> None:
    torch.manual_seed(0)
    logits = torch.zeros(2, 4, 3, requires_grad=True)
    labels = torch.tensor([[1, 0, 2, 0], [0, 2, 1, IGNORED]])
    candidates = torch.zeros(2, 4, 3, dtype=torch.bool)
    candidates[0, 1, 1] = True
    config = LossConfig(targets, field_loss)  # type: ignore[arg-type]
    losses = []
    for _ in range(30):
        loss = total_loss(logits, labels, ONES, config, candidates)
        (gradient,) = torch.autograd.grad(loss, logits)
        assert gradient.isfinite().all()
        assert (gradient[1, 3] == 0).all(), "padding has no gradient"
        logits = (logits - 3.0 * gradient).detach().requires_grad_()
        losses.append(loss.item())
    assert losses[-1] < 0.6 * losses[0]


def test_without_unknown_classes_the_entity_loss_is_cross_entropy() -> None:
    torch.manual_seed(0)
    logits = torch.randn(2, 5, 4)
    labels = torch.tensor([[0, 1, 2, 3, IGNORED], [0, 0, IGNORED, IGNORED, IGNORED]])
    wanted = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED, label_smoothing=0.1
    )
    none = torch.zeros(2, 4, dtype=torch.bool)
    assert entity_loss(logits, labels, 0.1, none).allclose(wanted)


def test_an_unlabelled_class_costs_nothing_where_it_may_be_right() -> None:
    logits = torch.tensor([[[0.0, 9.0, 0.0], [0.0, 9.0, 0.0]]])
    labels = torch.tensor([[0, 2]])
    unknown = torch.tensor([[False, True, False]])
    sure = entity_loss(logits[:, :1], labels[:, :1], unknown=unknown)
    assert sure < 0.01 < entity_loss(logits[:, :1], labels[:, :1])
    assert entity_loss(logits[:, 1:], labels[:, 1:], unknown=unknown) > 5


def test_a_field_nobody_labelled_is_not_learnt_to_be_absent() -> None:
    logits = torch.zeros(1, 2, 3, requires_grad=True)
    unknown = torch.tensor([[False, True, False]])
    sinkhorn_loss(logits, torch.tensor([[0, 2]]), [1, 2], unknown=unknown).backward()
    assert logits.grad is not None
    assert logits.grad[..., 1].abs().max() < logits.grad[..., 2].abs().max()


def test_with_any_targets_an_equal_entity_costs_nothing_and_counts_for_the_field() -> None:
    logits = torch.tensor([[[0.0, 5.0], [0.0, 5.0], [5.0, 0.0]]])
    labels = torch.tensor([[1, 0, 0]])
    candidates = torch.tensor([[[False, False], [False, True], [False, False]]])
    plain, free = (
        total_loss(logits, labels, ONES, LossConfig(targets, label_smoothing=0.0), candidates)  # type: ignore[arg-type]
        for targets in ("given", "any")
    )
    assert free < 0.02
    assert plain > 1
    assert column_loss(logits, labels, ONES, candidates) < 0.01 < column_loss(logits, labels, ONES)
