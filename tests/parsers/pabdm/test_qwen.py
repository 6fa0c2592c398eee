"""Decoding and training over a small random Qwen2.5-VL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor
from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

from docpipe.errors import ModelError
from docpipe.parsers.docfusion.loss import IGNORED
from docpipe.parsers.pabdm.decode import decode
from docpipe.parsers.pabdm.policies import Prefixes
from docpipe.parsers.pabdm.qwen import Qwen, public_state, read_public, unfilled
from docpipe.training.docfusion.adapters import add_adapters, merge_adapters
from docpipe.training.docfusion.settings import LoraSettings
from docpipe.training.pabdm.objective import answer_losses
from docpipe.training.pabdm.settings import LossSettings
from tests.parsers.pabdm.models import embedded

MASK, END, IMAGE, WORDS = 60, 2, 61, 64
TEXT: dict[str, Any] = {
    "vocab_size": WORDS, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 128,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [1, 1, 2]},
    "tie_word_embeddings": False, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
}  # fmt: skip
VISION: dict[str, Any] = {
    "depth": 2, "hidden_size": 16, "intermediate_size": 24, "num_heads": 2, "out_hidden_size": 32,
    "patch_size": 4, "spatial_merge_size": 2, "temporal_patch_size": 2, "window_size": 16,
    "fullatt_block_indexes": [1],
}  # fmt: skip


def random_model(seed: int = 0) -> Any:
    torch.manual_seed(seed)
    config = Qwen2_5_VLConfig(text_config=TEXT, vision_config=VISION)
    model = Qwen2_5_VLForConditionalGeneration(config).eval()
    language = model.model.language_model
    with torch.no_grad():  # sure of some tokens, and not of the same one for ever
        model.lm_head.weight.normal_(std=1.0)
        language.embed_tokens.weight.normal_(std=0.5)
        for attention in (layer.self_attn for layer in language.layers):
            for part in (attention.q_proj, attention.k_proj, attention.v_proj):
                part.weight.normal_(std=0.6)
            attention.o_proj.weight.normal_(std=0.1)
    return model


@pytest.fixture(scope="module")
def qwen() -> Qwen:
    return Qwen(random_model(2), mask_id=MASK, end_id=END, image_id=IMAGE)


def given(seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """An image of 4 x 4 patches, merged to four tokens, and a prompt around them."""
    pixels = torch.randn(16, 3 * 2 * 4 * 4, generator=torch.Generator().manual_seed(seed))
    ids = torch.tensor([[5, IMAGE, IMAGE, IMAGE, IMAGE, 6, 7]])
    return pixels, torch.tensor([[1, 4, 4]]), ids


def recomputed(qwen: Qwen, block: int, tau: float, longest: int) -> list[int]:
    ids: list[int] = []
    with torch.no_grad():
        prefix = qwen.prefix(*given())
        while len(ids) < longest:
            size = min(block, longest - len(ids))
            tokens = torch.tensor([[*ids, *[MASK] * size]])
            x = torch.cat((prefix, embedded(qwen, tokens)), 1)
            allowed = torch.ones(1, x.shape[1], x.shape[1], dtype=torch.bool).tril()
            states = qwen.states(x, torch.arange(x.shape[1]).unsqueeze(0), allowed)
            scores = qwen.scores(states[0, -size:])
            scores[:, MASK] = -torch.inf
            p, best = scores.softmax(-1).max(-1)
            kept = max(1, int((p >= tau).long().cumprod(0).sum()))
            new = best[:kept].tolist()
            if END in new:
                return ids + new[: new.index(END)]
            ids += new
    return ids


@pytest.mark.parametrize(("block", "tau"), [(4, 0.4), (6, 0.6), (3, 1.1)])
def test_a_cropped_cache_decodes_as_without_one(qwen: Qwen, block: int, tau: float) -> None:
    [answer] = decode(qwen.context(*given()), Prefixes(block, tau), 18).answers
    assert answer.ids == recomputed(qwen, block, tau, 18)
    assert len(set(answer.ids)) > 4
    if tau > 1:
        assert set(answer.steps) <= {0, 1}
    else:
        assert any(1 < step < block for step in answer.steps[:-1])


def test_one_prompt_at_a_time_and_a_mark_for_each_image_token(qwen: Qwen) -> None:
    pixels, grid, ids = given()
    with pytest.raises(ModelError, match="one prompt at a time"):
        qwen.context(pixels.repeat(2, 1), grid.repeat(2, 1), ids.repeat(2, 1))
    with pytest.raises(ModelError, match="3 marks in the prompt for 4 image tokens"):
        qwen.prefix(pixels, grid, ids[:, torch.tensor([0, 1, 2, 3, 5, 6])])


def test_image_tokens_take_the_places_of_their_marks(qwen: Qwen) -> None:
    with torch.no_grad():
        prefix, other = qwen.prefix(*given(0)), qwen.prefix(*given(1))
        plain = embedded(qwen, given()[2])
    changed = (prefix != other).any(-1)[0]
    assert changed.tolist() == [False, True, True, True, True, False, False]
    assert torch.equal(prefix[0, ~changed], plain[0, ~changed])


def test_adapters_learn_by_runs_of_masks_and_are_merged() -> None:
    torch.manual_seed(0)
    qwen = Qwen(random_model(1), mask_id=MASK, end_id=END, image_id=IMAGE)
    settings = LoraSettings(rank=8, alpha=32, targets=("q_proj", "v_proj", "o_proj", "down_proj"))
    add_adapters(qwen, [qwen.language], settings)
    trained = [p for p in qwen.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, 5e-3)
    labels = torch.tensor([[9, 10, 11, 12, 13, END, IGNORED]])
    losses: list[float] = []
    for _ in range(60):
        with torch.no_grad():
            prefix = qwen.prefix(*given())
        found = answer_losses(qwen, prefix, labels, "suffix_ce", 4, END, LossSettings())
        optimizer.zero_grad()
        found.total.backward()
        optimizer.step()
        losses.append(float(found.total.detach()))
    assert sum(losses[-10:]) < 0.5 * sum(losses[:10])
    apart = decode(qwen.context(*given()), Prefixes(4, 0.5), 8).answers
    merge_adapters(qwen)
    assert not any("lora" in name for name, _ in qwen.named_parameters())
    merged = decode(qwen.context(*given()), Prefixes(4, 0.5), 8).answers
    assert merged[0].ids == apart[0].ids


def test_converted_folders_are_read(tmp_path: Path) -> None:
    model = random_model(2)
    state = model.state_dict()
    visual = {k.removeprefix("model."): v for k, v in state.items() if ".visual." in k}
    merger = "visual.merger."
    language = {
        k.replace("language_model.", ""): v for k, v in state.items() if ".visual." not in k
    }
    projector = {k.removeprefix(merger): v for k, v in visual.items() if k.startswith(merger)}
    tower = {k: v for k, v in visual.items() if not k.startswith(merger)}
    assert set(language) >= {"model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"}
    save_file(language, tmp_path / "model.safetensors")
    save_file(tower, tmp_path / "vision_tower.safetensors")
    save_file(projector, tmp_path / "projector.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(TEXT | {"model_type": "pa_bdm"}))
    (tmp_path / "vision_config.json").write_text(json.dumps(VISION))
    again = read_public(tmp_path).model
    found = again.state_dict()
    assert set(found) == set(state)
    assert all(tensor.equal(found[name]) for name, tensor in state.items())
    answers = [
        decode(Qwen(m, mask_id=MASK, end_id=END, image_id=IMAGE).context(*given()),
               Prefixes(4, 0.5), 8).answers[0].ids
        for m in (model, again)
    ]  # fmt: skip
    assert answers[0] == answers[1]

    names = sorted(language)
    shards = {"a.safetensors": names[:9], "b.safetensors": names[9:]}
    for shard, own in shards.items():
        save_file({name: language[name].bfloat16() for name in own}, tmp_path / shard)
    (tmp_path / "model.safetensors").unlink()
    index = {"weight_map": {name: shard for shard, own in shards.items() for name in own}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    sharded = read_public(tmp_path).model.state_dict()
    assert sharded["lm_head.weight"].equal(state["lm_head.weight"].bfloat16())

    tied = public_state({k: v for k, v in language.items() if k != "lm_head.weight"}, {}, {})
    assert tied["lm_head.weight"] is language["model.embed_tokens.weight"]
    (tmp_path / "config.json").write_text(json.dumps(TEXT | {"num_hidden_layers": 3}))
    with pytest.raises(ModelError, match="not those of the configuration"):
        read_public(tmp_path)
    with pytest.raises(ModelError, match="no converted"):
        read_public(tmp_path / "none")


def test_the_sizes_of_the_public_backbone_fit_the_names() -> None:
    sizes = {
        "vocab_size": 151936, "hidden_size": 2048, "intermediate_size": 11008,
        "num_hidden_layers": 36, "num_attention_heads": 16, "num_key_value_heads": 2,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e6,
                            "mrope_section": [16, 24, 24]},
    }  # fmt: skip
    vision = {
        "depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16,
        "out_hidden_size": 2048, "patch_size": 14,
    }  # fmt: skip
    shapes = {name: tuple(t.shape) for name, t in unfilled(sizes, vision).state_dict().items()}
    assert shapes["model.language_model.embed_tokens.weight"] == (151936, 2048)
    assert shapes["model.language_model.layers.35.mlp.down_proj.weight"] == (2048, 11008)
    assert shapes["model.visual.blocks.31.attn.qkv.weight"] == (3840, 1280)
    assert shapes["model.visual.merger.mlp.2.weight"] == (2048, 5120)
    given = {"model.embed_tokens.weight": torch.empty(0), "model.norm.weight": torch.empty(0)}
    named = public_state(
        given, {"blocks.0.norm1.weight": torch.empty(0)}, {"ln_q.weight": torch.empty(0)}
    )
    assert set(named) <= set(shapes)
