"""GK-CEL against its definition, and what follows from it."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional

from docpipe.parsers.docfusion.loss import IGNORED, cross_entropy, ctc, gk_cel

V = 60
PLACES = (20, 50)  # location tokens 20..49


def dense(logits: Tensor, targets: Tensor, sigma: float, kernel: int) -> Tensor:
    """The paper's form: a convolution of the probabilities of locations along the vocabulary."""
    first, end = PLACES
    p = logits.softmax(-1)
    inside = torch.zeros(V, dtype=torch.bool)
    inside[first:end] = True
    offsets = torch.arange(kernel) - (kernel - 1) / 2
    weights = torch.exp(-(offsets**2) / (2 * sigma**2)).to(logits).view(1, 1, -1)
    spread = functional.conv1d((p * inside).unsqueeze(1), weights, padding=kernel // 2).squeeze(1)
    q = torch.where(inside, spread, p)
    return -q.gather(-1, targets.unsqueeze(-1)).log().mean()


def random_case(seed: int, targets: list[int]) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    logits = 4 * torch.randn(len(targets), V, generator=generator, dtype=torch.float64)
    return logits.requires_grad_(), torch.tensor(targets)


targets = st.lists(st.integers(2, V - 1), min_size=1, max_size=6)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    targets=targets,
    sigma=st.sampled_from([0.5, 1.5, 4.0]),
    kernel=st.sampled_from([1, 3, 9, 15]),
)
def test_it_is_the_papers_convolution(
    seed: int, targets: list[int], sigma: float, kernel: int
) -> None:
    logits, wanted = random_case(seed, targets)
    ours = gk_cel(logits, wanted, PLACES, sigma=sigma, kernel=kernel).total
    [gradient] = torch.autograd.grad(ours, logits)
    theirs = dense(logits, wanted, sigma, kernel)
    [expected] = torch.autograd.grad(theirs, logits)
    assert ours.item() == pytest.approx(theirs.item(), abs=1e-6)
    assert torch.allclose(gradient, expected, atol=1e-6)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), targets=targets)
def test_it_is_never_above_cross_entropy_nor_below_zero(seed: int, targets: list[int]) -> None:
    logits, wanted = random_case(seed, targets)
    loss = gk_cel(logits, wanted, PLACES).total
    assert -1e-9 <= loss.item() <= cross_entropy(logits, wanted).item() + 1e-9


@pytest.mark.parametrize(("sigma", "kernel"), [(1.5, 1), (1e-3, 9)])
def test_without_neighbours_it_is_cross_entropy(sigma: float, kernel: int) -> None:
    logits, wanted = random_case(1, [3, 20, 35, 49, 55])
    loss = gk_cel(logits, wanted, PLACES, sigma=sigma, kernel=kernel).total
    assert loss.item() == pytest.approx(cross_entropy(logits, wanted).item(), abs=1e-9)


def test_text_counts_as_in_cross_entropy() -> None:
    logits, wanted = random_case(2, [3, 19, 50, 59])
    losses = gk_cel(logits, wanted, PLACES)
    assert losses.total.item() == pytest.approx(cross_entropy(logits, wanted).item(), abs=1e-9)
    assert losses.text.item() == pytest.approx(losses.total.item())
    assert math.isnan(losses.location.item())


def test_a_guess_one_bin_off_weighs_a_fraction_of_cross_entropys_gradient() -> None:
    logits = torch.zeros(1, V, dtype=torch.float64)
    logits[0, 35] = 8.0
    wanted = torch.tensor([34])
    sizes = []
    for loss in (cross_entropy, lambda a, b: gk_cel(a, b, PLACES).total):
        given = logits.clone().requires_grad_()
        [gradient] = torch.autograd.grad(loss(given, wanted), given)
        sizes.append(gradient.abs().sum().item())
    assert sizes[0] > 4 * sizes[1]


def test_the_kernel_ends_where_the_locations_do() -> None:
    logits = torch.full((1, V), -20.0)
    logits[0, 19] = 0.0  # all mass on text right beside the first location
    loss = gk_cel(logits, torch.tensor([20]), PLACES).total
    assert loss.item() > 15


def test_padding_and_ignored_targets_do_not_count() -> None:
    logits, wanted = random_case(3, [3, 30, 1, 7])
    padded = torch.tensor([3, 30, 1, IGNORED])
    expected = gk_cel(logits[:2], wanted[:2], PLACES).total
    loss = gk_cel(logits, padded, PLACES).total
    assert loss.item() == pytest.approx(expected.item())
    [gradient] = torch.autograd.grad(loss, logits)
    assert not gradient[2:].any()
    assert cross_entropy(logits, padded).item() == pytest.approx(
        cross_entropy(logits[:2], wanted[:2]).item()
    )
    nothing = gk_cel(logits, torch.full((4,), 1), PLACES).total
    assert nothing.item() == 0.0
    nothing.backward()


def test_it_is_finite_where_probabilities_underflow() -> None:
    logits = torch.zeros(1, V)
    logits[0, 5] = 1e4
    logits.requires_grad_()
    loss = gk_cel(logits, torch.tensor([30]), PLACES).total
    loss.backward()
    assert loss.isfinite()
    assert logits.grad is not None
    assert logits.grad.isfinite().all()


def test_ctc_reads_only_the_text_of_targets() -> None:
    frames = torch.zeros(1, 6, 20)
    for step, token in enumerate([5, 1, 5, 6, 6, 1]):  # 1 is blank: 5 5 6
        frames[0, step, token] = 20.0
    good = ctc(frames, torch.tensor([[0, 5, 5, 6, 2, 1, 25, IGNORED]]), 20)
    bad = ctc(frames, torch.tensor([[0, 6, 5, 5, 2, 1, 25, IGNORED]]), 20)
    assert good.item() < 0.01 < bad.item()
    impossible = ctc(frames, torch.tensor([[4, 5, 6, 7, 8, 9, 10, 11]]), 20)
    assert impossible.item() == 0.0
