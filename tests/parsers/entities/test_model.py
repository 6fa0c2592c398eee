"""The spatial transformer: what its attention sees, and what never changes its result."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.parsers.entities.batch import collate, page_tensors
from docpipe.parsers.entities.classifier import log_probabilities
from docpipe.parsers.entities.features import EntityPage
from docpipe.parsers.entities.losses import LossConfig, total_loss
from docpipe.parsers.entities.model import (
    DIRECTIONS,
    PRESETS,
    HopAttention,
    KnnFormer,
    ModelConfig,
    PairBias,
    beside,
)
from tests.parsers.entities.pages import SCHEMA, random_page, small_model

VARIANTS = [
    *PRESETS.values(),
    {"sides": False},
    {"hop_mode": "key"},
    {"hop_mode": "key", "radius": "inf"},
]


def logits(model: KnnFormer, *pages: EntityPage) -> torch.Tensor:
    batch = collate([page_tensors(page, model.encoder, model.design) for page in pages])
    with torch.no_grad():
        result: torch.Tensor = model(**batch)
    return result


def reordered(page: EntityPage, order: np.ndarray) -> EntityPage:
    texts = tuple(page.texts[at] for at in order)
    return EntityPage(page.width, page.height, texts, tuple(page.boxes[at] for at in order))


def attention_inputs(n: int = 7) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    hops = torch.randint(1, 8, (1, n, n))
    hops = torch.minimum(hops, hops.transpose(1, 2)).masked_fill(torch.eye(n, dtype=torch.bool), 0)
    return torch.randn(1, n, 16), hops, torch.randint(0, DIRECTIONS, (2, 1, n, n))


def weights_by_hand(layer: HopAttention, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Unbiased scores (heads, n, n) and values (heads, n, d_h) of one page."""
    q, k, v = (t.view(-1, 2, 8).transpose(0, 1) for t in layer.project(x[0]).split(16, -1))
    return q @ k.transpose(1, 2) / 8**0.5, v


@pytest.mark.parametrize("hop_mode", ["none", "scalar", "key"])
def test_without_radius_and_bias_it_is_full_attention(hop_mode: str) -> None:
    x, hops, directions = attention_inputs()
    config = ModelConfig(width=16, heads=2, hop_mode=hop_mode, radius="inf")  # type: ignore[arg-type]
    layer = HopAttention(config).eval()
    bias = PairBias(config)(hops, directions, torch.ones(1, 7, dtype=torch.bool))[0]
    found = layer(x, hops, bias)
    scores, values = weights_by_hand(layer, x)
    expected = layer.out((scores.softmax(-1) @ values).transpose(0, 1).flatten(1))
    assert found[0].allclose(expected, atol=1e-6)


@pytest.mark.parametrize("hop_mode", ["scalar", "key"])
def test_attention_with_every_bias_worked_pair_by_pair(hop_mode: str) -> None:
    x, hops, directions = attention_inputs(5)
    config = ModelConfig(width=16, heads=2, layers=1, hop_mode=hop_mode)  # type: ignore[arg-type]
    layer, pairs = HopAttention(config).eval(), PairBias(config)
    by_hop = pairs.hops if hop_mode == "scalar" else layer.keys
    assert by_hop is not None
    assert pairs.across is not None
    assert pairs.down is not None
    for table in (by_hop, pairs.across, pairs.down):
        torch.nn.init.normal_(table.weight)
    allowed = hops <= 3
    found = layer(x, hops, pairs(hops, directions, torch.ones(1, 5, dtype=torch.bool))[0])
    scores, values = weights_by_hand(layer, x)
    queries = layer.project(x[0])[:, :16].view(-1, 2, 8)
    mixed = torch.zeros(5, 2, 8)
    for i in range(5):
        for head in range(2):
            row = torch.full((5,), -torch.inf)
            for j in range(5):
                if allowed[0, i, j]:
                    row[j] = scores[head, i, j]
                    row[j] += pairs.across.weight[directions[0, 0, i, j], head]
                    row[j] += pairs.down.weight[directions[1, 0, i, j], head]
                    hop = by_hop.weight[hops[0, i, j]]
                    if hop_mode == "key":
                        row[j] += queries[i, head] @ hop.view(2, 8)[head] / 8**0.5
                    else:
                        row[j] += hop[head]
            mixed[i, head] = row.softmax(0) @ values[head]
    assert found[0].allclose(layer.out(mixed.flatten(1)), atol=1e-5)


def test_nothing_beyond_the_radius_is_seen_in_one_layer() -> None:
    chain = tuple(BBox(50.0 * at + at * at, 0, 50 * at + at * at + 10, 10) for at in range(6))
    page = EntityPage(500.0, 700.0, ("a", "b", "c", "d", "e", "f"), chain)
    changed = EntityPage(500.0, 700.0, ("a", "b", "c", "d", "e", "TOTAL 9.00"), chain)
    model = small_model(layers=1, neighbours=1, radius=2, sides=False)
    before, after = logits(model, page)[0], logits(model, changed)[0]
    same = [bool(a.allclose(b, atol=1e-6)) for a, b in zip(before, after, strict=True)]
    assert same == [True, True, True, False, False, False]


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(VARIANTS), st.integers(1, 12), st.integers(0, 99))
def test_permuting_the_entities_permutes_the_logits(
    options: dict[str, object], n: int, seed: int
) -> None:
    model, page = small_model(**options), random_page(n, seed)
    order = np.random.default_rng(seed).permutation(n)
    expected = logits(model, page)[0][torch.from_numpy(order)]
    assert logits(model, reordered(page, order))[0].allclose(expected, atol=1e-5)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(VARIANTS), st.integers(1, 6), st.integers(7, 12))
def test_padding_and_other_pages_change_nothing(
    options: dict[str, object], short: int, long: int
) -> None:
    model, page, other = small_model(**options), random_page(short, 1), random_page(long, 2)
    together = logits(model, page, other)
    assert together[0, :short].allclose(logits(model, page)[0], atol=1e-5)
    assert together[1].allclose(logits(model, other)[0], atol=1e-5)
    assert together.isfinite().all()


@pytest.mark.parametrize("options", VARIANTS)
def test_every_parameter_learns(options: dict[str, object]) -> None:
    model = small_model(**options).train()
    pages = [random_page(9, 1), random_page(5, 2)]
    batch = collate([page_tensors(page, model.encoder, model.design) for page in pages])
    labels = torch.where(batch["mask"], torch.arange(9) % 4, -100)
    total_loss(model(**batch), labels, SCHEMA.ones, LossConfig()).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.any(), f"{name} has no gradient"


def test_the_same_seed_gives_the_same_model_and_scores() -> None:
    pages = [random_page(9, 1), random_page(0), random_page(5, 2)]
    first, again = (log_probabilities(small_model(seed=3), pages) for _ in range(2))
    assert [page.shape for page in first] == [(9, 4), (0, 4), (5, 4)]
    assert all((a == b).all() for a, b in zip(first, again, strict=True))


def test_scores_do_not_depend_on_how_pages_are_batched(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [random_page(n, n) for n in (9, 2, 0, 30, 2)]
    together = log_probabilities(small_model(), pages)
    monkeypatch.setattr("docpipe.parsers.entities.classifier._PAIRS_PER_BATCH", 100)
    alone = log_probabilities(small_model(), pages)
    assert [len(page) for page in together] == [9, 2, 0, 30, 2]
    for some, same in zip(together, alone, strict=True):
        assert same == pytest.approx(some, abs=1e-5)


def test_empty_texts_and_degenerate_boxes_do_not_crash() -> None:
    boxes = (BBox(0, 0, 0, 0), BBox(0, 0, 0, 0), BBox(5, 5, 5, 90), BBox(-9, 800, 900, 800))
    for texts in (("",) * 4, ("", "9.00", "\u0000", "💶" * 500)):
        for width, height in ((500.0, 700.0), (0.0, 0.0)):
            (scores,) = log_probabilities(small_model(), [EntityPage(width, height, texts, boxes)])
            assert np.isfinite(scores).all()
            assert np.exp(scores).sum(1) == pytest.approx(np.ones(4))


def test_directions_tell_left_from_right_and_above_from_below() -> None:
    centres = torch.tensor([[[0.2, 0.1], [0.8, 0.1], [0.2, 0.15]]])
    across, down = small_model().directions(centres)
    middle = DIRECTIONS // 2
    assert across[0].tolist() == [[7, 13, 7], [1, 7, 1], [7, 13, 7]]
    assert down[0, 0].tolist() == [middle, middle, 10]
    assert down[0, 2, 0] == 4


def test_what_stands_beside_an_entity_is_in_the_order_of_the_sides() -> None:
    x = torch.tensor([[[1.0], [2.0], [3.0]]])
    sides = torch.tensor([[[-1, 1, -1, 2], [0, -1, -1, -1], [-1, -1, 0, -1]]])
    assert beside(x, sides).tolist() == [[[0, 2, 0, 3], [1, 0, 0, 0], [0, 0, 1, 0]]]


def test_the_core_is_small() -> None:
    from docpipe.parsers.entities.weights import build_model

    assert build_model(ModelConfig(), SCHEMA).core_parameters() <= 500_000


@pytest.mark.parametrize(
    "options", [{"width": 10, "heads": 4}, {"radius": 9}, {"hop_cap": 0}, {"radius": 0}]
)
def test_sizes_that_cannot_be_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        ModelConfig(**options)  # type: ignore[arg-type]
