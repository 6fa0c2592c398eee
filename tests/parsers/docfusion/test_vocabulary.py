"""Bytes and pieces, and the tokenizer file beside public weights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.errors import ModelError
from docpipe.parsers.docfusion.config import LABELS, PROMPTS
from docpipe.parsers.docfusion.presets import PIECES, tiny
from docpipe.parsers.docfusion.vocabulary import BOS, EOS, BpeVocabulary, ByteVocabulary

BYTES = ByteVocabulary(PIECES, LABELS)
LATEX = r"\begin{tabular}{lc} \toprule \multicolumn{2}{c}{\alpha_{1}} \\ \bottomrule \end{tabular}"


@given(st.text() | st.sampled_from([LATEX, r"\frac{a}{b}\left(x^{2}\right)", "Text & more"]))
def test_text_survives(text: str) -> None:
    ids = BYTES.encode(text)
    assert BYTES.decode(ids) == text
    assert all(4 <= id < BYTES.size for id in ids)


def test_latex_takes_few_tokens_and_prose_one_a_letter() -> None:
    assert len(BYTES.encode(LATEX)) < len(LATEX) / 2.5
    assert len(BYTES.encode("Text of a Table")) == 15


def test_the_longest_piece_is_taken() -> None:
    vocabulary = ByteVocabulary(("ab", "abc"), ())
    assert len(vocabulary.encode("abcab")) == 2


def test_prompts_and_labels_are_tokens_of_their_own() -> None:
    tokens = [BYTES.prompt("text"), BYTES.prompt("table"), *map(BYTES.label, LABELS)]
    assert all(len(ids) == 1 for ids in tokens)
    assert len({ids[0] for ids in tokens}) == len(tokens)
    assert [BYTES.decode(BYTES.label(label)) for label in LABELS] == list(LABELS)
    assert BYTES.decode(BYTES.prompt("text")) == ""


def test_broken_bytes_and_foreign_ids_are_read_as_far_as_they_go() -> None:
    assert BYTES.decode([4 + 0xC3, 4 + 65, 99_999]) == "\ufffdA"


def test_the_tiny_preset_has_room_for_all_tokens() -> None:
    config = tiny()
    size = ByteVocabulary(config.pieces, config.labels).size
    assert (config.first_bin, config.text.vocabulary) == (size, size + config.bins)


def write_bpe(folder: Path, *, single: bool) -> None:
    """A tokenizer of bytes and of the pair "Te"."""
    from tokenizers import ByteLevelBPETokenizer
    from tokenizers.pre_tokenizers import ByteLevel

    letters = sorted(ByteLevel.alphabet())
    vocabulary = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    vocabulary |= {letter: 4 + at for at, letter in enumerate(letters)} | {"Te": 4 + len(letters)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), "utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\nT e\n", "utf-8")
    if single:
        parts = (str(folder / "vocab.json"), str(folder / "merges.txt"))
        ByteLevelBPETokenizer(*parts).save(str(folder / "tokenizer.json"))
        for part in parts:
            Path(part).unlink()


@pytest.mark.parametrize("single", [True, False])
def test_a_tokenizer_file_is_read(tmp_path: Path, single: bool) -> None:
    write_bpe(tmp_path, single=single)
    vocabulary = BpeVocabulary.read(tmp_path, PROMPTS)
    ids = vocabulary.encode("Text é")
    assert len(ids) == 6  # Te x t, blank, two bytes
    assert vocabulary.decode([BOS, *ids, 50_300, EOS]) == "Text é"
    prompt = vocabulary.prompt("text")
    assert (prompt[0], prompt[-1]) == (BOS, EOS)
    assert vocabulary.decode(prompt) == "What is the text in the image?"


def test_a_missing_tokenizer_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no tokenizer") as error:
        BpeVocabulary.read(tmp_path, PROMPTS)
    assert "vocab.json" in error.value.hint
