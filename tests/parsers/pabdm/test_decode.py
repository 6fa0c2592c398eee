"""Decoding: what may not change what is written, and what each way of decoding costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from docpipe.errors import ConfigError
from docpipe.parsers.docfusion.vocabulary import EOS
from docpipe.parsers.pabdm.decode import Decoded, decode
from docpipe.parsers.pabdm.model import PaBdm
from docpipe.parsers.pabdm.policies import FixedBlocks, Guess, NextToken, Policy, Prefixes
from tests.parsers.pabdm.models import embedded, inputs, small_model

SHARP = 60.0
LONGEST = 24


def decoded(model: PaBdm, policy: Policy, rows: int = 3, longest: int = LONGEST) -> Decoded:
    return decode(model.context(*inputs(model, rows)), policy, longest)


def stepwise(model: PaBdm, row: int, longest: int = LONGEST) -> list[int]:
    """One mask behind everything before, all computed anew at each step."""
    pixels, prompt = inputs(model, 3)
    with torch.no_grad():
        prefix, _ = model.look(pixels[row : row + 1], prompt[row : row + 1])
        ids: list[int] = []
        while len(ids) < longest:
            x = torch.cat((prefix, embedded(model, torch.tensor([[*ids, model.mask_id]]))), 1)
            size = x.shape[1]
            allowed = torch.ones(1, size, size, dtype=torch.bool).tril()
            states = model.states(x, torch.arange(size).unsqueeze(0), allowed)
            best = int(model.scores(states[:, -1]).argmax())
            if best == EOS:
                break
            ids.append(best)
    return ids


@pytest.mark.parametrize("block", [1, 3, 8])
def test_a_threshold_above_one_is_step_by_step_whatever_the_block(block: int) -> None:
    model = small_model(sharp=SHARP)
    answers = decoded(model, Prefixes(block, tau=1.1)).answers
    assert [answer.ids for answer in answers] == [stepwise(model, row) for row in range(3)]
    assert all(set(answer.steps) <= {0, 1} for answer in answers)


@pytest.mark.parametrize("tau", [0.0, 0.4, 0.9])
def test_stored_keys_and_company_change_nothing(tau: float) -> None:
    model = small_model(sharp=SHARP)
    together = decoded(model, Prefixes(4, tau))
    pixels, prompt = inputs(model, 3)
    for row, answer in enumerate(together.answers):
        alone = decode(
            model.context(pixels[row : row + 1], prompt[row : row + 1]), Prefixes(4, tau), LONGEST
        )
        assert alone.answers[0].ids == answer.ids
        assert alone.answers[0].steps == answer.steps
        assert alone.forwards == len(answer.steps)
        assert answer.ids == recomputed(model, row, 4, tau)
    assert together.forwards == max(len(answer.steps) for answer in together.answers)
    partial = any(1 < step < 4 for answer in together.answers for step in answer.steps)
    assert partial or tau != 0.4


def recomputed(model: PaBdm, row: int, block: int, tau: float) -> list[int]:
    """Prefix decoding without stored keys, written down once more."""
    pixels, prompt = inputs(model, 3)
    ids: list[int] = []
    with torch.no_grad():
        prefix, _ = model.look(pixels[row : row + 1], prompt[row : row + 1])
        while len(ids) < LONGEST:
            size = min(block, LONGEST - len(ids))
            tokens = torch.tensor([[*ids, *[model.mask_id] * size]])
            x = torch.cat((prefix, embedded(model, tokens)), 1)
            allowed = torch.ones(1, x.shape[1], x.shape[1], dtype=torch.bool).tril()
            states = model.states(x, torch.arange(x.shape[1]).unsqueeze(0), allowed)
            p, best = model.scores(states[0, -size:]).softmax(-1).max(-1)
            kept = max(1, int((p >= tau).long().cumprod(0).sum()))
            new = best[:kept].tolist()
            if EOS in new:
                return ids + new[: new.index(EOS)]
            ids += new
    return ids


class Scripted:
    """A context whose tokens are known: every guess is right, with the probabilities given."""

    length, last, mask_id, end_id = 5, [99], 98, EOS

    def __init__(self, answer: Sequence[int], p: Sequence[float] = ()) -> None:
        self._answer, self._p = [*answer, *[EOS] * 20], [*p, *[0.999] * 20]
        self.fed: list[list[int]] = []

    def step(self, ids: Tensor, kept: Tensor, seen: Tensor) -> Tensor:
        self.fed.append(ids[0].tolist())
        logits = torch.full((1, ids.shape[1], 100), -30.0)
        for at in range(ids.shape[1]):
            place = int(kept[0]) + at - self.length - 1  # of this token; its mask predicts it
            p = self._p[place]
            logits[0, at, self._answer[place]] = math.log(p / (1 - p)) + math.log(99) - 30.0
        return logits

    def select(self, rows: list[int]) -> None:
        pass


def test_half_precision_decodes_and_so_does_autocast() -> None:
    model = small_model(sharp=SHARP)
    pixels, prompt = inputs(model, 3)
    with torch.autocast("cpu", torch.bfloat16):
        cast = decode(model.context(pixels, prompt), Prefixes(4, 0.5), 12).answers
    halved = decode(model.bfloat16().context(pixels, prompt), Prefixes(4, 0.5), 12).answers
    assert all(answer.ids for answer in [*cast, *halved])


def test_the_longest_sure_prefix_is_kept_and_fed_again_as_itself() -> None:
    context = Scripted([10, 11, 12, 13, 14], [0.99, 0.97, 0.5, 0.99, 0.99])
    [answer] = decode(context, Prefixes(4, 0.95), 20).answers
    assert (answer.ids, answer.complete) == ([10, 11, 12, 13, 14], True)
    assert answer.steps == [2, 1, 2]  # two sure ones; one at least; the rest and the end
    m = context.mask_id
    assert context.fed == [[99, m, m, m, m], [10, 11, m, m, m, m], [12, m, m, m, m]]
    assert answer.fed == 16


def test_an_end_inside_a_prefix_ends_the_answer() -> None:
    [answer] = decode(Scripted([10, 11]), Prefixes(8, 0.9), 20).answers
    assert (answer.ids, answer.steps, answer.complete) == ([10, 11], [2], True)


def test_at_least_so_many_are_kept() -> None:
    context = Scripted(range(10, 16), [0.5] * 6)
    [answer] = decode(context, Prefixes(4, 0.9, least=3), 20).answers
    assert answer.steps[:2] == [3, 3]


def test_the_longest_length_cuts_off() -> None:
    [answer] = decode(Scripted(range(10, 30)), Prefixes(8, 0.9), 11).answers
    assert (answer.ids, answer.complete) == (list(range(10, 21)), False)
    assert answer.steps == [8, 3]


@pytest.mark.parametrize("block", [1, 2, 3, 7, 16])
def test_sure_guesses_are_kept_by_whole_windows(block: int) -> None:
    [answer] = decode(Scripted(range(10, 20)), Prefixes(block, 0.9), 20).answers
    assert answer.ids == list(range(10, 20))
    assert len(answer.steps) == 10 // block + 1  # the last step has the end


def test_fixed_blocks_fill_up_then_go_on() -> None:
    context = Scripted(range(10, 16), [0.99, 0.5, 0.99, 0.6, 0.99, 0.99])
    [answer] = decode(context, FixedBlocks(4, 0.95), 20).answers
    assert answer.ids == [10, 11, 12, 13, 14, 15]
    # two sure ones, the surer of the rest, the last, the block by itself, the next one at once
    assert answer.steps == [2, 1, 1, 0, 2]
    m = context.mask_id
    assert context.fed == [
        [99, m, m, m, m],
        [10, m, 12, m],
        [10, m, 12, 13],
        [10, 11, 12, 13],
        [m, m, m, m],
    ]
    [fused] = decode(
        Scripted(range(10, 16), [0.99, 0.5, 0.99, 0.6, 0.99, 0.99]),
        FixedBlocks(4, 0.95, apart=False),
        20,
    ).answers
    assert (fused.ids, fused.steps) == (answer.ids, [2, 1, 1, 2])


def test_fixed_blocks_may_have_a_number_of_steps() -> None:
    window = FixedBlocks(4, 2.0, steps=2).advance([None] * 4, [Guess(at, -at) for at in range(4)])
    assert [guess is not None for guess in window] == [True, True, False, False]


def test_bidirectional_blocks_see_all_of_themselves() -> None:
    model = small_model(sharp=SHARP)
    pixels, prompt = inputs(model, 2)
    with torch.no_grad():
        prefix, _ = model.look(pixels, prompt)
        masks = embedded(model, torch.full((2, 4), model.mask_id))
        x = torch.cat((prefix, masks), 1)
        allowed = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed[-4:] = True
        places = torch.arange(x.shape[1]).expand(2, -1)
        wanted = model.scores(model.states(x, places, allowed.expand(2, -1, -1))[:, -4:])
    policy = FixedBlocks(4, 0.0, causal=False)
    answers = decode(model.context(pixels, prompt), policy, 4).answers
    for row, answer in enumerate(answers):
        ids = wanted[row].argmax(-1).tolist()
        assert answer.ids == ids[: ids.index(EOS) if EOS in ids else 4]


@pytest.mark.parametrize("causal", [True, False])
def test_a_block_fed_by_itself_or_with_the_next_gives_the_same(causal: bool) -> None:
    model = small_model(sharp=SHARP)
    apart, fused = (
        decoded(model, FixedBlocks(4, 0.5, causal=causal, apart=flag)) for flag in (True, False)
    )
    assert [a.ids for a in apart.answers] == [a.ids for a in fused.answers]
    assert fused.forwards <= apart.forwards


def test_next_token_decoding_needs_a_forward_for_each_token_and_the_end() -> None:
    model = small_model(sharp=SHARP, mode="next")
    pixels, prompt = inputs(model, 3)
    for row, answer in enumerate(decoded(model, NextToken(), longest=12).answers):
        with torch.no_grad():
            prefix, _ = model.look(pixels[row : row + 1], prompt[row : row + 1])
            x = torch.cat((prefix, embedded(model, torch.tensor([answer.ids]))), 1)
            allowed = torch.ones(1, x.shape[1], x.shape[1], dtype=torch.bool).tril()
            states = model.states(x, torch.arange(x.shape[1]).unsqueeze(0), allowed)
            best = model.scores(states[0]).argmax(-1)[prefix.shape[1] - 1 :].tolist()
        assert answer.ids == best[: len(answer.ids)]
        assert len(answer.steps) == len(answer.ids) + answer.complete


@pytest.mark.parametrize(
    "options", [{"block": 0}, {"block": 4, "least": 5}, {"tau": -0.1}, {"tau": math.nan}]
)
def test_windows_that_cannot_be_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        Prefixes(**options)  # type: ignore[arg-type]
