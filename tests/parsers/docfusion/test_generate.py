"""Decoding: the cache, the beams, and the rule of layouts."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from torch import Tensor

from docpipe.parsers.docfusion.generate import Generated, generate, layout_rule
from docpipe.parsers.docfusion.loss import smoothed_log_probability
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.vocabulary import BOS, EOS
from tests.parsers.docfusion.models import BINS, SIZE, pixels, small_model

LONGEST = 12


def prompt(rows: int) -> Tensor:
    return torch.tensor([[5, 6]] * rows)


def log_probabilities(model: DocFusion, images: Tensor, ids: list[int]) -> Tensor:
    """(len(ids) + 1, V) of what follows `<s>` and each of `ids`, without any cache."""
    labels = torch.tensor([[BOS, *ids, EOS]] * len(images))
    with torch.no_grad():
        return model(images, prompt(len(images)), labels).logits[0, 1:].log_softmax(-1)


def talkative(seed: int = 1) -> DocFusion:
    """A model whose outputs end at various lengths."""
    model = small_model(seed=seed)
    with torch.no_grad():
        bias = torch.zeros(model.config.text.vocabulary)
        bias[EOS] = 3.0
        model.language_model.final_logits_bias.copy_(bias)  # type: ignore[operator]
    return model


def test_greedy_takes_the_best_token_each_time() -> None:
    model = talkative()
    images = pixels(model.config, 3)
    for image, output in zip(
        images, generate(model, images, prompt(3), longest=LONGEST), strict=True
    ):
        logp = log_probabilities(model, image.unsqueeze(0), output.ids)
        best = logp.argmax(-1).tolist()
        assert best[: len(output.ids)] == output.ids
        assert output.complete == (best[-1] == EOS)


@pytest.mark.parametrize("beams", [1, 3])
def test_the_cache_changes_nothing(beams: int) -> None:
    """Scores that were gathered step by step are those of one pass over the whole output."""
    model = talkative()
    images = pixels(model.config, 2)
    places = (SIZE, SIZE + BINS)
    for image, output in zip(
        images, generate(model, images, prompt(2), longest=LONGEST, beams=beams), strict=True
    ):
        logp = log_probabilities(model, image.unsqueeze(0), output.ids)[:-1]
        ids = torch.tensor(output.ids, dtype=torch.long)
        expected = smoothed_log_probability(logp, ids, places, 1.5, 9)
        assert torch.allclose(torch.tensor(output.scores), expected, atol=1e-4)


@pytest.mark.parametrize("beams", [1, 3])
def test_an_image_is_read_alike_in_any_batch(beams: int) -> None:
    model = talkative()
    images = pixels(model.config, 4)
    together = generate(model, images, prompt(4), longest=LONGEST, beams=beams)
    assert len({len(output.ids) for output in together}) > 1  # else rows never end apart
    for at, output in enumerate(together):
        [alone] = generate(model, images[at : at + 1], prompt(1), longest=LONGEST, beams=beams)
        assert alone.ids == output.ids
        assert alone.complete == output.complete
        assert alone.scores == pytest.approx(output.scores, abs=1e-4)


def mean_of(model: DocFusion, image: Tensor, output: Generated) -> float:
    """The mean log-probability a token, the end included."""
    ids = [*output.ids, EOS]
    logp = log_probabilities(model, image, output.ids)
    return float(logp[range(len(ids)), ids].mean())


def test_wide_beams_find_the_best_of_all_outputs() -> None:
    vocabulary = [EOS, 40, 50, SIZE + 3]
    model = talkative()
    image = pixels(model.config, 1)
    with torch.no_grad():  # a model that knows four tokens
        bias: Tensor = model.language_model.final_logits_bias  # type: ignore[assignment]
        shut = torch.ones(model.config.text.vocabulary, dtype=torch.bool)
        shut[vocabulary] = False
        bias[0, shut] = -1e9
    [found] = generate(model, image, prompt(1), longest=3, beams=30)
    outputs = [
        Generated(list(ids), [], True)
        for length in range(4)
        for ids in itertools.product(vocabulary[1:], repeat=length)
    ]
    best = max(outputs, key=lambda output: mean_of(model, image, output))
    assert found.ids == best.ids


def test_beams_are_no_worse_than_greedy() -> None:
    for seed in range(1, 8):
        model = talkative(seed)
        images = pixels(model.config, 2, seed)
        greedy = generate(model, images, prompt(2), longest=LONGEST)
        beams = generate(model, images, prompt(2), longest=LONGEST, beams=4)
        for image, one, other in zip(images.split(1), greedy, beams, strict=True):
            if one.complete and other.complete:
                assert mean_of(model, image, other) >= mean_of(model, image, one) - 1e-5


@pytest.mark.parametrize("beams", [1, 3])
def test_an_output_that_does_not_end_is_cut_off(beams: int) -> None:
    model = talkative()
    with torch.no_grad():
        model.language_model.final_logits_bias[0, EOS] = -1e9  # type: ignore[index]
    for output in generate(model, pixels(model.config), prompt(2), longest=5, beams=beams):
        assert len(output.ids) == 5
        assert not output.complete
    [output] = generate(model, pixels(model.config, 1), prompt(1), longest=10_000, beams=beams)
    assert len(output.ids) == model.config.text.targets - 2


def is_layout(ids: list[int]) -> bool:
    """Labels, each with whole boxes."""
    run, labelled = 0, False
    for id in ids:
        if id >= SIZE:
            if not labelled:
                return False
            run += 1
        else:
            if run % 4:
                return False
            run, labelled = 0, True
    return not ids or (run > 0 and run % 4 == 0)


@pytest.mark.parametrize("beams", [1, 3])
def test_the_rule_makes_outputs_layouts(beams: int) -> None:
    lengths = []
    for seed in range(6):
        model = talkative(seed)
        rule = layout_rule(model.config)
        images = pixels(model.config, 2, seed)
        for output in generate(model, images, prompt(2), longest=30, beams=beams, rule=rule):
            assert BOS not in output.ids
            assert is_layout(output.ids) or not output.complete
            lengths.append(len(output.ids))
    assert max(lengths) > 4


def test_scores_of_locations_count_their_neighbours() -> None:
    logits = torch.full((1, SIZE + BINS), -50.0)
    logits[0, SIZE + 10] = logits[0, SIZE + 11] = 0.0
    places = (SIZE, SIZE + BINS)
    [score] = smoothed_log_probability(logits, torch.tensor([SIZE + 10]), places, 1.5, 9).tolist()
    assert score == pytest.approx(math.log(0.5 * (1 + math.exp(-1 / 4.5))))
