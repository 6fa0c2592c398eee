"""Who sees whom, and that runs of masks beside one clean answer are as good as the doubled form."""

from __future__ import annotations

import pytest
import torch

from docpipe.parsers.docfusion.loss import IGNORED
from docpipe.parsers.pabdm.loss import gold_log_probabilities
from docpipe.parsers.pabdm.mask import block_diffusion_mask, pack, packed_mask
from docpipe.parsers.pabdm.noise import bernoulli_noise, suffix_noise
from docpipe.training.pabdm.forward import masked_log_probabilities
from tests.parsers.pabdm.models import embedded, small_model

CAUSAL = """
x.......|........
xx......|........
xxx.....|........
xxxx....|........
....x...|xxxx....
....xx..|xxxx....
....xxx.|xxxx....
....xxxx|xxxx....
........|x.......
........|xx......
........|xxx.....
........|xxxx....
........|xxxxx...
........|xxxxxx..
........|xxxxxxx.
........|xxxxxxxx
"""
BIDIRECTIONAL = """
xxxx....|........
xxxx....|........
xxxx....|........
xxxx....|........
....xxxx|xxxx....
....xxxx|xxxx....
....xxxx|xxxx....
....xxxx|xxxx....
........|xxxx....
........|xxxx....
........|xxxx....
........|xxxx....
........|xxxxxxxx
........|xxxxxxxx
........|xxxxxxxx
........|xxxxxxxx
"""


@pytest.mark.parametrize(("causal", "table"), [(True, CAUSAL), (False, BIDIRECTIONAL)])
def test_the_mask_of_the_doubled_form(causal: bool, table: str) -> None:
    rows = table.replace("|", "").split()
    wanted = torch.tensor([[char == "x" for char in row] for row in rows])
    assert block_diffusion_mask(8, 4, causal=causal).equal(wanted)


def test_masked_runs_are_packed() -> None:
    mask = torch.tensor([[0, 0, 1, 1, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0, 0, 0]], dtype=torch.bool)
    packed = pack(mask, 4)
    assert packed.places[0].tolist() == [2, 3, 5, 6, 7]
    assert packed.cuts[0].tolist() == [2, 2, 5, 5, 5]
    assert packed.real.sum(1).tolist() == [5, 1]
    allowed = packed_mask(packed, 8, 4, prefix=1)
    assert allowed.shape == (2, 14, 14)
    # the second of the run 5-7 sees the prefix, the clean tokens 0-4, the run's first, itself
    assert allowed[0, 12].nonzero().flatten().tolist() == [0, 1, 2, 3, 4, 5, 11, 12]


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_packed_runs_score_as_the_doubled_form(causal: bool, seed: int) -> None:
    model = small_model(seed)
    chance = torch.Generator().manual_seed(seed)
    labels = torch.randint(4, 200, (3, 16), generator=chance)
    labels[:, :3] = IGNORED  # a prompt, in a block with the answer's begin
    labels[0, 12:] = IGNORED
    if causal:
        mask = suffix_noise(labels, 4, chance)
    else:
        mask, _ = bernoulli_noise(labels, 4, chance)
    ids = labels.masked_fill(labels == IGNORED, 0)
    noisy = ids.masked_fill(mask, model.mask_id)
    places = torch.arange(16).repeat(2).expand(3, -1)
    allowed = block_diffusion_mask(16, 4, causal=causal).expand(3, -1, -1)
    with torch.no_grad():
        states = model.states(model.embed(torch.cat((noisy, ids), 1), places), places, allowed)
        doubled = gold_log_probabilities(model.scores(states[:, :16]), labels) * mask
        nothing = embedded(model, ids[:, :0])
        packed = masked_log_probabilities(model, nothing, labels, mask, 4, causal=causal)
    assert torch.allclose(doubled, packed, atol=1e-5)
    if causal:  # a clean token has the same states with masks about and without
        clean = (ids == noisy) & (labels != IGNORED)
        assert torch.allclose(states[:, :16][clean], states[:, 16:][clean], atol=1e-5)


def test_masked_positions_are_a_window_behind_clean_tokens() -> None:
    model = small_model()
    labels = torch.randint(4, 200, (1, 8), generator=torch.Generator().manual_seed(3))
    mask = torch.tensor([[0, 0, 0, 0, 0, 1, 1, 1]], dtype=torch.bool)
    with torch.no_grad():
        packed = masked_log_probabilities(
            model, embedded(model, labels[:, :0]), labels, mask, 4, causal=True
        )
        ids = labels.masked_fill(mask, model.mask_id)
        plain = torch.ones(8, 8, dtype=torch.bool).tril().unsqueeze(0)
        states = model.states(embedded(model, ids), torch.arange(8).unsqueeze(0), plain)
        window = gold_log_probabilities(model.scores(states), labels) * mask
    assert torch.allclose(packed, window, atol=1e-5)


def test_a_prefix_in_front_is_causal() -> None:
    mask = torch.tensor([[False, True, False, False]])
    allowed = packed_mask(pack(mask, 2, causal=False), 4, 2, prefix=3, causal=False)[0]
    assert allowed[:3, :3].equal(torch.ones(3, 3).tril().bool())
    assert allowed[3].nonzero().flatten().tolist() == [0, 1, 2, 3, 4]
