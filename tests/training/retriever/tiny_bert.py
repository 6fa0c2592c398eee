"""A BERT of a few thousand random weights."""

from __future__ import annotations

from pathlib import Path


def write_bert(folder: Path) -> Path:
    """The model, with a tokenizer that knows letters, as `save_pretrained` leaves them."""
    import transformers

    signs = [chr(code) for code in range(33, 127)]
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *signs, *(f"##{sign}" for sign in signs)]
    (folder / "vocab.txt").write_text("\n".join(names))
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    transformers.set_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(names),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder
