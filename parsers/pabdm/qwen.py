"""Prefix-adaptive decoding and training over transformers' Qwen2.5-VL, the paper's backbone.

    model = read_public(folder)      # or Qwen(any Qwen2_5_VLForConditionalGeneration)
    decode(model.context(pixels, grid, ids), Prefixes(32, 0.95), 1024)
    answer_losses(model, model.prefix(pixels, grid, ids), labels, "csl", 32, model.end_id, settings)

Nothing in the backbone changes [C]: positions are 0, 1, 2, … for image and text alike, masks are
given from outside, and a mask predicts its own token. The mask is a row of the token table that
Qwen's tokenizer does not use [C]. Tested with small random models in the described layout; docpipe
has not seen the public weights.

Shapes: B rows, P prefix positions, T tokens, d width.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from docpipe.errors import ModelError

MASK_ID = 151671
END_ID = 151645  # <|im_end|>
IMAGE_ID = 151655


class Qwen(nn.Module):
    """A Backbone; `model` is a Qwen2_5_VLForConditionalGeneration."""

    def __init__(
        self, model: Any, *, mask_id: int = MASK_ID, end_id: int = END_ID, image_id: int = IMAGE_ID
    ) -> None:
        super().__init__()
        self.model = model
        self.mask_id, self.end_id, self.image_id = mask_id, end_id, image_id

    @property
    def language(self) -> Any:
        return self.model.model.language_model

    def prefix(self, pixels: Tensor, grid: Tensor, ids: Tensor) -> Tensor:
        """(B, P, d) of prompts `ids` (B, P), the image's tokens in the places of `image_id`.
        `pixels` and `grid` are those of Qwen's image processor."""
        found = self.model.model.get_image_features(pixels, grid, return_dict=True)
        x: Tensor = self.language.embed_tokens(ids)
        image = torch.cat(tuple(found.pooler_output)).to(x.dtype)
        marks = ids == self.image_id
        if int(marks.sum()) != len(image):
            raise ModelError(
                f"{int(marks.sum())} marks in the prompt for {len(image)} image tokens",
                hint="the prompt must be made by the processor that made the pixels",
            )
        return x.masked_scatter(marks.unsqueeze(-1), image)

    def embed(self, ids: Tensor, index: Tensor) -> Tensor:
        found: Tensor = self.language.embed_tokens(ids)
        return found

    def states(self, x: Tensor, places: Tensor, allowed: Tensor) -> Tensor:
        return _run(self.language, x, places, allowed, None)

    def scores(self, states: Tensor) -> Tensor:
        found: Tensor = self.model.lm_head(states)
        return found

    @torch.inference_mode()
    def context(self, pixels: Tensor, grid: Tensor, ids: Tensor) -> QwenContext:
        """To decode behind one prompt `ids` (1, P). Raises ModelError for more."""
        if len(ids) != 1:
            raise ModelError(f"Qwen decodes one prompt at a time, not {len(ids)}")
        return QwenContext(self, self.prefix(pixels, grid, ids)[:, :-1], int(ids[0, -1]))


class QwenContext:
    """A Context of one row, in a cache of transformers' that is cropped at each step."""

    def __init__(self, model: Qwen, prefix: Tensor, last: int) -> None:
        from transformers import DynamicCache

        self.length, self.last = prefix.shape[1], [last]
        self.mask_id, self.end_id = model.mask_id, model.end_id
        self._model = model
        self._cache = DynamicCache()
        place = torch.arange(self.length, device=prefix.device).unsqueeze(0)
        self._feed(prefix, place, place + 1)

    def step(self, ids: Tensor, kept: Tensor, seen: Tensor) -> Tensor:
        stored = int(kept[0])
        beyond = self._cache.get_seq_length() - stored
        if beyond:
            self._cache.crop(-beyond)
        device = self._model.language.embed_tokens.weight.device
        places = torch.arange(stored, stored + ids.shape[1], device=device).unsqueeze(0)
        x = self._model.embed(ids.to(device), places)
        states = self._feed(x, places, seen.to(device))
        scores = self._model.scores(states)
        scores[..., self.mask_id] = -torch.inf
        return scores

    def select(self, rows: list[int]) -> None:
        """There is one row, or nothing to go on with."""

    def _feed(self, x: Tensor, places: Tensor, seen: Tensor) -> Tensor:
        allowed = torch.arange(int(places.max()) + 1, device=x.device) < seen.unsqueeze(2)
        return _run(self._model.language, x, places, allowed, self._cache)


def _run(language: Any, x: Tensor, places: Tensor, allowed: Tensor, cache: Any) -> Tensor:
    """States (B, T, d) of embeddings that see `allowed` (B, T, s), and are stored in `cache`."""
    mask = torch.zeros(allowed.shape, dtype=x.dtype, device=x.device)
    mask = mask.masked_fill(~allowed, torch.finfo(x.dtype).min).unsqueeze(1)
    stored = {_cache_name(language): cache} if cache is not None else {}
    states: Tensor = language(
        inputs_embeds=x,
        position_ids=places,
        attention_mask={"full_attention": mask, "sliding_attention": mask},
        use_cache=cache is not None,
        **stored,
    ).last_hidden_state
    return states


def _cache_name(language: Any) -> str:
    """transformers 5 renamed the argument on its way."""
    known = inspect.signature(type(language).forward).parameters
    return "cache" if "cache" in known else "past_key_values"


def read_public(folder: Path) -> Qwen:
    """The model in a folder laid out like the authors' converted ones: `config.json` (language
    side), `vision_config.json`, and the tensors in `model.safetensors` or shards of it,
    `vision_tower.safetensors` and `projector.safetensors` [C]; in the precision that they are
    stored in. Raises ModelError."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        text = json.loads((folder / "config.json").read_text("utf-8"))
        vision = json.loads((folder / "vision_config.json").read_text("utf-8"))
        state = public_state(
            _language_tensors(folder),
            load_file(folder / "vision_tower.safetensors"),
            load_file(folder / "projector.safetensors"),
        )
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise ModelError(f"no converted Qwen2.5-VL model in {folder}: {error}") from error
    model = unfilled(text, vision)
    _check(state, model.state_dict())
    model.load_state_dict(state, assign=True)
    _computed_again(model)
    return Qwen(model.eval())


_OF_THE_WHOLE = {"architectures", "auto_map", "model_type", "transformers_version"}


def unfilled(text: dict[str, Any], vision: dict[str, Any]) -> Any:
    """A model of these configurations whose tensors take no memory yet."""
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    own = {name: value for name, value in text.items() if name not in _OF_THE_WHOLE}
    with torch.device("meta"):
        return Qwen2_5_VLForConditionalGeneration(
            Qwen2_5_VLConfig(text_config=own, vision_config=vision)
        )


def _language_tensors(folder: Path) -> dict[str, Tensor]:
    """Of one file, or of the shards that an index lists."""
    from safetensors.torch import load_file

    index = folder / "model.safetensors.index.json"
    if not index.exists():
        return load_file(folder / "model.safetensors")
    shards = sorted(set(json.loads(index.read_text("utf-8"))["weight_map"].values()))
    return {name: tensor for shard in shards for name, tensor in load_file(folder / shard).items()}


def _computed_again(model: Any) -> None:
    """Fill what no file has: the rates of rotary positions, computed when a model is built."""
    for module in model.modules():
        for name, own in list(module.named_buffers(recurse=False)):
            if own.is_meta:
                setattr(module, name, getattr(type(module)(module.config), name))


def public_state(
    language: dict[str, Tensor], vision: dict[str, Tensor], projector: dict[str, Tensor]
) -> dict[str, Tensor]:
    """The three files' tensors under the names of Qwen2_5_VLForConditionalGeneration.

    model.…                 model.language_model.…
    lm_head.weight          the same; where it is left out, the token table
    (visual.)…              model.visual.…
    projector: …            model.visual.merger.…
    """
    state = {
        name.replace("model.", "model.language_model.", 1) if name.startswith("model.") else name: t
        for name, t in language.items()
    }
    state |= {f"model.visual.{name.removeprefix('visual.')}": t for name, t in vision.items()}
    state |= {f"model.visual.merger.{name}": tensor for name, tensor in projector.items()}
    table = state["model.language_model.embed_tokens.weight"]
    return {"lm_head.weight": table} | state


def _check(state: dict[str, Tensor], own: dict[str, Tensor]) -> None:
    wrong = set(state) ^ set(own) or {
        name for name, tensor in own.items() if state[name].shape != tensor.shape
    }
    if wrong:
        raise ModelError(
            f"{len(wrong)} tensors are not those of the configuration, such as {min(wrong)}",
            hint="the weights are of another model",
        )
