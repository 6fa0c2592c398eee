"""Models in folders: docpipe's own, and of the public layout in all its forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from docpipe.errors import ModelError
from docpipe.parsers.docfusion.config import DocFusionConfig, from_public
from docpipe.parsers.docfusion.presets import full
from docpipe.parsers.docfusion.weights import from_state, load, read_config, save
from tests.parsers.docfusion.models import pixels, small_config, small_model

MODEL = "language_model.model"
SHARED = f"{MODEL}.shared.weight"
DECODER = f"{MODEL}.decoder.embed_tokens.weight"
ENCODER = f"{MODEL}.encoder.embed_tokens.weight"
HEAD = "language_model.lm_head.weight"

PUBLIC: dict[str, Any] = {
    "model_type": "florence2",
    "projection_dim": 768,
    "vocab_size": 51289,
    "vision_config": {
        "model_type": "davit",
        "drop_path_rate": 0.1,
        "patch_size": [7, 3, 3, 3],
        "patch_stride": [4, 2, 2, 2],
        "patch_padding": [3, 1, 1, 1],
        "patch_prenorm": [False, True, True, True],
        "dim_embed": [128, 256, 512, 1024],
        "num_heads": [4, 8, 16, 32],
        "num_groups": [4, 8, 16, 32],
        "depths": [1, 1, 9, 1],
        "window_size": 12,
        "image_pos_embed": {"type": "learned_abs_2d", "max_pos_embeddings": 50},
    },
    "text_config": {
        "vocab_size": 51289,
        "d_model": 768,
        "encoder_layers": 0,
        "decoder_layers": 12,
        "decoder_attention_heads": 12,
        "decoder_ffn_dim": 3072,
        "max_position_embeddings": 1024,
        "dropout": 0.1,
    },
}


def scores(model: torch.nn.Module, config: DocFusionConfig) -> Tensor:
    with torch.no_grad():
        output = model(pixels(config), torch.tensor([[5]] * 2), torch.tensor([[0, 9, 2]] * 2))
    logits: Tensor = output.logits
    return logits


def test_the_public_configuration_is_the_full_preset() -> None:
    assert from_public(PUBLIC) == full()


def test_a_florence_configuration_is_refused(tmp_path: Path) -> None:
    text = PUBLIC["text_config"] | {"encoder_layers": 6}
    (tmp_path / "config.json").write_text(json.dumps(PUBLIC | {"text_config": text}))
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match="encoder layers"):
        load(tmp_path)


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    model = small_model(small_config(ctc_frames=2))
    save(tmp_path, model)
    loaded = load(tmp_path)
    assert read_config(tmp_path) == model.config
    assert torch.equal(scores(loaded.model, model.config), scores(model, model.config))
    assert loaded.vocabulary.decode(loaded.vocabulary.encode("naïve")) == "naïve"


def test_a_file_holds_each_tensor_once_and_nothing_of_training(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    save(tmp_path, small_model(small_config(ctc_frames=2, box_head=True)))
    names = set(load_file(tmp_path / "model.safetensors"))
    assert SHARED in names
    assert not names & {DECODER, ENCODER, HEAD}
    assert not any(name.startswith(("ctc_head", "box_head")) for name in names)
    kept = load_file(tmp_path / "training.safetensors")
    again = load(tmp_path).model.state_dict()
    assert {name.partition(".")[0] for name in kept} == {"ctc_head", "box_head"}
    assert all(tensor.equal(again[name]) for name, tensor in kept.items())


def test_four_equal_tables_and_one_are_the_same_model() -> None:
    model = small_model()
    state = model.state_dict()
    four = {name: tensor.clone() for name, tensor in state.items()}
    one = {name: each for name, each in state.items() if name not in (DECODER, ENCODER, HEAD)}
    for given in (four, one):
        loaded = from_state(model.config, dict(given)).eval()
        assert loaded.config.text.separate == ()
        assert torch.equal(scores(loaded, model.config), scores(model, model.config))


@pytest.mark.parametrize(("name", "part"), [(HEAD, "head"), (DECODER, "decoder")])
def test_a_table_that_differs_stays_apart(tmp_path: Path, name: str, part: str) -> None:
    model = small_model()
    state = {key: tensor.clone() for key, tensor in model.state_dict().items()}
    state[name] = state[name] + 1.0
    loaded = from_state(model.config, state).eval()
    assert loaded.config.text.separate == (part,)
    assert torch.equal(loaded.state_dict()[name], state[name])
    assert torch.equal(loaded.state_dict()[SHARED], state[SHARED])
    save(tmp_path, loaded)
    assert torch.equal(scores(load(tmp_path).model, model.config), scores(loaded, model.config))


def test_half_precision_takes_half_the_space(tmp_path: Path) -> None:
    model = small_model()
    save(tmp_path / "full", model)
    save(tmp_path / "half", model, half=True)
    full, half = [(tmp_path / n / "model.safetensors").stat().st_size for n in ("full", "half")]
    assert half < 0.6 * full
    loaded = load(tmp_path / "half").model
    assert torch.allclose(scores(loaded, model.config), scores(model, model.config), atol=0.1)


def test_half_precision_and_missing_constants_load() -> None:
    model = small_model()
    state = {name: each.half() for name, each in model.state_dict().items()}
    del state["language_model.final_logits_bias"]
    del state["visual_temporal_embed.pos_idx_to_embed"]
    loaded = from_state(model.config, state).eval()
    assert torch.allclose(
        scores(loaded, model.config), scores(model, model.config), atol=0.1, rtol=0.05
    )


@pytest.mark.parametrize("change", ["missing", "unknown"])
def test_weights_of_another_model_are_refused(tmp_path: Path, change: str) -> None:
    model = small_model()
    save(tmp_path, model)
    state = {name: each.clone() for name, each in model.state_dict().items()}
    if change == "missing":
        del state["image_projection"]
    else:
        state["language_model.model.encoder.layers.0.fc1.weight"] = torch.zeros(2, 2)
    save_file(state, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="differ in 1 tensors") as error:
        load(tmp_path)
    assert "another model" in str(error.value)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", b"{"),
        ("config.json", b"[]"),
        ("config.json", b'{"vision_config": {}, "text_config": {}}'),
        ("model.safetensors", b"no weights"),
    ],
)
def test_broken_folders_are_refused(tmp_path: Path, file: str, content: bytes) -> None:
    save(tmp_path, small_model())
    (tmp_path / file).write_bytes(content)
    with pytest.raises(ModelError) as error:
        load(tmp_path)
    assert error.value.hint


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is missing"):
        load(tmp_path)
    save(tmp_path, small_model())
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ModelError):
        load(tmp_path)
