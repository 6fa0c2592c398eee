"""The model against two independent computations, its sizes, and its names of tensors."""

from __future__ import annotations

import msgspec
import pytest
import torch
from torch import Tensor

from docpipe.errors import ConfigError
from docpipe.parsers.docfusion.config import CropConfig, Crops, DocFusionConfig, VisionConfig
from docpipe.parsers.docfusion.model import DocFusion, source_places
from docpipe.parsers.docfusion.presets import full, tiny
from docpipe.parsers.docfusion.vocabulary import EOS
from docpipe.parsers.docfusion.weights import count_parameters
from tests.parsers.docfusion import reference
from tests.parsers.docfusion.models import pixels, small_config, small_model

PROMPT = [5, 9, 7]
LABELS = [0, 17, 30, 31, 12, 2]


def ours(model: DocFusion, images: Tensor, labels: list[int] = LABELS) -> Tensor:
    rows = len(images)
    with torch.no_grad():
        return model(images, torch.tensor([PROMPT] * rows), torch.tensor([labels] * rows)).logits


def by_reference(model: DocFusion, image: Tensor) -> Tensor:
    state = {name: tensor.detach() for name, tensor in model.state_dict().items()}
    return reference.logits(model.config, state, image, PROMPT, [EOS, *LABELS[:-1]])


def test_logits_are_those_of_the_slow_reference() -> None:
    model = small_model()
    images = pixels(model.config)
    for row, image in zip(ours(model, images), images, strict=True):
        assert torch.allclose(row, by_reference(model, image), atol=1e-4)


@pytest.mark.slow
def test_logits_of_the_full_preset_are_those_of_the_slow_reference() -> None:
    torch.manual_seed(0)
    model = DocFusion(full()).eval()
    image = torch.randn(3, 768, 768)
    logits = ours(model, image.unsqueeze(0))[0]
    assert torch.allclose(logits, by_reference(model, image), atol=1e-4)


def florence(model: DocFusion) -> torch.nn.Module:
    """Florence-2 of transformers without encoder layers, with this model's weights.

    Its maps must be whole windows, for the windows of maps smaller than one differ.
    """
    from transformers import Florence2Config, Florence2ForConditionalGeneration

    config = model.config
    vision, text = config.vision, config.text
    made = Florence2ForConditionalGeneration(
        Florence2Config(
            vision_config={
                "embed_dim": vision.dims,
                "depths": vision.depths,
                "num_heads": vision.heads,
                "num_groups": vision.heads,
                "window_size": vision.window,
                "projection_dim": text.width,
                "max_position_embeddings": vision.grid,
                "drop_path_rate": vision.drop_path,
            },
            text_config={
                "model_type": "bart",
                "vocab_size": text.vocabulary,
                "d_model": text.width,
                "encoder_layers": 0,
                "encoder_ffn_dim": text.feed_forward,
                "encoder_attention_heads": text.heads,
                "decoder_layers": text.layers,
                "decoder_ffn_dim": text.feed_forward,
                "decoder_attention_heads": text.heads,
                "max_position_embeddings": text.sources,
                "decoder_start_token_id": EOS,
            },
            image_token_id=text.vocabulary - 1,
        )
    )
    missing, unexpected = made.load_state_dict(florence_state(model), strict=False)
    assert not unexpected
    assert all("embed_tokens" in name or "pos_idx" in name for name in missing)
    return made.eval()


RENAMED = (
    (".convs.", ".convs."),
    (".proj.", ".proj."),
    (".fn.dw.", "."),
    ("window_attn.norm.", "norm1."),
    ("channel_attn.norm.", "norm1."),
    ("window_attn.fn.", "window_attn."),
    ("channel_attn.fn.", "channel_attn."),
    ("ffn.norm.", "norm2."),
    ("ffn.fn.net.", "ffn."),
    ("image_pos_embed.", "multi_modal_projector.image_position_embed."),
    ("image_proj_norm.", "multi_modal_projector.image_proj_norm."),
    ("visual_temporal_embed.", "multi_modal_projector.visual_temporal_embed."),
    ("language_model.model.", "language_model."),
)


def florence_state(model: DocFusion) -> dict[str, Tensor]:
    state: dict[str, Tensor] = {}
    for name, tensor in model.state_dict().items():
        if name == "image_projection":
            state["model.multi_modal_projector.image_projection.weight"] = tensor.T
        elif name == "language_model.lm_head.weight":
            state["lm_head.weight"] = tensor
        elif name != "language_model.final_logits_bias":
            for old, new in RENAMED:
                name = name.replace(old, new)
            if name.startswith("vision_tower.convs."):
                name = name.replace(".proj.", ".conv.")
            state[f"model.{name}"] = tensor
    return state


def test_logits_are_those_of_transformers_florence() -> None:
    config = small_config()
    vision = msgspec.structs.replace(config.vision, window=2)
    crop = CropConfig((64, 64), "center", 64)
    model = small_model(
        msgspec.structs.replace(config, vision=vision, page=(64, 64), crops=Crops(crop, crop, crop))
    )
    images = pixels(model.config)
    theirs = florence(model)
    image_tokens = [model.config.text.vocabulary - 1] * 5
    with torch.no_grad():
        expected = theirs(
            input_ids=torch.tensor([image_tokens + PROMPT] * 2),
            attention_mask=torch.ones(2, 5 + len(PROMPT), dtype=torch.long),
            pixel_values=images,
            decoder_input_ids=torch.tensor([[EOS, *LABELS[:-1]]] * 2),
        ).logits
    assert torch.allclose(ours(model, images), expected, atol=1e-4)


def test_the_full_preset_has_the_papers_sizes() -> None:
    with torch.device("meta"):
        model = DocFusion(full())
        features = model.vision_tower(torch.empty(1, 3, 768, 768))
        image, size = model.look(torch.empty(1, 3, 768, 768))
    assert features.shape == (1, 24, 24, 1024)
    assert (tuple(image.shape), size) == ((1, 577, 768), (24, 24))
    assert count_parameters(model) == 284_987_392  # "0.28B"
    assert sum(each.numel() for each in model.vision_tower.parameters()) == 90_368_000


def test_the_full_preset_has_the_names_of_the_public_checkpoint() -> None:
    with torch.device("meta"):
        state = DocFusion(full()).state_dict()
    block = [f"{part}.{end}" for part in PARTS for end in ("weight", "bias")]
    vision = full().vision
    expected = {
        f"vision_tower.convs.{stage}.{part}.{end}"
        for stage in range(4)
        for part in ("proj", "norm")
        for end in ("weight", "bias")
    }
    expected |= {
        f"vision_tower.blocks.{stage}.{depth}.{kind}_block.{name.replace('attn', attention)}"
        for stage, depths in enumerate(vision.depths)
        for depth in range(depths)
        for kind, attention in (("spatial", "window_attn"), ("channel", "channel_attn"))
        for name in block
    }
    expected |= {
        f"language_model.model.decoder.layers.{layer}.{part}.{end}"
        for layer in range(12)
        for part in LAYER_PARTS
        for end in ("weight", "bias")
    }
    expected |= set(REST)
    assert set(state) == expected
    assert sum(tensor.numel() for tensor in state.values()) == 363_920_985  # "364M"
    assert state["image_projection"].shape == (1024, 768)
    assert state["language_model.final_logits_bias"].shape == (1, 51289)
    assert state["visual_temporal_embed.pos_idx_to_embed"].shape == (100, 1024)
    assert state["image_pos_embed.row_embeddings.weight"].shape == (50, 512)
    for side in ("encoder", "decoder"):
        places = state[f"language_model.model.{side}.embed_positions.weight"]
        assert places.shape == (1026, 768)


PARTS = (
    "conv1.fn.dw",
    "conv2.fn.dw",
    "attn.norm",
    "attn.fn.qkv",
    "attn.fn.proj",
    "ffn.norm",
    "ffn.fn.net.fc1",
    "ffn.fn.net.fc2",
)
LAYER_PARTS = (
    *(
        f"{attention}.{part}_proj"
        for attention in ("self_attn", "encoder_attn")
        for part in ("q", "k", "v", "out")
    ),
    "self_attn_layer_norm",
    "encoder_attn_layer_norm",
    "final_layer_norm",
    "fc1",
    "fc2",
)
REST = (
    "image_projection",
    "image_proj_norm.weight",
    "image_proj_norm.bias",
    "image_pos_embed.row_embeddings.weight",
    "image_pos_embed.column_embeddings.weight",
    "visual_temporal_embed.pos_idx_to_embed",
    "language_model.model.shared.weight",
    "language_model.lm_head.weight",
    "language_model.final_logits_bias",
    *(
        f"language_model.model.{side}.{part}"
        for side in ("encoder", "decoder")
        for part in (
            "embed_tokens.weight",
            "embed_positions.weight",
            "layernorm_embedding.weight",
            "layernorm_embedding.bias",
        )
    ),
)


def test_a_target_does_not_see_what_comes_after_it() -> None:
    model = small_model()
    images = pixels(model.config, 1)
    changed = [*LABELS[:3], 8, 8, 8]
    first, second = ours(model, images), ours(model, images, changed)
    assert torch.allclose(first[:, :4], second[:, :4], atol=1e-6)
    assert not torch.allclose(first[:, 4:], second[:, 4:], atol=1e-3)


def test_the_image_and_the_prompt_matter() -> None:
    model = small_model()
    images = pixels(model.config)
    first, second = ours(model, images)
    assert not torch.allclose(first, second, atol=1e-3)
    labels = torch.tensor([LABELS])
    with torch.no_grad():
        other = model(images[:1], torch.tensor([[6, 9, 7]]), labels).logits[0]
    assert not torch.allclose(first, other, atol=1e-3)


def test_padding_of_labels_is_of_no_account() -> None:
    model = small_model()
    images = pixels(model.config, 1)
    padded = ours(model, images, [*LABELS, -100, -100])[:, : len(LABELS)]
    assert torch.allclose(padded, ours(model, images), atol=1e-6)


def test_every_weight_that_is_used_learns() -> None:
    model = small_model(small_config(ctc_frames=2)).train()
    output = model(pixels(model.config), torch.tensor([PROMPT] * 2), torch.tensor([LABELS] * 2))
    assert output.frames.shape == (2, 2 * 2, model.config.first_bin)
    (output.logits.logsumexp(-1).sum() + output.frames.logsumexp(-1).sum()).backward()
    unused = [name for name, each in model.named_parameters() if each.grad is None]
    assert unused == []


def test_positions_of_a_whole_page_are_consecutive_and_a_place_keeps_its_position() -> None:
    assert source_places((3, 4), 4, 2).tolist() == list(range(1 + 12 + 2))
    small = source_places((2, 2), 4, 1).tolist()
    assert small == [0, 1, 2, 5, 6, 7]


def test_tiny_takes_images_of_all_its_sizes() -> None:
    config = tiny()
    model = DocFusion(config).eval()
    assert 3_000_000 < count_parameters(model) < 4_500_000
    for size in ((256, 192), (32, 64), (32, 384), (64, 128), (128, 384)):
        with torch.inference_mode():
            _, found = model.look(torch.zeros(1, 3, *size))
        assert found == config.vision.map_size(size)


@pytest.mark.parametrize(
    "changes",
    [
        {"first_bin": 10_000},
        {"kernel": 4},
        {"sigma": 0.0},
        {"page": (64, 96)},  # more columns than positions are counted in
        {"vision": VisionConfig(grid=2)},
    ],
)
def test_sizes_that_do_not_fit_together_are_refused(changes: dict[str, object]) -> None:
    fields = msgspec.structs.asdict(small_config())
    with pytest.raises(ConfigError):
        DocFusionConfig(**(fields | changes))
