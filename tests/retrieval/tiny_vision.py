"""ColPali and ColQwen2 with a few thousand random weights, and a tokenizer of words."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import tokenizers
import transformers

_SPECIAL = ["<unk>", "<s>", "</s>", "<pad>", "<image>", "<|im_start|>", "<|im_end|>"]
_SPECIAL += ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
_SPECIAL += ["<|endoftext|>"]
_WORDS = [*_SPECIAL, "Question", "Query", ":", "Describe", "the", "image", ".", "user"]
_WORDS += ["red", "mill", "tax", "return", "form"]
_TEXT: dict[str, Any] = {
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 3,
}


def write_model(folder: Path, kind: Literal["colpali", "colqwen2"]) -> Path:
    """A model and its processor, as `save_pretrained` leaves them."""
    transformers.set_seed(0)
    model, processor = _colpali() if kind == "colpali" else _colqwen2()
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _colpali() -> tuple[Any, Any]:
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

    images = SiglipImageProcessorPil(size={"height": 28, "width": 28})
    images.image_seq_length = 4
    processor = transformers.ColPaliProcessor(images, _tokenizer())
    vision = transformers.SiglipVisionConfig(
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        image_size=28,
        patch_size=14,
        projection_dim=16,
    )
    text = transformers.GemmaConfig(vocab_size=len(processor.tokenizer), head_dim=8, **_TEXT)
    both = transformers.PaliGemmaConfig(
        vision_config=vision,
        text_config=text,
        image_token_index=processor.image_token_id,
        projection_dim=16,
        hidden_size=16,
    )
    config = transformers.ColPaliConfig(vlm_config=both, embedding_dim=8)
    return transformers.ColPaliForRetrieval(config), processor


def _colqwen2() -> tuple[Any, Any]:
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    images = Qwen2VLImageProcessorPil(min_pixels=28 * 28, max_pixels=9 * 28 * 28)
    processor = transformers.ColQwen2Processor(images, _tokenizer())
    rope = {"rope_type": "default", "mrope_section": [1, 1, 2]}
    both = transformers.Qwen2VLConfig(
        text_config={"vocab_size": len(_WORDS), "rope_parameters": rope, **_TEXT},
        vision_config={
            "depth": 1,
            "embed_dim": 16,
            "hidden_size": 16,
            "num_heads": 2,
            "mlp_ratio": 2,
        },
        image_token_id=_WORDS.index("<|image_pad|>"),
        video_token_id=_WORDS.index("<|video_pad|>"),
        vision_start_token_id=_WORDS.index("<|vision_start|>"),
        vision_end_token_id=_WORDS.index("<|vision_end|>"),
    )
    config = transformers.ColQwen2Config(vlm_config=both, embedding_dim=8)
    return transformers.ColQwen2ForRetrieval(config), processor


def _tokenizer() -> Any:
    words = tokenizers.models.WordLevel({word: at for at, word in enumerate(_WORDS)}, "<unk>")
    raw = tokenizers.Tokenizer(words)
    raw.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        additional_special_tokens=_SPECIAL[4:],
    )
