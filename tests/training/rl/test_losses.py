"""The loss against numbers computed by hand, and that parts add up to the whole."""

from __future__ import annotations

import math

import pytest
import torch

from docpipe.training.rl.losses import (
    LossSettings,
    choice_weights,
    imitation_loss,
    k3,
    policy_loss,
)
from docpipe.training.rl.policy import Scores


def scores(*rows: list[float]) -> Scores:
    longest = max(map(len, rows))
    logp = torch.zeros(len(rows), longest, dtype=torch.float64)
    mask = torch.zeros(len(rows), longest, dtype=torch.bool)
    for at, row in enumerate(rows):
        logp[at, : len(row)] = torch.tensor(row)
        mask[at, : len(row)] = True
    return Scores(logp.requires_grad_(), torch.full_like(logp, 0.5), mask)


def vector(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize(
    ("ratio", "advantage", "surrogate", "gradient"),
    [
        (1.0, 2.0, 2.0, 2.0),
        (1.1, 2.0, 2.2, 2.2),
        (1.5, 2.0, 2.4, 0.0),  # clipped: more would not be rewarded
        (0.5, 2.0, 1.0, 1.0),  # not clipped: the choice is to become likelier again
        (1.5, -2.0, -3.0, -3.0),
        (0.5, -2.0, -1.6, 0.0),
    ],
)
def test_the_clipped_surrogate_and_its_gradient(
    ratio: float, advantage: float, surrogate: float, gradient: float
) -> None:
    made = scores([math.log(ratio) - 1.0])
    loss = policy_loss(
        made, torch.tensor([[-1.0]]), None, vector(advantage), vector(1.0), LossSettings()
    )
    loss.loss.backward()
    assert loss.loss.item() == pytest.approx(-surrogate)
    assert made.logp.grad is not None
    assert made.logp.grad.item() == pytest.approx(-gradient)
    assert loss.clipped.item() == (0.0 if 0.8 < ratio < 1.2 else 1.0)


def test_k3_is_never_negative_and_unbiased() -> None:
    policy = torch.log_softmax(vector(0.3, -0.4, 1.0), -1)
    reference = torch.log_softmax(vector(0.0, 0.2, -0.1), -1)
    estimates = k3(reference - policy)
    assert (estimates >= 0).all()
    exact = (policy.exp() * (policy - reference)).sum()
    assert (policy.exp() * estimates).sum().item() == pytest.approx(exact.item())


def test_kl_and_entropy_enter_the_loss() -> None:
    settings = LossSettings(kl=0.1, entropy=0.01)
    made = scores([-1.0])
    reference = torch.tensor([[-1.5]], dtype=torch.float64)
    loss = policy_loss(made, made.logp.detach(), reference, vector(0.0), vector(1.0), settings)
    divergence = math.exp(-0.5) + 0.5 - 1
    assert loss.kl.item() == pytest.approx(divergence)
    assert loss.loss.item() == pytest.approx(0.1 * divergence - 0.01 * 0.5)


@pytest.mark.parametrize(
    ("per", "expected"),
    [
        ("trajectory", [1 / 2 / 2, 1 / 2 / 6]),
        ("token", [1 / 8, 1 / 8]),
        ("constant", [1 / 2 / 10, 1 / 2 / 10]),
    ],
)
def test_what_a_mean_is_taken_over(per: str, expected: list[float]) -> None:
    settings = LossSettings(per=per, constant=10)  # type: ignore[arg-type]
    assert choice_weights([2, 6], settings) == pytest.approx(expected)


def test_the_parts_of_a_batch_add_up_to_it() -> None:
    rows, advantages, weights = [[-1.0, -2.0], [-0.5]], vector(1.0, -1.0), vector(0.25, 0.5)
    settings = LossSettings(kl=0.0)

    def loss(part: slice) -> float:
        made = scores(*rows[part])
        behaviour = made.logp.detach() - 0.05
        found = policy_loss(made, behaviour, None, advantages[part], weights[part], settings)
        return found.loss.item()

    assert loss(slice(0, 1)) + loss(slice(1, 2)) == pytest.approx(loss(slice(0, 2)))


def test_what_is_no_choice_counts_nothing() -> None:
    made = scores([-1.0, -2.0], [-3.0])
    behaviour = made.logp.detach().clone()
    behaviour[1, 1] = float("-inf")
    loss = policy_loss(made, behaviour, None, vector(1.0, 1.0), vector(0.5, 1.0), LossSettings())
    loss.loss.backward()
    assert made.logp.grad is not None
    assert made.logp.grad.tolist() == [[-0.5, -0.5], [-1.0, 0.0]]


def test_imitation_is_the_log_likelihood_of_what_was_done() -> None:
    made = scores([-1.0, -2.0], [-3.0])
    assert imitation_loss(made, vector(1.0, 0.5)).item() == pytest.approx(4.5)
