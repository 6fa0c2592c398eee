"""The computation that the paper's configuration describes, step by step and slowly.

Works on a state dict of the public layout with loops where the model has reshapes: windows are cut
out one by one, heads and channel groups are taken one by one, nothing is cached.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from docpipe.parsers.docfusion.config import DocFusionConfig

State = dict[str, Tensor]


def logits(
    config: DocFusionConfig, state: State, pixels: Tensor, prompt: list[int], before: list[int]
) -> Tensor:
    """(len(before), V): scores of what follows each token, for one image (3, height, width)."""
    features = _tower(config, state, pixels)  # (C, rows, columns)
    channels, rows, columns = features.shape
    half = channels // 2
    across = state["image_pos_embed.column_embeddings.weight"]
    down = state["image_pos_embed.row_embeddings.weight"]
    time = torch.tensor(
        [
            math.cos(0.0) if channel % 2 else math.sin(0.0)  # the first frame
            for channel in range(channels)
        ]
    )
    patches = [
        features[:, row, column] + torch.cat((across[column], down[row])) + time
        for row in range(rows)
        for column in range(columns)
    ]
    assert across.shape[1] == half
    tokens = torch.stack([torch.stack(patches).mean(0), *patches])
    image = _norm(state, "image_proj_norm", tokens @ state["image_projection"])
    table = state["language_model.model.shared.weight"]
    source = torch.cat((image, table[prompt]))
    places = state["language_model.model.encoder.embed_positions.weight"][2 : 2 + len(source)]
    source = _norm(state, "language_model.model.encoder.layernorm_embedding", source + places)
    return _decode(config, state, source, before)


def _decode(config: DocFusionConfig, state: State, source: Tensor, before: list[int]) -> Tensor:
    name = "language_model.model.decoder"
    x = state[f"{name}.embed_tokens.weight"][before]
    x = x + state[f"{name}.embed_positions.weight"][2 : 2 + len(before)]
    x = _norm(state, f"{name}.layernorm_embedding", x)
    for layer in range(config.text.layers):
        at = f"{name}.layers.{layer}"
        x = _norm(
            state,
            f"{at}.self_attn_layer_norm",
            x + _attention(config, state, f"{at}.self_attn", x, x, causal=True),
        )
        x = _norm(
            state,
            f"{at}.encoder_attn_layer_norm",
            x + _attention(config, state, f"{at}.encoder_attn", x, source, causal=False),
        )
        change = _linear(state, f"{at}.fc2", _gelu(_linear(state, f"{at}.fc1", x)))
        x = _norm(state, f"{at}.final_layer_norm", x + change)
    return x @ state["language_model.lm_head.weight"].T


def _attention(
    config: DocFusionConfig, state: State, name: str, x: Tensor, given: Tensor, *, causal: bool
) -> Tensor:
    q, k, v = (
        _linear(state, f"{name}.{part}_proj", inputs)
        for part, inputs in (("q", x), ("k", given), ("v", given))
    )
    size = config.text.width // config.text.heads
    mixed = []
    for head in range(config.text.heads):
        own = slice(head * size, (head + 1) * size)
        scores = q[:, own] @ k[:, own].T / math.sqrt(size)
        if causal:
            for step in range(len(x)):
                scores[step, step + 1 :] = -math.inf
        mixed.append(scores.softmax(-1) @ v[:, own])
    return _linear(state, f"{name}.out_proj", torch.cat(mixed, -1))


def _tower(config: DocFusionConfig, state: State, x: Tensor) -> Tensor:
    vision = config.vision
    for stage in range(len(vision.dims)):
        name = f"vision_tower.convs.{stage}"
        if vision.prenorm[stage]:
            x = _norm_map(state, f"{name}.norm", x)
        x = torch.conv2d(
            x.unsqueeze(0),
            state[f"{name}.proj.weight"],
            state[f"{name}.proj.bias"],
            stride=vision.strides[stage],
            padding=vision.paddings[stage],
        )[0]
        if not vision.prenorm[stage]:
            x = _norm_map(state, f"{name}.norm", x)
        for depth in range(vision.depths[stage]):
            for kind, part in (("spatial", "window"), ("channel", "channel")):
                block = f"vision_tower.blocks.{stage}.{depth}.{kind}_block"
                x = x + _depthwise(state, f"{block}.conv1.fn.dw", x)
                normed = _norm_map(state, f"{block}.{part}_attn.norm", x)
                attend = _windows if kind == "spatial" else _channels
                heads = vision.heads[stage]
                x = x + attend(state, f"{block}.{part}_attn.fn", normed, heads, vision.window)
                x = x + _depthwise(state, f"{block}.conv2.fn.dw", x)
                rows = _norm_map(state, f"{block}.ffn.norm", x).flatten(1).T
                rows = _gelu(_linear(state, f"{block}.ffn.fn.net.fc1", rows))
                x = x + _linear(state, f"{block}.ffn.fn.net.fc2", rows).T.view_as(x)
    return x


def _windows(state: State, name: str, x: Tensor, heads: int, window: int) -> Tensor:
    """Attention in each window, the last ones filled up with zeros."""
    channels, height, width = x.shape
    padded = torch.zeros(channels, -(-height // window) * window, -(-width // window) * window)
    padded[:, :height, :width] = x
    out = torch.zeros_like(padded)
    size = channels // heads
    for top in range(0, height, window):
        for left in range(0, width, window):
            part = padded[:, top : top + window, left : left + window].flatten(1).T
            qkv = _linear(state, f"{name}.qkv", part)
            q, k, v = qkv[:, :channels], qkv[:, channels : 2 * channels], qkv[:, 2 * channels :]
            mixed = []
            for head in range(heads):
                own = slice(head * size, (head + 1) * size)
                scores = q[:, own] @ k[:, own].T / math.sqrt(size)
                mixed.append(scores.softmax(-1) @ v[:, own])
            done = _linear(state, f"{name}.proj", torch.cat(mixed, -1))
            out[:, top : top + window, left : left + window] = done.T.view(channels, window, window)
    return out[:, :height, :width]


def _channels(state: State, name: str, x: Tensor, groups: int, _: int) -> Tensor:
    """Attention among the channels of each group, over all places."""
    channels = x.shape[0]
    places = x.flatten(1).T
    qkv = _linear(state, f"{name}.qkv", places)
    q, k, v = qkv[:, :channels], qkv[:, channels : 2 * channels], qkv[:, 2 * channels :]
    size = channels // groups
    mixed = []
    for group in range(groups):
        own = slice(group * size, (group + 1) * size)
        scores = (q[:, own].T * len(places) ** -0.5) @ k[:, own]
        mixed.append((scores.softmax(-1) @ v[:, own].T).T)
    return _linear(state, f"{name}.proj", torch.cat(mixed, -1)).T.view_as(x)


def _depthwise(state: State, name: str, x: Tensor) -> Tensor:
    """A 3 x 3 filter for each channel, written out as nine shifts."""
    weight, bias = state[f"{name}.weight"], state[f"{name}.bias"]
    _, height, width = x.shape
    padded = torch.nn.functional.pad(x, (1, 1, 1, 1))
    out = bias.view(-1, 1, 1).expand_as(x).clone()
    for down in range(3):
        for right in range(3):
            part = padded[:, down : down + height, right : right + width]
            out += weight[:, 0, down, right].view(-1, 1, 1) * part
    return out


def _linear(state: State, name: str, x: Tensor) -> Tensor:
    return x @ state[f"{name}.weight"].T + state[f"{name}.bias"]


def _norm(state: State, name: str, x: Tensor) -> Tensor:
    mean = x.mean(-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(-1, keepdim=True)
    weight, bias = state[f"{name}.weight"], state[f"{name}.bias"]
    return (x - mean) / (variance + 1e-5).sqrt() * weight + bias


def _norm_map(state: State, name: str, x: Tensor) -> Tensor:
    return _norm(state, name, x.permute(1, 2, 0)).permute(2, 0, 1)


def _gelu(x: Tensor) -> Tensor:
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))
